#pragma once

#include <ATen/core/Tensor.h>

#include "model/language_model.h"
#include "tests/support/golden.h"

namespace mesita::testing {

/// The model whose golden values tests/golden/make_transformer.py wrote.
model::ModelConfig golden_config(const Golden& golden);
model::ParameterArrays golden_values(const Golden& golden);

/// An I64 tensor of a golden file.
at::Tensor golden_ids(const GoldenTensor& tensor);

}  // namespace mesita::testing
