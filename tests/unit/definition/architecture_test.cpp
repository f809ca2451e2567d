#include "definition/architecture.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(ArchitectureFor, AGenerationOrLater) {
  EXPECT_EQ(architecture_for("", "sm_90"), "sm_90");
  EXPECT_EQ(architecture_for("sm_80", "sm_90"), "sm_90");
  EXPECT_EQ(architecture_for("sm_90", "sm_80"), std::nullopt);
}

TEST(ArchitectureFor, ASuffixIsForItsOwnGeneration) {
  EXPECT_EQ(architecture_for("sm_90a", "sm_90"), "sm_90a");
  EXPECT_EQ(architecture_for("sm_90a", "sm_100"), std::nullopt);
}

TEST(ArchitectureFor, TheHostHasAPlainPathForGenerationsOnly) {
  EXPECT_EQ(architecture_for("", kHostArchitecture), "host");
  EXPECT_EQ(architecture_for("sm_80", kHostArchitecture), "host");
  EXPECT_EQ(architecture_for("sm_90a", kHostArchitecture), std::nullopt);
}

}  // namespace
}  // namespace tilewright
