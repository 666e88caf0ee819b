#include "model/checkpoint/training_state.h"

#include <stdexcept>

#include "model/checkpoint/safetensors.h"
#include "model/checkpoint/verified_folder.h"

namespace mesita::checkpoint {

TrainingState load_training_state(const std::filesystem::path& folder) {
  try {
    const VerifiedFolder verified(folder);
    if (!verified.has(kTrainingStateFile)) {
      throw std::runtime_error(std::string(kTrainingStateFile) +
                               " is missing: this checkpoint was not saved for resuming");
    }
    const ReadableFile& file = verified.file(kTrainingStateFile);
    const SafetensorsHeader header = read_safetensors_header(file);
    TrainingState state;
    state.notes = header.metadata;
    for (const TensorEntry& entry : header.tensors) {
      state.tensors.emplace(entry.name,
                            model::ParameterArray{entry.shape, read_tensor(file, header, entry)});
    }
    return state;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("checkpoint " + folder.string() + ": " + error.what());
  }
}

}  // namespace mesita::checkpoint
