#include "model/kernels/dispatch.h"

namespace mesita::kernels {

InstructionSet machine_instruction_set() {
  static const InstructionSet set = runs_here(InstructionSet::avx512) ? InstructionSet::avx512
                                    : runs_here(InstructionSet::avx2) ? InstructionSet::avx2
                                                                      : InstructionSet::baseline;
  return set;
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::baseline:
      return "baseline";
  }
  return "";
}

}  // namespace mesita::kernels
