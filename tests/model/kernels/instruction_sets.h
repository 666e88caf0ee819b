#pragma once

#include <gtest/gtest.h>

#include "model/kernels/dispatch.h"

namespace mesita::kernels {

/// A test that runs once for each instruction set; it is skipped where the machine lacks the set.
class EveryInstructionSet : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this machine lacks the instruction set";
  }
};

#define MESITA_EVERY_INSTRUCTION_SET(suite) \
  INSTANTIATE_TEST_SUITE_P(                 \
      Sets, suite,                          \
      ::testing::Values(InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512))

}  // namespace mesita::kernels
