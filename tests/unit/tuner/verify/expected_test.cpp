#include "tuner/verify/expected.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/support/folder_of_files.hpp"
#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

TEST(ElementsToCheck, TakesAllOfASmallOutput) {
  EXPECT_EQ(elements_to_check(3, 10, 1), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(elements_to_check(0, 10, 1), std::vector<std::int64_t>{});
  EXPECT_EQ(elements_to_check(2048, 5, 1).size(), 2048U);
}

TEST(ElementsToCheck, SamplesALargeOneWithItsEdges) {
  for (const std::int64_t count :
       {std::int64_t{10001}, std::int64_t{1} << 24, kMostBufferElements}) {
    const auto elements = elements_to_check(count, 10000, 7);
    ASSERT_EQ(elements.size(), 10000U);
    EXPECT_TRUE(std::is_sorted(elements.begin(), elements.end()));
    EXPECT_EQ(std::set<std::int64_t>(elements.begin(), elements.end()).size(), 10000U);
    EXPECT_EQ(elements[1023], 1023);
    EXPECT_EQ(elements[10000 - 1024], count - 1024);
    EXPECT_EQ(elements.back(), count - 1);
  }
  EXPECT_EQ(elements_to_check(1 << 24, 10000, 7), elements_to_check(1 << 24, 10000, 7));
  EXPECT_NE(elements_to_check(1 << 24, 10000, 7), elements_to_check(1 << 24, 10000, 8));
  EXPECT_EQ(elements_to_check(1 << 24, 1, 7).size(), 2048U);
}

TEST(ElementsToCheck, HasTheEndsOfRows) {
  constexpr std::int64_t kRows = 4096, kRow = 5000, kMost = 100'000;
  const auto elements = elements_to_check(kRows * kRow, kMost, 7, kRow);
  EXPECT_LE(elements.size(), 100'000U);
  EXPECT_GT(elements.size(), 99'000U);
  EXPECT_TRUE(std::ranges::is_sorted(elements));
  EXPECT_EQ(std::ranges::adjacent_find(elements), elements.end());
  const auto has = [&](std::int64_t element) {
    return std::ranges::binary_search(elements, element);
  };
  for (const std::int64_t corner :
       {std::int64_t{0}, kRow - 1, (kRows - 1) * kRow, kRows * kRow - 1})
    EXPECT_TRUE(has(corner)) << corner;
  std::int64_t lefts = 0, rights = 0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    lefts += has(i * kRow) ? 1 : 0;
    rights += has(i * kRow + kRow - 1) ? 1 : 0;
  }
  EXPECT_GE(lefts, kRows);  // there is room for all
  EXPECT_GE(rights, kRows);
}

TEST(ElementsToCheck, LeavesRoomBesideTheEndsOfManyRows) {
  constexpr std::int64_t kRows = 1'000'000, kRow = 3, kMost = 10'000;
  const auto elements = elements_to_check(kRows * kRow, kMost, 7, kRow);
  EXPECT_LE(elements.size(), 10'000U);
  const auto middles =
      std::ranges::count_if(elements, [](std::int64_t element) { return element % kRow == 1; });
  EXPECT_GT(middles, 2000);
  EXPECT_FALSE(elements_to_check(5000, 4096, 1, 5000).empty());
}

TEST(AffordableElements, FollowTheReferencesCost) {
  const CheckLimits limits;
  EXPECT_EQ(affordable_elements(limits, 1, 1), limits.outputs);
  EXPECT_EQ(affordable_elements(limits, 1024, 1), limits.outputs);
  EXPECT_EQ(affordable_elements(limits, 4096, 1), limits.multiply_adds / 4096);
  EXPECT_EQ(affordable_elements(limits, 4096, 2), limits.multiply_adds / 8192);
  EXPECT_EQ(affordable_elements(limits, limits.multiply_adds, 1), 4096);
  EXPECT_EQ(affordable_elements({100, 1}, 1, 1), 100);
}

class Squares : public HostReference {
 public:
  double at(int argument, std::int64_t index) const override {
    return static_cast<double>(argument * index * index);
  }
  std::int64_t multiply_adds() const override { return 1; }
};

TEST(Expect, AsksTheReferenceForEachElement) {
  std::vector<std::int64_t> elements(5000);
  std::iota(elements.begin(), elements.end(), 10);
  const Expected expected = expect(Squares(), 2, elements);
  EXPECT_EQ(expected.argument, 2);
  EXPECT_EQ(expected.elements, elements);
  for (std::size_t i = 0; i < elements.size(); ++i)
    ASSERT_EQ(expected.values[i], static_cast<double>(2 * elements[i] * elements[i]));
}

TEST(ExpectedFrom, ReadsTheChosenElements) {
  const auto bytes = to_bytes<std::int32_t>({5, -6, 7, -8});
  const Expected expected =
      expected_from(bytes, make_buffer("y", 4, ElementType::int32), 3, {1, 3});
  EXPECT_EQ(expected.argument, 3);
  EXPECT_EQ(from_bytes<std::int32_t>(expected.rounded), (std::vector<std::int32_t>{-6, -8}));
}

// C = A · B of width³, as a session asks for it.
std::vector<Expected> product_of(std::int64_t width, const CheckLimits& limits) {
  SessionProblem problem;
  problem.problem = {"gemm", {{"M", width}, {"N", width}, {"K", width}}};
  const std::int64_t count = width * width;
  problem.buffers = {make_buffer("a", count), make_buffer("b", count),
                     make_buffer("c", count, ElementType::float32, ArgumentRole::output)};
  problem.reference.builtin = "gemm";
  const ArgumentData data = {
      fill_buffer(problem.buffers[0], 0, 1), fill_buffer(problem.buffers[1], 1, 1), {}};
  return builtin_answers(problem, data, limits, 1);
}

TEST(BuiltinAnswers, ChecksAsMuchAsItsBudgetPaysFor) {
  const auto all = product_of(100, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().argument, 2);
  EXPECT_EQ(all.front().elements.size(), 10'000U);
  const auto some = product_of(100, {1 << 20, 500'000});
  EXPECT_LE(some.front().elements.size(), 5000U);
  EXPECT_GT(some.front().elements.size(), 4500U);
  for (std::size_t i = 0; i < some.front().elements.size(); ++i)
    ASSERT_EQ(some.front().values[i],
              all.front().values[static_cast<std::size_t>(some.front().elements[i])]);
}

TEST(GivenAnswers, AreReadFromTheFilesOfTheOutputs) {
  const FolderOfFiles folder;
  const auto bytes = to_bytes<std::int32_t>({5, -6, 7});
  SessionProblem problem;
  problem.buffers = {make_buffer("x", 3),
                     make_buffer("y", 3, ElementType::int32, ArgumentRole::output)};
  problem.reference.given[1] = folder.write("y", {bytes.begin(), bytes.end()});
  const std::vector<Expected> answers = given_answers(problem, 1);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].argument, 1);
  EXPECT_EQ(answers[0].rounded, bytes);
  problem.buffers[1].count = 4;
  EXPECT_THROW(given_answers(problem, 1), InputError);
}

}  // namespace
}  // namespace tilewright
