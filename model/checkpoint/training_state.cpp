// load_resumable of checkpoint.h.
#include <stdexcept>

#include "model/checkpoint/read_checkpoint.h"
#include "model/checkpoint/safetensors.h"

namespace mesita::checkpoint {

TrainingState read_training_state(const VerifiedFolder& verified) {
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
}

ResumableCheckpoint load_resumable(const std::filesystem::path& folder) {
  return read_verified(folder, [](const VerifiedFolder& verified) -> ResumableCheckpoint {
    TrainingState state = read_training_state(verified);  // first: it may not be there
    return {read_checkpoint(verified), std::move(state)};
  });
}

}  // namespace mesita::checkpoint
