#include "tuner/search/grid.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tuner/search/features.hpp"

namespace tilewright {
namespace {

// Owns what its points refer to.
struct Candidates {
  std::vector<std::pair<std::string, Settings>> list;

  SearchGrid grid() const {
    std::vector<GridPoint> points;
    for (const auto& [implementation, settings] : list)
      points.push_back({implementation, &settings});
    return make_grid(points);
  }
};

Settings of(std::int64_t tile, const std::string& layout) {
  return {{"layout", layout}, {"only", std::int64_t{7}}, {"tile", tile}};
}

TEST(Grid, OrdersNumbersAsNumbersAndLeavesOutWhatIsConstant) {
  const SearchGrid grid =
      Candidates{{{"a", of(16, "row")}, {"a", of(8, "col")}, {"a", of(128, "row")}}}.grid();
  ASSERT_EQ(grid.axes.size(), 2U);
  EXPECT_EQ(grid.size(), 3U);
  EXPECT_EQ(grid.axes[0].name, "layout");
  EXPECT_TRUE(grid.axes[0].values.empty());
  EXPECT_EQ(grid.axes[1].name, "tile");
  EXPECT_EQ(grid.axes[1].values, (std::vector<double>{8, 16, 128}));
  EXPECT_EQ(grid.axes[1].labels, (std::vector<std::string>{"8", "16", "128"}));
  EXPECT_EQ(grid.of(2)[1], 2);
}

TEST(Grid, TellsImplementationsApartAndKnowsWhatOneLacks) {
  const SearchGrid grid = Candidates{{{"a", {{"x", std::int64_t{1}}}}, {"b", {}}}}.grid();
  ASSERT_EQ(grid.axes.size(), 2U);
  EXPECT_NE(grid.of(0)[0], grid.of(1)[0]);
  EXPECT_EQ(grid.axes[1].name + " " + grid.axes[0].name, "implementation x");
  EXPECT_EQ(grid.of(1)[0], SearchGrid::kAbsent);
}

TEST(Grid, OfNothingOrOneHasNoAxes) {
  EXPECT_EQ(Candidates{}.grid().size(), 0U);
  EXPECT_TRUE((Candidates{{{"a", of(1, "row")}}}.grid().axes.empty()));
}

// tile 8, 16, 32, 64 × layout col, row, without (16, row).
class Around : public ::testing::Test {
 protected:
  Around() {
    for (const std::int64_t tile : {8, 16, 32, 64})
      for (const char* layout : {"col", "row"})
        if (tile != 16 || std::string(layout) != "row")
          candidates_.list.emplace_back("a", of(tile, layout));
    grid_ = candidates_.grid();
  }
  std::size_t at(std::int64_t tile, const std::string& layout) const {
    for (std::size_t i = 0; i < candidates_.list.size(); ++i)
      if (candidates_.list[i].second == of(tile, layout)) return i;
    return grid_.size();
  }
  Candidates candidates_;
  SearchGrid grid_;
};

TEST_F(Around, NeighboursDifferInOneParameter) {
  const Neighbours neighbours(grid_);
  EXPECT_EQ(neighbours.around(at(8, "row")),
            (std::vector<std::size_t>{at(8, "col"), at(32, "row"), at(64, "row")}));
  EXPECT_EQ(neighbours.around(at(16, "col")),
            (std::vector<std::size_t>{at(8, "col"), at(32, "col"), at(64, "col")}));
}

TEST_F(Around, FindsCandidatesByTheirLevelsOnly) {
  const Neighbours neighbours(grid_);
  for (std::size_t i = 0; i < grid_.size(); ++i) EXPECT_EQ(neighbours.find(grid_.of(i)), i);
  const std::vector<std::uint16_t> missing = {1, 1};
  EXPECT_EQ(neighbours.find(missing), grid_.size());
}

TEST_F(Around, FeaturesAreLogarithmsOfSizesAndTheirPlaceOtherwise) {
  const Features features(grid_);
  ASSERT_EQ(features.width(), 2U);
  std::vector<float> row(2);
  features.write(at(32, "row"), row);
  EXPECT_EQ(row, (std::vector<float>{1, 5}));
}

TEST(Features, HaveProductsAndQuotientsOfSizes) {
  Candidates candidates;
  for (const std::int64_t x : {1, 2, 4})
    for (const std::int64_t y : {1, 2, 8})
      candidates.list.emplace_back("a", Settings{{"x", x}, {"y", y}});
  const SearchGrid grid = candidates.grid();
  const Features features(grid);
  ASSERT_EQ(features.width(), 4U);
  std::vector<float> row(4);
  features.write(8, row);
  EXPECT_EQ(row, (std::vector<float>{2, 3, 5, -1}));
}

TEST(Features, LabelsWithoutAnOrderHaveOneEach) {
  const SearchGrid grid =
      Candidates{{{"a", {{"l", "p"}}}, {"a", {{"l", "q"}}}, {"a", {{"l", "r"}}}}}.grid();
  const Features features(grid);
  std::vector<float> row(features.width());
  features.write(1, row);
  EXPECT_EQ(row, (std::vector<float>{0, 1, 0}));
}

}  // namespace
}  // namespace tilewright
