#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/checkpoint/foreign_weights.h"
#include "model/checkpoint/output_file.h"

namespace mesita::checkpoint {

/// A value of a GGUF file's head.
using GgufValue = std::variant<uint32_t, int32_t, float, bool, std::string,
                               std::vector<std::string>, std::vector<float>, std::vector<int32_t>>;
using GgufHead = std::vector<std::pair<std::string, GgufValue>>;

/// Writes a GGUF file, version 3 (ggml's gguf.md): head, then float32 tensors, each aligned to 32
/// bytes. Throws std::runtime_error when the disk fails.
void write_gguf(OutputFile& file, const GgufHead& head, std::span<const ForeignTensor> tensors);

}  // namespace mesita::checkpoint
