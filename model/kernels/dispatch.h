#pragma once

#include <string_view>

#include "model/kernels/seeded_normal.h"

// Kernels are written once, as inlined functions on vectors of fixed width (lanes.h), and compiled
// once for each instruction set by the functions here; the machine's set is chosen at run time.
#if defined(__x86_64__)
#define MESITA_AVX2 [[gnu::target("avx2,fma")]]
#define MESITA_AVX512 [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]]
#else
#define MESITA_AVX2
#define MESITA_AVX512
#endif

namespace mesita::kernels {

/// The widest set that runs here: what every kernel uses unless a test asks for another.
InstructionSet machine_instruction_set();

/// "avx512", "avx2" or "baseline".
std::string_view name_of(InstructionSet set);

/// Calls kBody, an inlined function, compiled for AVX2 with FMA.
template <auto kBody, typename... Arguments>
MESITA_AVX2 void call_avx2(Arguments... arguments) {
  kBody(arguments...);
}

/// Calls kBody compiled for AVX-512.
template <auto kBody, typename... Arguments>
MESITA_AVX512 void call_avx512(Arguments... arguments) {
  kBody(arguments...);
}

/// Calls the body of a kernel compiled for `set`: kBody<16>, <8> and <4> of one template, whose
/// parameter is the number of floats in a register (lanes.h). MESITA_CALL names all three.
template <auto kAvx512Body, auto kAvx2Body, auto kBaselineBody, typename... Arguments>
void call(InstructionSet set, Arguments... arguments) {
  switch (set) {
    case InstructionSet::avx512:
      return call_avx512<kAvx512Body>(arguments...);
    case InstructionSet::avx2:
      return call_avx2<kAvx2Body>(arguments...);
    case InstructionSet::baseline:
      return kBaselineBody(arguments...);
  }
}
#define MESITA_CALL(body, ...) ::mesita::kernels::call<body<16>, body<8>, body<4>>(__VA_ARGS__)

}  // namespace mesita::kernels
