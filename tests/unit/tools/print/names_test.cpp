#include "tools/print/names.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "campaign/texts.hpp"
#include "definition/problem.hpp"
#include "tools/print/launch_text.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

class NamesTest : public ::testing::Test {
 protected:
  Problem gemm(const Settings& values) const { return make_problem(family_.operation, values, {}); }

  const Library library_ = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  const Family& family_ = library_.family("gemm");
  const Implementation& naive_ = family_.implementation("naive");
};

TEST_F(NamesTest, AConfigurationIsWhatDiffersFromTheDefault) {
  Configuration configuration = default_configuration(naive_);
  EXPECT_EQ(configuration_text(naive_, configuration, Detail::brief), "the default");
  EXPECT_EQ(configuration_text(naive_, configuration, Detail::full), "BLOCK_X=16 BLOCK_Y=16");
  configuration.values["BLOCK_Y"] = std::int64_t{4};
  EXPECT_EQ(configuration_text(naive_, configuration, Detail::brief),
            "BLOCK_Y=4 (1 other: default)");
  Implementation bare;
  EXPECT_EQ(configuration_text(bare, {}, Detail::full), "no parameters");
  EXPECT_EQ(difference_text(naive_, default_configuration(naive_), configuration), "BLOCK_Y=4");
}

TEST_F(NamesTest, OptionsWithoutEffectAreNamedWithWhoHasThem) {
  std::ostringstream out;
  print_dropped_options(out, family_.operation);
  print_dropped_options(out, naive_);
  EXPECT_EQ(out.str(), "");
  Operation operation;
  operation.reference.dropped_options = {"-O3", "-Xcompiler -Wall"};
  operation.kernel_fills["x"].dropped_options = {"-lm"};
  print_dropped_options(out, operation);
  Implementation implementation;
  implementation.dropped_options = {"-O2"};
  print_dropped_options(out, implementation);
  EXPECT_EQ(out.str(),
            "  options of the reference without effect: -O3 -Xcompiler -Wall\n"
            "  options of the kernel that fills x without effect: -lm\n"
            "  options without effect: -O2\n");
}

TEST_F(NamesTest, AConfigurationIsInTheManifestsOrder) {
  const Implementation& blocked = family_.implementation("blocked");
  Configuration configuration = default_configuration(blocked);
  configuration.values["STAGES"] = std::int64_t{3};
  configuration.values["BLOCK_M"] = std::int64_t{32};
  EXPECT_TRUE(configuration_text(blocked, configuration, Detail::brief)
                  .starts_with("BLOCK_M=32 STAGES=3 ("));
}

TEST_F(NamesTest, WhatIsNotDefinedIsPrintedWhole) {
  const StoredNames names(library_, Detail::brief);
  const Configuration configuration{{{"B", std::int64_t{2}}, {"A", std::int64_t{1}}}};
  EXPECT_EQ(names.configuration("mine/fast", configuration), "A=1 B=2");
  EXPECT_EQ(names.problem({"mine", {{"n", std::int64_t{3}}}}), "n=3");
  EXPECT_EQ(names.implementation("gemm/absent"), nullptr);
}

TEST_F(NamesTest, AProblemJoinsEqualSizesAndOmitsWhatIsImplied) {
  const std::int64_t side = 512;
  EXPECT_EQ(problem_text(family_.operation, gemm({{"M", side}, {"N", side}, {"K", side}})),
            "M=N=K=512");
  EXPECT_EQ(problem_text(family_.operation, gemm({{"M", side},
                                                  {"N", std::int64_t{8}},
                                                  {"K", side},
                                                  {"batch", std::int64_t{2}},
                                                  {"type_a", std::string("bfloat16")}})),
            "M=512 N=8 K=512 batch=2 type_a=bfloat16");
}

TEST(Ratios, AreNeverPercentages) {
  EXPECT_EQ(faster_text(610, 100), "6.1x faster");
  EXPECT_EQ(faster_text(100, 102), "1.02x slower");
  EXPECT_EQ(faster_text(100, 100.4), "equal");
  EXPECT_EQ(faster_text(54321, 100), "543x faster");
  EXPECT_EQ(faster_text(0, 100), "");
  EXPECT_EQ(faster_text(100, 0), "");
}

// From 100 µs to 140 µs is slower, and back is faster.
TEST(Ratios, GoFromTheFirstTimeToTheSecond) {
  EXPECT_EQ(faster_text(100, 140), "1.4x slower");
  EXPECT_EQ(faster_text(140, 100), "1.4x faster");
  EXPECT_EQ(faster_than_text(100, 140, "stored"), "1.4x slower than stored");
  EXPECT_EQ(faster_than_text(140, 100, "stored"), "1.4x faster than stored");
  EXPECT_EQ(faster_than_text(100, 100.4, "the best"), "as fast as the best");
  EXPECT_EQ(faster_than_text(0, 100, "the best"), "");
}

TEST(Rates, AreBothShownWhereBothAreKnown) {
  EXPECT_EQ(rate_text({42700, 251}), "42.7 TFLOP/s, 251 GB/s");
  EXPECT_EQ(rate_text({0, 4100}), "4.10 TB/s");
  EXPECT_EQ(rate_text({}), "");
}

TEST_F(NamesTest, AProblemOfAllDefaultsIsItsNameAlone) {
  EXPECT_EQ(named_problem("gemm", ""), "gemm");
  EXPECT_EQ(named_problem("gemm", "M=8"), "gemm M=8");
}

TEST_F(NamesTest, ATileHasItsLaunches) {
  const Tile tile{&family_.operation, &naive_, gemm({}), default_configuration(naive_), {}};
  EXPECT_EQ(launch_texts(launches_of(tile)),
            std::vector<std::string>{"gemm_naive grid 64x64, block 16x16"});
}

TEST(Causes, AreTheFirstErrorOfALog) {
  EXPECT_EQ(cause_of("k.cu(3): warning #177: unused\nk.cu(7): error: no such name\n1 error"),
            "k.cu(7): error: no such name");
  EXPECT_EQ(cause_of("ptxas fatal   : Unresolved extern function 'f'\nmore"),
            "ptxas fatal   : Unresolved extern function 'f'");
  EXPECT_EQ(cause_of("an illegal address\nand more"), "an illegal address");
  EXPECT_EQ(cause_of(std::string()), "");
  Trial trial;
  trial.outcome = Outcome::unsupported;
  trial.message = "the host device has no cuda/std\nk.cu:1:1: fatal error: no such file";
  EXPECT_EQ(cause_of(trial), "the host device has no cuda/std");
}

}  // namespace
}  // namespace tilewright::tools
