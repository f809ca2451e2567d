// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::testing {
namespace {

class Plan : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  }

  nlohmann::json plan(std::vector<std::string> words) const {
    words.insert(words.begin(), "plan");
    words.push_back("--json");
    const Finished finished = run_tilewright(home_.path(), words);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return nlohmann::json::parse(finished.out);
  }

  TemporaryFolder home_;
};

TEST_F(Plan, CompilesAFewForAnArchitectureWithoutADevice) {
  const auto json = plan({"gemm/tiled", "M=N=K=256", "--arch", "sm_90", "--compile", "4"});
  EXPECT_EQ(json.at("architecture"), "sm_90");
  const auto& part = json.at("implementations").at(0);
  EXPECT_EQ(part.at("implementation"), "gemm/tiled");
  EXPECT_GT(part.at("legal"), 100);
  EXPECT_GT(part.at("combinations"), part.at("legal"));
  std::int64_t cut = 0;
  for (const auto& rule : part.at("cuts")) cut += rule.at("count").get<std::int64_t>();
  EXPECT_EQ(part.at("combinations"), part.at("legal").get<std::int64_t>() + cut);
  const auto& compile = part.at("compile");
  EXPECT_EQ(compile.at("chosen"), 4);
  EXPECT_EQ(compile.at("compiled"), 4);
  EXPECT_EQ(compile.at("from_cache"), 0);
  EXPECT_GT(compile.at("registers").at("minimum"), 8);
}

TEST_F(Plan, TakesTheSameChoiceFromTheCacheTheSecondTime) {
  const std::vector<std::string> words = {"gemm/naive", "--arch", "sm_80", "--compile",
                                          "3",          "--seed", "5"};
  plan(words);
  EXPECT_EQ(plan(words).at("implementations").at(0).at("compile").at("from_cache"), 3);
}

TEST_F(Plan, AcceptsArchitectureVariants) {
  EXPECT_EQ(plan({"gemm/naive", "--arch", "sm_90a", "--compile", "1"}).at("architecture"),
            "sm_90a");
}

TEST_F(Plan, RefusesAnUnknownArchitectureNamingThoseThereAre) {
  const Finished finished = run_tilewright(home_.path(), {"plan", "gemm", "--arch", "sm_42"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("sm_42"), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("sm_90"), std::string::npos) << finished.err;
}

TEST_F(Plan, NarrowsBySizesOfTheUser) {
  const auto all = plan({"gemm/naive", "--arch", "sm_90", "--compile", "0"});
  const auto narrow =
      plan({"gemm/naive", "--arch", "sm_90", "--compile", "0", "--where", "BLOCK_X == 32"});
  EXPECT_LT(narrow.at("implementations").at(0).at("legal"),
            all.at("implementations").at(0).at("legal"));
  EXPECT_FALSE(all.at("implementations").at(0).contains("compile"));
}

TEST_F(Plan, SaysWhatRulesOutEverything) {
  const Finished finished = run_tilewright(
      home_.path(), {"plan", "gemm/naive", "--arch", "sm_90", "--where", "BLOCK_X > 1000"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("--where"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("0 legal"), std::string::npos) << finished.out;
}

TEST_F(Plan, FindsConfigurationsBelowAnOccupancyFloor) {
  const Finished finished =
      run_tilewright(home_.path(), {"plan", "gemm/naive", "--arch", "sm_90", "--where",
                                    "BLOCK_X * BLOCK_Y == 32", "--occupancy-floor", "0.9"});
  EXPECT_EQ(finished.status, 1) << finished.out;
  EXPECT_NE(finished.out.find("occupancy"), std::string::npos) << finished.out;
}

TEST_F(Plan, TakesAKernelOfTheUsersOwn) {
  const std::string manifest = TILEWRIGHT_SOURCE_DIR "/examples/stencil5/stencil5.toml";
  const auto json = plan({manifest, "height=1000", "--compile", "3", "--arch", "sm_90"});
  const auto& part = json.at("implementations").at(0);
  EXPECT_EQ(part.at("implementation"), "stencil5/tile");
  EXPECT_EQ(part.at("combinations"), 320);
  EXPECT_EQ(part.at("legal"), 216);
  EXPECT_EQ(part.at("compile").at("compiled"), 3);
}

}  // namespace
}  // namespace tilewright::testing
