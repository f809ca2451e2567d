#include "tuner/search/traits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

// x of 1, 2, 4, 8; a label; a switch; z of 0 … 5.
SearchGrid grid() {
  SearchGrid made;
  made.axes = {{"label", {"a", "b", "c"}, {}},
               {"switch", {"0", "1"}, {0, 1}},
               {"x", {"1", "2", "4", "8"}, {1, 2, 4, 8}},
               {"z", {"0", "1", "2", "3", "4", "5"}, {0, 1, 2, 3, 4, 5}}};
  for (std::uint16_t label = 0; label < 3; ++label)
    for (std::uint16_t on = 0; on < 2; ++on)
      for (std::uint16_t x = 0; x < 4; ++x)
        for (std::uint16_t z = 0; z < 6; ++z)
          made.levels.insert(made.levels.end(), {label, on, x, z});
  return made;
}

std::vector<float> row_of(const Traits& traits, std::size_t candidate) {
  std::vector<float> row(traits.width());
  traits.write(candidate, row);
  return row;
}

TEST(Traits, AreLevelsAndPlacesAlongAxesWithAnOrder) {
  const SearchGrid space = grid();
  const Traits traits(space);
  EXPECT_EQ(traits.levels(), 4U);
  ASSERT_EQ(traits.width(), 6U);
  const std::size_t candidate = ((1 * 2 + 1) * 4 + 1) * 6 + 3;
  const std::vector<float> row = row_of(traits, candidate);
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row[2], 1);
  EXPECT_FLOAT_EQ(row[4], 1.0F / 3);  // 2 of 1 … 8, by logarithm
  EXPECT_FLOAT_EQ(row[5], 3.0F / 5);
}

TEST(Traits, PutAnAbsentParameterInTheMiddle) {
  SearchGrid space = grid();
  space.levels[2] = SearchGrid::kAbsent;
  const Traits traits(space);
  const std::vector<float> row = row_of(traits, 0);
  EXPECT_FLOAT_EQ(row[4], 0.5F);
  EXPECT_NE(row[2], row_of(traits, 1)[2]);
}

TEST(Similarity, FallsWithEveryDifference) {
  const SearchGrid space = grid();
  const Traits traits(space);
  const Similarity usual = usual_similarity(traits, {.level = 0.2, .place = 0.6});
  const auto of = [&](std::size_t a, std::size_t b) {
    return usual.of(row_of(traits, a), row_of(traits, b));
  };
  EXPECT_FLOAT_EQ(of(5, 5), 1);
  EXPECT_FLOAT_EQ(of(0, 1), std::exp(-0.2F - 0.6F / 5));
  EXPECT_FLOAT_EQ(of(0, 5), std::exp(-0.2F - 0.6F));
  EXPECT_LT(of(0, 5), of(0, 1));
  EXPECT_FLOAT_EQ(of(0, 48), std::exp(-0.2F));  // another label
}

TEST(LearnedSimilarity, FindsWhatMatters) {
  const SearchGrid space = grid();
  const Traits traits(space);
  std::mt19937_64 random(1);
  Samples samples;
  for (int i = 0; i < 60; ++i) {
    const auto candidate = static_cast<std::size_t>(below(space.size(), random));
    samples.rows.push_back(row_of(traits, candidate));
    const auto levels = space.of(candidate);
    samples.values.push_back(levels[0] == 1 ? 2.0F : 0.0F + 0.3F * levels[2]);
  }
  const Similarity usual = usual_similarity(traits);
  const Similarity learned = learned_similarity(usual, usual, samples, {.steps = 30});
  ASSERT_EQ(learned.weights.size(), 6U);
  EXPECT_GT(learned.weights[0], usual.weights[0]);      // the label
  EXPECT_LT(learned.weights[1], usual.weights[1] / 2);  // the switch does nothing
  EXPECT_LT(learned.weights[3], usual.weights[3] / 2);  // nor does z
  EXPECT_LT(learned.weights[5], usual.weights[5] / 2);
  EXPECT_LT(learned.noise, usual.noise);
}

TEST(LearnedSimilarity, SeesNoise) {
  const SearchGrid space = grid();
  const Traits traits(space);
  std::mt19937_64 random(2);
  Samples samples;
  for (int i = 0; i < 60; ++i) {
    samples.rows.push_back(row_of(traits, static_cast<std::size_t>(below(space.size(), random))));
    samples.values.push_back(static_cast<float>(unit(random)));
  }
  const Similarity usual = usual_similarity(traits);
  EXPECT_GT(learned_similarity(usual, usual, samples, {.steps = 30}).noise, 10 * usual.noise);
}

TEST(LearnedSimilarity, BearsEqualValuesAndEqualRows) {
  const SearchGrid space = grid();
  const Traits traits(space);
  const Samples samples{std::vector(12, row_of(traits, 3)), std::vector<float>(12, 1)};
  const Similarity usual = usual_similarity(traits);
  for (const float weight : learned_similarity(usual, usual, samples).weights)
    EXPECT_TRUE(std::isfinite(weight) && weight > 0);
}

}  // namespace
}  // namespace tilewright
