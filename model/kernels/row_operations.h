#pragma once

#include <span>

#include "model/kernels/dispatch.h"

namespace mesita::kernels {

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias for each row (Ba et al. 2016).
/// x, y: [rows, width]; weight, bias: [width].
void layer_norm(std::span<const float> x, std::span<const float> weight,
                std::span<const float> bias, float epsilon, std::span<float> y,
                InstructionSet set = machine_instruction_set());

/// x := x Phi(x), with the normal distribution function approximated by
/// (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 as in GPT-2.
void gelu(std::span<float> x, InstructionSet set = machine_instruction_set());

/// dy := dy times the derivative of that function at x.
void gelu_gradient(std::span<const float> x, std::span<float> dy,
                   InstructionSet set = machine_instruction_set());

/// y := y + x.
void add(std::span<const float> x, std::span<float> y,
         InstructionSet set = machine_instruction_set());

}  // namespace mesita::kernels
