// conv2d/halo, conv1d/register and both fft give right answers on the GPU: every way of loading
// with every boundary, on ragged and tiny sizes and sizes smaller than the filter.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/general_proofs.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

class Convolution : public GpuTest {
 protected:
  // `count` configurations for which `where` holds.
  void prove_implementation(const std::string& operation, const std::string& implementation,
                            const Assignments& problem, const std::string& where,
                            std::size_t count) {
    const Family& family = templates().family(operation);
    const Implementation trimmed = with_fewer_values(family.implementation(implementation));
    ProofRunner runner(family, trimmed, proof_bench(device()));
    runner.open(problem);
    for (const Configuration& configuration : runner.sample(count, where))
      runner.prove_and_time(configuration);
    EXPECT_GT(runner.proven(), 0U) << "nothing ran where " << where;
  }

  void skip_without_bulk_copies() const {
    if (!IsSkipped() && device().compute_capability < kFirstCapabilityWithTensorMaps)
      GTEST_SKIP() << "this device has no bulk copies";
  }

  static const Library& templates() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library;
  }
};

class Conv2d : public Convolution {
 protected:
  void prove(const Assignments& problem, const std::string& where, std::size_t count) {
    prove_implementation("conv2d", "halo", problem, where, count);
  }
};

const auto kBoundaries = testing::Values("zero", "replicate", "reflect", "mirror", "wrap");

class Conv2dByThreads : public Conv2d, public testing::WithParamInterface<const char*> {
 protected:
  // Every way of loading but bulk copies, on an image and filter of these sizes.
  void prove_loadings(Assignments problem) {
    problem.push_back(std::string("boundary=") + GetParam());
    for (const std::string where : {"LOADING == 'cooperative' && OUTPUTS_X * OUTPUTS_Y > 1",
                                    "LOADING == 'split'", "LOADING == 'async' && MARCH == 1",
                                    "LOADING == 'async' && MARCH > 1", "LOADING == 'cache'"})
      prove(problem, where, 1);
  }
};

TEST_P(Conv2dByThreads, OddFilterAndRowsInVectors) {
  prove_loadings({"width=1001", "height=301", "pitch=1004", "filter_width=7"});
}

TEST_P(Conv2dByThreads, EvenFilterReversedAndRowsWithoutVectors) {
  prove_loadings({"width=1001", "height=301", "filter_width=4", "filter_height=6", "flip=yes"});
}

TEST_P(Conv2dByThreads, FilterPerChannel) {
  prove_loadings({"width=130", "height=67", "pitch=132", "filter_width=3", "channels=5", "batch=3",
                  "filters=per_channel"});
}

TEST_P(Conv2dByThreads, AnchorsAtAndBeyondTheFiltersEdges) {
  prove_loadings({"width=201", "height=101", "pitch=204", "filter_width=15", "filter_height=3",
                  "anchor_x=0", "anchor_y=5"});
}

TEST_P(Conv2dByThreads, ImageSmallerThanTheFilter) {
  prove_loadings({"width=12", "height=9", "filter_width=15", "filter_height=20"});
}

TEST_F(Conv2d, EightOutputsSideBySide) {
  for (const std::string width : {"1000", "1001"})
    for (const std::string boundary : {"zero", "mirror"})
      prove({"width=" + width, "height=301", "filter_width=6", "boundary=" + boundary},
            "OUTPUTS_X == 8", 4);
}

TEST_F(Conv2d, TheLargestFilter) {
  prove({"width=200", "height=150", "filter_width=63"}, "1", 4);
}

class Conv1d : public Convolution {};

class Conv1dByThreads : public Convolution, public testing::WithParamInterface<const char*> {};

TEST_P(Conv1dByThreads, LongAndShortFilters) {
  for (const auto& [length, taps] : std::map<std::string, std::string>{
           {"10007", "2"}, {"65536", "9"}, {"65540", "129"}, {"10008", "1025"}})
    for (const std::string loading : {"cooperative", "async"})
      prove_implementation("conv1d", "register",
                           {"length=" + length, "taps=" + taps, "batch=2", "flip=yes",
                            std::string("boundary=") + GetParam()},
                           "LOADING == '" + loading + "'", 1);
}

TEST_P(Conv1dByThreads, SignalShorterThanTheFilter) {
  prove_implementation("conv1d", "register",
                       {"length=5", "taps=33", "batch=2", std::string("boundary=") + GetParam()},
                       "1", 2);
}

TEST_F(Conv1d, OneTap) {
  prove_implementation("conv1d", "register", {"length=10007", "taps=1"}, "1", 4);
}

class Conv2dByBoxes : public Conv2d, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Conv2d::SetUp();
    skip_without_bulk_copies();
  }

  void prove_boxes(Assignments problem) {
    problem.push_back(std::string("boundary=") + GetParam());
    prove(problem, "LOADING == 'bulk' && MARCH == 1", 2);
    prove(problem, "LOADING == 'bulk' && MARCH > 1", 2);
  }
};

TEST_P(Conv2dByBoxes, RaggedImage) {
  prove_boxes({"width=1001", "height=301", "pitch=1004", "filter_width=7"});
}

TEST_P(Conv2dByBoxes, FilterPerChannel) {
  prove_boxes({"width=130", "height=67", "pitch=132", "filter_width=4", "filter_height=6",
               "channels=5", "batch=3", "filters=per_channel", "flip=yes"});
}

TEST_P(Conv2dByBoxes, AnchorsAtAndBeyondTheFiltersEdges) {
  prove_boxes({"width=201", "height=101", "pitch=204", "filter_width=15", "filter_height=3",
               "anchor_x=0", "anchor_y=5"});
}

TEST_P(Conv2dByBoxes, ImageSmallerThanTheFilter) {
  prove_boxes({"width=12", "height=9", "filter_width=31"});
}

class Conv1dByBulkCopies : public Convolution, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Convolution::SetUp();
    skip_without_bulk_copies();
  }
};

TEST_P(Conv1dByBulkCopies, LongAndShortSignals) {
  for (const std::string taps : {"2", "9", "129", "1025"})
    for (const std::string length : {"65536", "10004", "8"})
      prove_implementation(
          "conv1d", "register",
          {"length=" + length, "taps=" + taps, "batch=2", std::string("boundary=") + GetParam()},
          "LOADING == 'bulk'", 2);
}

class ByFourier : public Convolution, public testing::WithParamInterface<const char*> {
 protected:
  // Two configurations for each condition.
  void prove_each(const std::string& operation, Assignments problem, const Assignments& wheres) {
    problem.push_back(std::string("boundary=") + GetParam());
    for (const std::string& where : wheres)
      prove_implementation(operation, "fft", problem, where, 2);
  }
};

TEST_P(ByFourier, ImagesLargerAndSmallerThanTheFilter) {
  const std::vector<std::array<std::string, 3>> filters = {{"32", "32", "TILE_ROWS == 64"},
                                                           {"32", "32", "TILE_ROWS == 128"},
                                                           {"33", "34", "TILE_ROWS == 256"},
                                                           {"34", "33", "TILE_COLUMNS == 256"}};
  for (const std::string height : {"701", "9"})
    for (const auto& [columns, rows, tile] : filters)
      prove_each("conv2d",
                 {"width=1001", "height=" + height, "pitch=1004", "filter_width=" + columns,
                  "filter_height=" + rows},
                 {tile});
}

TEST_P(ByFourier, FilterPerChannelReversed) {
  for (const std::string filter : {"each_call", "prepared"})
    prove_each(
        "conv2d",
        {"width=130", "height=67", "filter_width=9", "filter_height=6", "channels=5", "batch=3",
         "filters=per_channel", "flip=yes", "anchor_x=-4", "anchor_y=13", "filter=" + filter},
        {"MULTIPLE == 1", "MULTIPLE == 8"});
}

TEST_P(ByFourier, LongAndShortSignals) {
  for (const std::string taps : {"16", "500", "4096"})
    for (const std::string length : {"65536", "10007", "999"})
      prove_each("conv1d", {"length=" + length, "taps=" + taps, "batch=2"}, {"TILE >= 4096"});
}

TEST_F(Conv2d, FourierOfTheLargestFilters) {
  prove_implementation("conv2d", "fft", {"width=500", "height=450", "filter_width=111"}, "1", 8);
}

TEST_F(Conv2d, FourierOfMorePlanesThanAGridIsDeep) {
  Family family = templates().family("conv2d");
  family.operation.checks.clear();
  const Implementation& fft = family.implementation("fft");
  ProofRunner runner(family, fft, proof_bench(device()));
  runner.open({"width=2", "height=1", "filter_width=7", "channels=35000", "batch=2"});
  for (const Configuration& configuration : runner.sample(2)) runner.prove(configuration);
  EXPECT_GT(runner.proven(), 0U);
}

class Conv1dGeneral : public Convolution, public testing::WithParamInterface<const char*> {};

TEST_P(Conv1dGeneral, OnRandomProblems) {
  const bool is_slow = GetParam() == std::string("fft");  // to compile
  prove_general(templates().family("conv1d"), GetParam(), proof_bench(device()),
                is_slow ? GeneralProofs{4, 12} : GeneralProofs{12, 30});
}

TEST_F(Conv2d, GeneralOnRandomProblems) {
  for (const std::string implementation : {"halo", "fft"})
    prove_general(templates().family("conv2d"), implementation, proof_bench(device()), {4, 12});
}

INSTANTIATE_TEST_SUITE_P(All, Conv1dGeneral, testing::Values("register", "halo", "fft"),
                         parameter_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, Conv2dByThreads, kBoundaries, parameter_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, ByFourier, kBoundaries, parameter_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, Conv1dByThreads, kBoundaries, parameter_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, Conv2dByBoxes, kBoundaries, parameter_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, Conv1dByBulkCopies, kBoundaries, parameter_name);

}  // namespace
}  // namespace tilewright::test
