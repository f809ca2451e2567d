#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"
#include "tests/hostile/hostile_sweep.hpp"
#include "tuner/host/compile/sanitizers.hpp"

namespace tilewright::test {
namespace {

TEST(HostileSet, CostsTheHostOnlyTheConfigurationsThatAreHostile) {
  expect_survival("host", host::kSanitized ? "host_sanitized" : "host");
}

TEST(HostileSet, CostsTheGpuOnlyTheConfigurationsThatAreHostile) {
  if (const std::string why = why_no_gpu(); !why.empty()) GTEST_SKIP() << why;
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  expect_survival("cuda:0", "cuda");
}

}  // namespace
}  // namespace tilewright::test
