#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/checkpoint/output_file.h"
#include "model/checkpoint/readable_file.h"

namespace mesita::checkpoint {

/// Number types that are read and written: "F32" and "BF16".
enum class TensorType { float32, bfloat16 };

/// One tensor of a safetensors file.
struct TensorEntry {
  std::string name;
  TensorType type = TensorType::float32;
  std::vector<int64_t> shape;  // extents are positive; empty for a scalar
  uint64_t begin = 0;          // bytes, counted from the start of the data
  uint64_t end = 0;
};

/// The header of a safetensors file, checked against the file's size.
struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // by position: contiguous, covering all the data
  std::map<std::string, std::string> metadata;
  uint64_t data_begin = 0;  // bytes, counted from the start of the file
};

/// Reads and checks a header. Stricter than the reference reader: no duplicate name, no leading
/// blank, no empty tensor, header of at most 4 MiB, rank at most 8, names of 1 to 256 bytes. Throws
/// std::runtime_error: lengths beyond the file, invalid JSON, unknown types and keys, sizes that
/// overflow or disagree with the offsets, holes, overlaps, bytes after the last tensor.
SafetensorsHeader read_safetensors_header(const ReadableFile& file);

/// The values of one tensor, row-major, widened to float32. `entry` must come from this file's
/// header.
std::vector<float> read_tensor(const ReadableFile& file, const SafetensorsHeader& header,
                               const TensorEntry& entry);

/// A tensor to write. `values` are rounded when the type is bfloat16.
struct TensorToWrite {
  std::string name;
  TensorType type = TensorType::float32;
  std::vector<int64_t> shape;
  std::span<const float> values;
};

/// Writes a whole file: a pure function of its arguments. Tensors keep their order, except that
/// float32 comes before bfloat16, so that every tensor is aligned to its element; data begins at a
/// multiple of 8. Throws std::invalid_argument for what the reader would refuse (duplicate names,
/// shapes that do not fit the values, text that is not UTF-8).
void write_safetensors(OutputFile& file, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace mesita::checkpoint
