#include "definition/architecture.hpp"

#include <gtest/gtest.h>

#include "definition/definition.hpp"

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

TEST(ArchitectureFor, TheHostRunsWhateverItHas) {
  EXPECT_EQ(architecture_for("", kHostArchitecture), "host");
  EXPECT_EQ(architecture_for("sm_80", kHostArchitecture), "host");
  EXPECT_EQ(architecture_for("sm_90a", kHostArchitecture), "host");
}

TEST(ArchitectureFor, ASpecificTargetIsThatOfTheDevice) {
  Implementation implementation;
  EXPECT_EQ(architecture_for(implementation, "sm_90"), "sm_90");
  implementation.architecture_specific = true;
  EXPECT_EQ(architecture_for(implementation, "sm_90"), "sm_90a");
  EXPECT_EQ(architecture_for(implementation, "sm_90a"), "sm_90a");
  EXPECT_EQ(architecture_for(implementation, "sm_120"), "sm_120a");
  EXPECT_EQ(architecture_for(implementation, "sm_89"), "sm_89");
  EXPECT_EQ(architecture_for(implementation, kHostArchitecture), "host");
  implementation.requires_architecture = "sm_90";
  EXPECT_EQ(architecture_for(implementation, "sm_90"), "sm_90a");
  EXPECT_EQ(architecture_for(implementation, "sm_86"), std::nullopt);
}

}  // namespace
}  // namespace tilewright
