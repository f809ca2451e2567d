#include "campaign/priors.hpp"

#include <gtest/gtest.h>

#include "tests/unit/db/samples.hpp"
#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

class ShippedPriors : public ::testing::Test {
 protected:
  ShippedPriors() {
    copy.operation.classes = {Expression::parse("N % 4 == 0")};
    copy.request.problem.values["N"] = 1000;
  }
  BestRow winner(std::int64_t n, std::int64_t block) const {
    BestRow row;
    row.implementation = "copy/plain";
    row.configuration = {{{"BLOCK", block}, {"UNUSED", 0}}};
    row.problem = {"copy", {{"N", n}}};
    row.device = copy.request.device;
    return row;
  }
  // The blocks of the proposed configurations, in order.
  std::vector<std::int64_t> blocks(const std::vector<BestRow>& shipped) const {
    const Priors priors = find_priors(store, shipped, copy.request);
    EXPECT_TRUE(priors.trials.empty());
    std::vector<std::int64_t> found;
    for (const Suggestion& one : priors.shipped)
      found.push_back(std::get<std::int64_t>(one.configuration.values.at("BLOCK")));
    return found;
  }
  using Blocks = std::vector<std::int64_t>;

  CopyDefinition copy;
  Folder folder;
  Store store{folder / "results.db"};
};

TEST_F(ShippedPriors, TheNearestOfTheSameClassComesFirst) {
  EXPECT_EQ(blocks({winner(100, 32), winner(1001, 64), winner(2000, 128)}), (Blocks{128, 32, 64}));
}

TEST_F(ShippedPriors, ThisDeviceComesBeforeOthersAndOtherKindsNever) {
  BestRow other = winner(1000, 32), host = winner(1000, 64);
  other.device.name = "Another";
  host.device.kind = DeviceKind::host;
  EXPECT_EQ(blocks({other, host, winner(8, 128)}), (Blocks{128, 32}));
}

TEST_F(ShippedPriors, EachConfigurationOnceAndNoneOfAnotherImplementation) {
  BestRow other = winner(1000, 64);
  other.implementation = "copy/fancy";
  EXPECT_EQ(blocks({winner(1000, 32), winner(1004, 32), other}), (Blocks{32}));
}

TEST_F(ShippedPriors, AtMostEight) {
  std::vector<BestRow> many;
  for (std::int64_t i = 0; i < 20; ++i) many.push_back(winner(1000 + 4 * i, 32 + i));
  const Blocks found = blocks(many);
  EXPECT_EQ(found.size(), 8u);
  EXPECT_EQ(found.front(), 32);
}

TEST_F(ShippedPriors, RowsOfOtherDefinitionsAreLeftOut) {
  BestRow strange = winner(1000, 32);
  strange.problem.values.clear();
  EXPECT_TRUE(blocks({strange}).empty());
}

// Of "copy" larger blocks are expected to be faster.
TEST_F(ShippedPriors, TheLeastExpectedCostsOfAGpuAreTriedToo) {
  Implementation& one = copy.implementation;
  for (const std::int64_t block : {32, 64, 128, 256}) one.general.push_back({{"BLOCK", block}});
  one.cost.emplace();
  one.cost->blocks = Expression::parse("ceil_div(N, BLOCK)");
  one.cost->work = Expression::parse("100");
  copy.request.implementations = {&one};
  const auto suggested = [this] {
    Blocks found;
    for (const Suggestion& general : find_priors(store, {}, copy.request).general)
      found.push_back(std::get<std::int64_t>(general.configuration.values.at("BLOCK")));
    return found;
  };
  copy.request.device.kind = DeviceKind::cuda;
  EXPECT_EQ(suggested(), (Blocks{256, 128, 64}));
  copy.request.device.kind = DeviceKind::host;
  EXPECT_TRUE(suggested().empty());
}

}  // namespace
}  // namespace tilewright::test
