// The implementations of conv2d_separable give right answers on the GPU: every way of loading with
// every boundary, on ragged and tiny sizes and sizes smaller than the filters.
#include <gtest/gtest.h>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/general_proofs.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

class Separable : public GpuTest {
 protected:
  // `count` configurations of an implementation for each of the conditions.
  void prove(const std::string& implementation, const Assignments& problem,
             const Assignments& conditions, std::size_t count = 1) {
    const Implementation trimmed = with_fewer_values(family().implementation(implementation));
    ProofRunner runner(family(), trimmed, proof_bench(device()));
    runner.open(problem);
    for (const std::string& condition : conditions) {
      const std::size_t before = runner.proven();
      for (const Configuration& configuration : runner.sample(count, condition))
        runner.prove_and_time(configuration);
      EXPECT_GT(runner.proven(), before) << implementation << ": nothing ran where " << condition;
    }
  }

  static const Family& family() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library.family("conv2d_separable");
  }
};

class SeparableByBoundary : public Separable, public testing::WithParamInterface<const char*> {
 protected:
  // Every way of loading.
  void prove_all(Assignments problem) {
    problem.push_back(std::string("boundary=") + GetParam());
    prove("two_pass", problem, {"LOADING == 'cooperative'", "LOADING == 'async' && EARLY == 0"});
    prove("fused", problem,
          {"LOADING == 'cooperative'", "LOADING == 'async' && MARCH == 1",
           "LOADING == 'async' && MARCH > 1", "LOADING == 'cache'"});
    prove("march", problem,
          {"LOADING == 'cooperative'", "LOADING == 'async' && STAGES == 2",
           "LOADING == 'async' && STAGES > 2 && UNROLL > 1", "LOADING == 'cache'"});
    if (device().compute_capability < kFirstCapabilityWithTensorMaps) return;
    prove("two_pass", problem, {"EARLY == 1"});
  }

  void prove_boxes(Assignments problem) {
    if (device().compute_capability < kFirstCapabilityWithTensorMaps)
      GTEST_SKIP() << "this device has no bulk copies";
    problem.push_back(std::string("boundary=") + GetParam());
    prove("fused", problem, {"LOADING == 'bulk'"}, 2);
    prove("march", problem, {"LOADING == 'bulk' && STAGES == 2", "LOADING == 'bulk' && STAGES > 2"},
          2);
  }
};

TEST_P(SeparableByBoundary, OddFiltersAndRowsInVectors) {
  prove_all({"width=1001", "height=301", "pitch=1004", "filter_width=7"});
}

TEST_P(SeparableByBoundary, EvenFiltersReversedAndRowsWithoutVectors) {
  prove_all({"width=1001", "height=301", "filter_width=4", "filter_height=6", "flip=yes"});
}

TEST_P(SeparableByBoundary, FiltersPerChannel) {
  prove_all({"width=130", "height=67", "pitch=132", "filter_width=3", "channels=5", "batch=3",
             "filters=per_channel"});
}

TEST_P(SeparableByBoundary, AnchorsAtAndBeyondTheFiltersEdges) {
  prove_all({"width=201", "height=101", "pitch=204", "filter_width=15", "filter_height=3",
             "anchor_x=0", "anchor_y=5"});
}

TEST_P(SeparableByBoundary, ImageSmallerThanTheFilters) {
  prove_all({"width=12", "height=9", "filter_width=15", "filter_height=20"});
}

TEST_P(SeparableByBoundary, BoxesOfARaggedImage) {
  prove_boxes({"width=1001", "height=301", "pitch=1008", "filter_width=7"});
  prove_boxes({"width=1001", "height=301", "pitch=1008", "filter_width=9", "type=float16"});
}

TEST_P(SeparableByBoundary, BoxesOfFiltersPerChannel) {
  prove_boxes({"width=130", "height=67", "pitch=132", "filter_width=4", "filter_height=6",
               "channels=5", "batch=3", "filters=per_channel", "flip=yes"});
}

TEST_P(SeparableByBoundary, BoxesOfAnImageSmallerThanTheFilters) {
  prove_boxes({"width=12", "height=9", "filter_width=31"});
}

TEST_F(Separable, TheLongestFilters) {
  for (const char* implementation : {"two_pass", "fused", "march"})
    prove(implementation, {"width=400", "height=350", "filter_width=129"}, {"1"}, 4);
}

class SeparableGeneral : public Separable, public testing::WithParamInterface<const char*> {};

TEST_P(SeparableGeneral, OnRandomProblems) {
  prove_general(family(), GetParam(), proof_bench(device()), {6, 20});
}

INSTANTIATE_TEST_SUITE_P(All, SeparableGeneral, testing::Values("two_pass", "fused", "march"),
                         parameter_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, SeparableByBoundary,
                         testing::Values("zero", "replicate", "reflect", "mirror", "wrap"),
                         parameter_name);

}  // namespace
}  // namespace tilewright::test
