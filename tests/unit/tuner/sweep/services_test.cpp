#include "tuner/sweep/prepare/services.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

// The values of BLOCK that the requests compile, in order.
std::vector<std::string> blocks_of(const std::vector<CompileRequest>& requests) {
  std::vector<std::string> blocks;
  for (const CompileRequest& request : requests)
    for (const std::string& option : request.options)
      if (option.starts_with("-DBLOCK=")) blocks.push_back(option.substr(8));
  return blocks;
}

TEST(FirstCompiles, AreDefaultsSeedsAndSuggestionsInTheSweepsOrder) {
  CopyDefinition copy;
  copy.request.strategy = "model";
  copy.implementation.seeds = {{{"BLOCK", 128}}};
  copy.request.suggested = {{"copy/plain", {{{"BLOCK", 32}, {"UNUSED", 0}}}}};
  const std::vector<Space> spaces = build_spaces(copy.request);
  EXPECT_EQ(blocks_of(first_compiles(copy.request, spaces, 3)),
            (std::vector<std::string>{"64", "128", "32"}));
  EXPECT_EQ(first_compiles(copy.request, spaces, 100).size(), spaces[0].legal.size());
}

TEST(FirstCompiles, BeginWithWhatTheDeviceNeeds) {
  CopyDefinition copy;
  copy.request.backend.probe = CompileRequest{};
  copy.request.backend.probe->source_name = "probe";
  const auto requests = first_compiles(copy.request, build_spaces(copy.request), 1);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].source_name, "probe");
}

TEST(FirstCompiles, OfAnEmptySpaceAreNone) {
  CopyDefinition copy;
  copy.request.where = Expression::parse("BLOCK > 5000");
  EXPECT_TRUE(first_compiles(copy.request, build_spaces(copy.request), 5).empty());
}

}  // namespace
}  // namespace tilewright::test
