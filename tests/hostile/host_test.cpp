#include <gtest/gtest.h>

#include "tests/hostile/hostile_sweep.hpp"
#include "tuner/host/compile/sanitizers.hpp"

namespace tilewright::test {
namespace {

TEST(HostileSet, CostsTheHostOnlyTheConfigurationsThatAreHostile) {
  expect_survival("host", host::kSanitized ? "host_sanitized" : "host");
}

}  // namespace
}  // namespace tilewright::test
