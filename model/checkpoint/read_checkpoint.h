#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>

#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/verified_folder.h"

namespace mesita::checkpoint {

/// What an open folder holds. Throw std::runtime_error for contents that are no checkpoint, or
/// that were not saved for resuming.
Checkpoint read_checkpoint(const VerifiedFolder& verified);
TrainingState read_training_state(const VerifiedFolder& verified);

/// Opens and verifies a folder and gives what `read` makes of it. Errors get the folder's name.
template <typename Read>
auto read_verified(const std::filesystem::path& folder, Read read) {
  try {
    return read(VerifiedFolder(folder));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("checkpoint " + folder.string() + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw std::runtime_error("checkpoint " + folder.string() +
                             " needs more memory than there is: use a larger machine");
  }
}

}  // namespace mesita::checkpoint
