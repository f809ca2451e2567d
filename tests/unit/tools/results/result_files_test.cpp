#include "tools/results/result_files.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

std::vector<Store::Imported> sweeps(std::size_t i, std::size_t count) {
  std::vector<Store::Imported> all(count);
  for (Store::Imported& one : all) one.sweep.uuid = std::to_string(i);
  return all;
}

TEST(ResultFiles, AreReadInParallelAndStayInTheirOrder) {
  constexpr std::size_t kFiles = 100;
  const auto all = sweeps_of_each(kFiles, [](std::size_t i) { return sweeps(i, i % 3); });
  std::vector<Store::Imported> expected;
  for (std::size_t i = 0; i < kFiles; ++i)
    for (const Store::Imported& one : sweeps(i, i % 3)) expected.push_back(one);
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].sweep.uuid, expected[i].sweep.uuid);
  EXPECT_TRUE(sweeps_of_each(0, [](std::size_t i) { return sweeps(i, 1); }).empty());
}

TEST(ResultFiles, TheFirstThatFailsIsNamed) {
  for (int turn = 0; turn < 20; ++turn) {
    try {
      sweeps_of_each(50, [](std::size_t i) -> std::vector<Store::Imported> {
        if (i % 10 == 7) throw InputError(std::to_string(i));
        return sweeps(i, 1);
      });
      FAIL() << "no exception";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

}  // namespace
}  // namespace tilewright::tools
