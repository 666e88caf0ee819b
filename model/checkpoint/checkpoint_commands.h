#pragma once

#include <filesystem>
#include <iosfwd>
#include <vector>

#include "model/checkpoint/checkpoint.h"

// What `mesita checkpoint` does, on streams.
namespace mesita::checkpoint {

enum class OutputFormat { text, json };

// A folder is a checkpoint, or a run folder, which means its best (checkpoint_folder). One that is
// neither is a std::runtime_error, to verify_command not sound.

/// Sizes, roles, hashes and how it was trained. Throws as load_checkpoint.
void inspect_command(const std::filesystem::path& folder, OutputFormat format, std::ostream& out);

/// Reads every folder as a server would, and says for each whether it is sound. Returns the number
/// of those that are not.
int verify_command(const std::vector<std::filesystem::path>& folders, OutputFormat format,
                   std::ostream& out);

/// Stores a checkpoint in another form, with its training state, in its own place or as `target`
/// where that is not empty. A checkpoint that has the form already, or for compact has nothing
/// frozen, stays as it is (a `target` is written all the same). Throws as load_checkpoint and
/// save_checkpoint, among others when frozen tensors are not those of the seed.
void convert_command(const std::filesystem::path& folder, Form form,
                     const std::filesystem::path& target, OutputFormat format, std::ostream& out);

}  // namespace mesita::checkpoint
