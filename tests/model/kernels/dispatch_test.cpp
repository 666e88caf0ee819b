#include "model/kernels/dispatch.h"

#include <gtest/gtest.h>

namespace mesita::kernels {
namespace {

template <int>
void count_call(int* calls) {
  ++*calls;
}

TEST(Dispatch, TheMachinesSetIsTheWidestThatRuns) {
  const InstructionSet chosen = machine_instruction_set();
  EXPECT_TRUE(runs_here(chosen));
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
    EXPECT_EQ(runs_here(set), set <= chosen);
  }
}

TEST(Dispatch, SetsHaveNames) {
  EXPECT_EQ(name_of(InstructionSet::avx512), "avx512");
  EXPECT_EQ(name_of(InstructionSet::avx2), "avx2");
  EXPECT_EQ(name_of(InstructionSet::baseline), "baseline");
}

TEST(Dispatch, CallsTheBodyOnce) {
  for (const InstructionSet set :
       {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!runs_here(set)) continue;
    int calls = 0;
    MESITA_CALL(count_call, set, &calls);
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace mesita::kernels
