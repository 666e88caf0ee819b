#pragma once

#include <cstdint>

#include "model/parameters.h"

namespace mesita::model {

/// Version of the recipe that turns (seed, tensor name) into values; stored in checkpoints. Values
/// of one recipe never change: a different formula gets a new number.
constexpr int64_t kInitializationRecipe = 1;

/// The initial value of one parameter. Normal values come from kernels::seeded_normal with a stream
/// of the tensor's name, so they depend on nothing but (seed, name, standard deviation) and have
/// the same bits on every machine.
ParameterArray initial_value(const ParameterSpec& spec, uint64_t seed);

/// The initial values of all parameters of `config`.
ParameterArrays initial_values(const ModelConfig& config, uint64_t seed);

}  // namespace mesita::model
