#pragma once

#include <gtest/gtest.h>

#include <atomic>

#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {

// A sweep with fakes.
class SweepTest : public ::testing::Test {
 protected:
  SweepSummary run() {
    return run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, recorder,
                     stop);
  }

  CopyDefinition copy;
  FakeCompilers compilers;
  FakeEvaluator evaluator;
  Recorder recorder;
  std::atomic<bool> stop = false;
  std::atomic<bool> end_search = false;  // if the request refers to it
};

// More than are on their way at a time.
inline void make_large(CopyDefinition& copy) {
  copy.implementation.parameters[0].values.clear();
  for (std::int64_t block = 32; block <= 1024; block += 32)
    copy.implementation.parameters[0].values.push_back(block);
}

}  // namespace tilewright::test
