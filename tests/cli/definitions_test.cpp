// Each definition in tests/definitions, swept on the host device.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/definition_names.hpp"

namespace tilewright::test {
namespace {

class EachDefinition : public ::testing::TestWithParam<std::string> {};

TEST_P(EachDefinition, IsRightInASweepOnTheHostDevice) {
  const TemporaryFolder home;
  const std::string manifest = TILEWRIGHT_SOURCE_DIR "/tests/definitions/" + GetParam() + ".toml";
  const Finished swept = run_tilewright(
      home.path(), {"sweep", manifest, "--device", "host", "--budget", "3", "--json"});
  if (GetParam() == "block_reduce") {  // CUB is not there
    EXPECT_EQ(swept.status, 2);
    EXPECT_NE(swept.err.find("the host device has no header cuda/std/array"), std::string::npos)
        << swept.err;
    return;
  }
  ASSERT_EQ(swept.status, 0) << swept.err;
  const auto result = nlohmann::json::parse(swept.out);
  const auto& report = result.at("report");
  EXPECT_EQ(report.at("outcomes").at("measured"), report.at("tried")) << swept.out;
  EXPECT_EQ(report.at("tried"), 3);
  EXPECT_FALSE(report.at("simple_answers").empty());
  // A GPU interpolates with weights of 8 bits.
  const bool may_err = GetParam() == "texture" || GetParam() == "volume";
  EXPECT_EQ(swept.err.find("would pass the check") != std::string::npos, may_err) << swept.err;
  EXPECT_GE(result.at("winners").size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(All, EachDefinition,
                         ::testing::ValuesIn(definition_names(TILEWRIGHT_SOURCE_DIR)),
                         [](const auto& one) { return one.param; });

// Each configuration, which a wrong preparation would make wrong.
TEST(PreparedDefinition, IsRightInASweepOnTheHostDevice) {
  const TemporaryFolder home;
  const Finished swept = run_tilewright(
      home.path(), {"sweep", TILEWRIGHT_SOURCE_DIR "/tests/definitions/prepared.toml",
                    "filter=prepared", "--device", "host", "--budget", "all", "--json"});
  ASSERT_EQ(swept.status, 0) << swept.err;
  const auto result = nlohmann::json::parse(swept.out);
  EXPECT_EQ(result.at("report").at("outcomes").at("measured"), result.at("report").at("tried"));
  EXPECT_GE(result.at("report").at("tried"), 10);
}

}  // namespace
}  // namespace tilewright::test
