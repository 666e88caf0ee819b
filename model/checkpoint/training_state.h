#pragma once

#include <map>
#include <string>

#include "model/parameters.h"

namespace mesita::checkpoint {

/// What a run needs beside the model to go on: kept as training_state.safetensors inside the
/// checkpoint, and listed in its manifest.
struct TrainingState {
  model::ParameterArrays tensors;            // float32, for example optimizer moments
  std::map<std::string, std::string> notes;  // UTF-8, for example step and position in the data
};

}  // namespace mesita::checkpoint
