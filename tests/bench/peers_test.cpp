// What of tilewright-peers needs no GPU.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bench/peers/cases/cases.hpp"
#include "bench/peers/cases/filter_shape.hpp"
#include "bench/peers/results.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/bench/case_problem.hpp"

namespace tilewright::bench {
namespace {

TEST(PeerCases, AreProblemsWithNamesOfTheirOwnAndRivals) {
  std::set<std::string> names;
  for (const Case& item : cases()) {
    EXPECT_TRUE(names.insert(item.name).second) << item.name;
    EXPECT_NO_THROW(problem_of(item)) << item.name;
    EXPECT_FALSE(rivals_of(item).empty()) << item.name;
  }
}

TEST(PeerCases, KernelTunersAlgorithmHasTheSameOutputs) {
  const Family family = load_manifest(TILEWRIGHT_PEERS_MANIFEST, Library{});
  EXPECT_EQ(family.operation.name, kKernelTuner);
  const auto same = kernel_tuner_problem(problem_of(case_named("conv2d-4096x4096-k3x15")));
  ASSERT_TRUE(same);
  EXPECT_EQ(to_text(*same), "filter_height=15 filter_width=3 height=4096 width=4096");
  EXPECT_NO_THROW(make_problem(family.operation, *same, Device{}));
}

TEST(PeerCases, KernelTunersAlgorithmIsLeftOutWhereItCannot) {
  for (const char* name : {"conv2d-4096x4096-k4x4", "conv2d-4096x4096-k63x63",
                           "depthwise-8x64x256x256-k7x7", "conv1d-16777216-t9"})
    EXPECT_FALSE(kernel_tuner_problem(problem_of(case_named(name)))) << name;
}

TEST(FilterShapes, AnImageIsAsTheProblemSays) {
  const FilterShape shape = filter_shape(problem_of(case_named("depthwise-8x64x256x256-k7x7")));
  EXPECT_EQ(shape.width, 256);
  EXPECT_EQ(shape.pitch, 256);
  EXPECT_EQ(shape.planes(), 512);
  EXPECT_EQ(shape.taps(), 49);
  EXPECT_EQ(shape.anchor_y, 3);
  EXPECT_TRUE(shape.own_filters);
  EXPECT_EQ(shape.boundary, "zero");
}

TEST(FilterShapes, ASignalIsAnImageOfOneRow) {
  const FilterShape shape = filter_shape(problem_of(case_named("conv1d-16777216-t33")));
  EXPECT_EQ(shape.width, 1 << 24);
  EXPECT_EQ(shape.height, 1);
  EXPECT_EQ(shape.filter_width, 33);
  EXPECT_EQ(shape.filter_height, 1);
  EXPECT_EQ(shape.anchor_x, 16);
  EXPECT_EQ(shape.anchor_y, 0);
  EXPECT_FALSE(shape.own_filters);
}

TEST(FilterShapes, ASeparableFilterIsOneOfRowsAndOneOfColumns) {
  const FilterShape shape = filter_shape(problem_of(case_named("separable-4096x4096-r6")));
  EXPECT_EQ(shape.filter_width, 13);
  EXPECT_EQ(shape.filter_height, 13);
  const FilterShape rows = rows_of(shape);
  EXPECT_EQ((std::vector{rows.filter_width, rows.filter_height, rows.anchor_x, rows.anchor_y}),
            (std::vector{13, 1, 6, 0}));
  const FilterShape columns = columns_of(shape);
  EXPECT_EQ((std::vector{columns.filter_width, columns.filter_height, columns.anchor_x,
                         columns.anchor_y}),
            (std::vector{1, 13, 0, 6}));
  EXPECT_EQ(columns.width, 4096);
}

TEST(PeerCases, LibrariesFilterRowsAndColumnsOfFloat32Only) {
  EXPECT_EQ(rivals_of(case_named("separable-4096x4096-r6")).size(), 3U);
  EXPECT_EQ(rivals_of(case_named("separable-4096x4096-r6-bfloat16")).size(), 1U);
}

TEST(FilterShapes, FlippedFiltersAreRefused) {
  Case item = case_named("conv1d-16777216-t9");
  item.problem["flip"] = "yes";
  EXPECT_THROW(filter_shape(problem_of(item)), CannotCompete);
}

TEST(FastestOf, TakesTheLeastTimeAndPassesOverWhatCannot) {
  const std::vector<double> times = {7, 3, 0, 5, 3};
  const auto time_us = [&](std::size_t i) {
    if (times[i] == 0) throw CannotCompete("cannot");
    return times[i];
  };
  EXPECT_EQ(fastest_of(times.size(), time_us), 1U);
}

TEST(FastestOf, NobodyLeftIsTheLastOnesReason) {
  const auto time_us = [](std::size_t i) -> double {
    throw CannotCompete("cannot " + std::to_string(i));
  };
  try {
    fastest_of(2, time_us);
    FAIL() << "two that cannot";
  } catch (const CannotCompete& error) {
    EXPECT_STREQ(error.what(), "cannot 1");
  }
  EXPECT_THROW(fastest_of(0, time_us), CannotCompete);
}

Timing timing(double us) {
  return summarise({us, us, us, us, us, us}, 8, 1980, 6);
}

Record record() {
  Match npp;
  npp.item = "one";
  npp.rival = "NPP";
  npp.note = "both replicate";
  npp.ours = {"conv2d/halo A=1", {}, timing(41)};
  npp.theirs = {"NPP 13.0", {}, timing(82)};
  npp.ratio = ratio_of(npp.theirs.timing, npp.ours.timing);
  npp.flops = 4e6;
  npp.bytes = 8e4;
  npp.floor_us = 20;
  Match other = npp;
  other.rival = "textbook";
  other.note.clear();
  other.ours.timing = timing(40);
  other.theirs = {"conv2d/halo A=0 (default)", {}, timing(100)};
  other.theirs.accuracy.message = "wrong here";
  other.ratio = ratio_of(other.theirs.timing, other.ours.timing);
  other.others = {{12, "train"}};
  Match absent;
  absent.item = "one";
  absent.rival = "cuDNN";
  absent.why_not = "not present (nowhere)";
  Record result;
  result.command = "tilewright-peers --db x";
  result.device.name = "GPU";
  result.environment = {"1.2", "13.0", "NVRTC 13.0", "0"};
  result.flops_per_us = 65.8e6;
  result.copies_us = {{1000, 5.0}};
  result.matches = {npp, other, absent};
  return result;
}

TEST(PeerRecord, HasALineForOursAndOneForEachRival) {
  std::ostringstream out;
  print(out, record());
  const std::string text = out.str();
  EXPECT_TRUE(
      text.starts_with("GPU, driver 1.2, CUDA 13.0, NVRTC 13.0, operands cold; "
                       "multiply-adds 65.8 TFLOP/s\n\n| case | "))
      << text;
  // Ours is the one measured on the case itself.
  EXPECT_NE(text.find("| one | **tilewright** | 40.0 | 1 | 2 | 0.1 | 50 % | 1980 | 0.0e+00 | "
                      "conv2d/halo A=1 |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | NPP | 82.0 | 2.000 (2.000–2.000) |"), std::string::npos) << text;
  EXPECT_NE(text.find("NPP 13.0; both replicate: ours 41.0 µs |"), std::string::npos) << text;
  EXPECT_NE(text.find("(default); outside our tolerance; not to be trusted: process 12 (train) "
                      "computed on the same GPU |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | cuDNN | – |  |  |  |  |  |  | not present (nowhere) |"),
            std::string::npos)
      << text;
}

TEST(PeerRecord, AsJsonKeepsEverySample) {
  const nlohmann::json json = json_of(record());
  EXPECT_EQ(json["command"], "tilewright-peers --db x");
  EXPECT_EQ(json["policy"], "cold");
  EXPECT_EQ(json["copies"][0]["bytes_each_way"], 4000);
  ASSERT_EQ(json["matches"].size(), 3U);
  EXPECT_EQ(json["matches"][0]["theirs"]["samples_us"].size(), 6U);
  EXPECT_EQ(json["matches"][0]["ratio"], 2);
  EXPECT_EQ(json["matches"][1]["theirs"]["wrong"], "wrong here");
  EXPECT_FALSE(json["matches"][0].contains("others"));
  EXPECT_EQ(json["matches"][1]["others"], nlohmann::json({"process 12 (train)"}));
  EXPECT_EQ(json["matches"][2]["why_not"], "not present (nowhere)");
  EXPECT_FALSE(json["matches"][2].contains("ratio"));
}

}  // namespace
}  // namespace tilewright::bench
