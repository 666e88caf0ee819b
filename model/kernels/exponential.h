#pragma once

#include <span>

#include "model/kernels/dispatch.h"

namespace mesita::kernels {

/// Sum of e^(values[i] - shift) in float64, added in an order that depends on nothing but the
/// number of values. Values of -infinity add nothing.
double sum_of_exponentials(std::span<const float> values, double shift,
                           InstructionSet set = machine_instruction_set());

/// values[i] := e^values[i], with a relative error below 1e-15; 0 below -708, so for -infinity too.
void exponentials(std::span<double> values, InstructionSet set = machine_instruction_set());

}  // namespace mesita::kernels
