#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tokenizer/corpus/documents.h"
#include "training/data/pack_format.h"

namespace mesita::training {

/// What is packed, and how.
struct PackRequest {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path tokenizer;  // folder or .model file
  std::filesystem::path out;
  corpus::Malformed malformed = corpus::Malformed::fail;
  int64_t threads = 1;                        // that encode
  int64_t save_interval = int64_t{64} << 20;  // bytes of text between two durable places
};

/// Where packing stands.
struct PackProgress {
  double fraction = 0.0;   // of the bytes of all input files, 0 .. 1
  int64_t text_bytes = 0;  // packed so far by this call
  int64_t tokens = 0;      // the same
};

/// How packing is watched and stopped; each may be empty.
struct PackHooks {
  std::function<void(const PackProgress&)> progress;
  std::function<void(const std::string&)> message;  // of what is skipped, and of going on
  std::function<bool()> stop;                       // asked often; true: save and return
};

struct PackOutcome {
  PackInfo info;
  bool finished = true;  // false: stopped; the same request goes on
};

/// Encodes the documents of text files into a pack (PACK.md), in their order, in memory that does
/// not grow with the files. An interrupted call is continued by the same request. Throws
/// std::invalid_argument for wrong requests, std::runtime_error for what cannot be read or written
/// (with Malformed::fail also for the first malformed record and for a truncated file); what came
/// before is kept for the next call.
PackOutcome pack(const PackRequest& request, const PackHooks& hooks = {});

}  // namespace mesita::training
