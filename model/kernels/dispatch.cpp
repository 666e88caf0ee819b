#include "model/kernels/dispatch.h"

namespace mesita::kernels {

InstructionSet machine_instruction_set() {
  static const InstructionSet set = runs_here(InstructionSet::avx512) ? InstructionSet::avx512
                                    : runs_here(InstructionSet::avx2) ? InstructionSet::avx2
                                                                      : InstructionSet::baseline;
  return set;
}

}  // namespace mesita::kernels
