// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "db/exchange.hpp"
#include "samples.hpp"

namespace tilewright {
namespace {

BestRow row(std::int64_t size, std::int64_t width, double median_us) {
  BestRow row;
  row.trial = test::measured(width, median_us);
  row.implementation = "gemm/tiled";
  row.configuration = row.trial.configuration;
  row.problem = test::cube(size);
  row.device = test::h200();
  return row;
}

class ExchangeHeader : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("c++ --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no system C++ compiler";
  }
  // Compiles `program` beside the header; the compiler's exit status.
  int compile(const std::string& header, const std::string& program) {
    test::write_file(folder_ / "best.hpp", header);
    test::write_file(folder_ / "program.cpp", program);
    const std::string command = "c++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow " +
                                std::string("-Werror -fsyntax-only ") +
                                (folder_ / "program.cpp").string() + " 2>&1";
    return std::system(command.c_str());
  }

  test::Folder folder_;
};

TEST_F(ExchangeHeader, CompilesAloneAndAnswersAtCompileTime) {
  BestRow labels = row(64, 4, 7);
  labels.problem = {"conv1d", {{"boundary", "zero"}, {"length", std::int64_t{INT64_MIN}}}};
  labels.device.name = "odd \"name\" \\ ?\?/ caf\xC3\xA9";
  labels.configuration.values["LOADING"] = "halo";
  BestRow cold = row(1024, 2, 1);
  cold.policy.cache = CachePolicy::cold;
  const std::string header =
      export_header({row(2048, 16, 20.5), row(1024, 8, 10), row(1024, 32, 5), labels, cold});
  EXPECT_EQ(header.back(), '\n');
  EXPECT_EQ(compile(header, R"(
#include "best.hpp"
#include "best.hpp"
namespace best = tilewright_best;
constexpr auto* warm = best::find("gemm", "NVIDIA H200", {{"N", 1024}, {"K", 1024}, {"M", 1024}},
                                  "warm/graph");
static_assert(best::value(warm->configuration, "TILE_WIDTH") == 32);
static_assert(warm->median_us == 5 && warm->sm_count == 132);
constexpr auto* any = best::find("gemm", "NVIDIA H200", {{"N", 1024}, {"K", 1024}, {"M", 1024}});
static_assert(any->policy == "cold/graph");
static_assert(best::find("gemm", "NVIDIA H200", {{"M", 1024}, {"N", 1024}}) == nullptr);
static_assert(best::find("gemm", "NVIDIA H200", {{"M", 1024}, {"N", 1024}, {"K", 8}}) == nullptr);
static_assert(best::find("gemm", "NVIDIA H100", {{"M", 1024}, {"N", 1024}, {"K", 1024}}) == nullptr);
static_assert(best::find("gemm", "NVIDIA H200", {{"M", 1024}, {"N", 1024}, {"K", 1024}}, {}, 66) ==
              nullptr);
constexpr auto* odd = best::find("conv1d", "odd \"name\" \\ ?\?/ caf\303\251",
                                 {{"boundary", "zero"}, {"length", -9223372036854775807LL - 1}});
static_assert(best::label(odd->configuration, "LOADING") == "halo");
static_assert(best::value(odd->configuration, "LOADING", 5) == 5);
int main() {}
)"),
            0);
}

TEST_F(ExchangeHeader, IsASourceOfItsOwn) {
  EXPECT_EQ(compile("", export_header({row(2048, 16, 20.5)})), 0);
}

TEST_F(ExchangeHeader, CompilesWithoutRows) {
  EXPECT_EQ(compile(export_header({}), R"(
#include "best.hpp"
static_assert(tilewright_best::find("gemm", "x", {{"M", 1}}) == nullptr);
int main() {}
)"),
            0);
}

TEST(ExchangeHeaderText, DoesNotDependOnTheOrderOfTheRows) {
  std::vector<BestRow> rows = {row(1024, 8, 10), row(2048, 16, 20), row(512, 4, 5)};
  const std::string text = export_header(rows);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(export_header(rows), text);
}

}  // namespace
}  // namespace tilewright
