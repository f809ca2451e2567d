// conv3d/halo and the implementations of stencil3d give right answers on the GPU: every queue and
// way of loading with every boundary, on ragged and tiny volumes and volumes smaller than the
// filter.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/general_proofs.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

class Volumes : public GpuTest, public testing::WithParamInterface<const char*> {
 protected:
  // One configuration for each condition that holds for any on this device.
  void prove(const std::string& operation, const std::string& implementation, Assignments problem,
             const Assignments& wheres) {
    problem.push_back(std::string("boundary=") + GetParam());
    const Family& family = templates().family(operation);
    const Implementation trimmed = with_fewer_values(family.implementation(implementation));
    ProofRunner runner(family, trimmed, proof_bench(device()));
    runner.open(problem);
    for (const std::string& where : wheres) {
      const bool boxes = where.find("'bulk'") != std::string::npos;
      if (boxes && device().compute_capability < kFirstCapabilityWithTensorMaps) continue;
      for (const Configuration& configuration : runner.sample(2, where))
        runner.prove_and_time(configuration);
    }
    EXPECT_GT(runner.proven(), 0U);
  }

  static const Library& templates() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library;
  }
};

class Conv3d : public Volumes {
 protected:
  void prove_queues(const Assignments& problem) {
    prove(
        "conv3d", "halo", problem,
        {"QUEUE == 'registers' && LOADING == 'split'", "QUEUE == 'registers' && LOADING == 'async'",
         "QUEUE == 'registers' && LOADING == 'bulk'", "QUEUE == 'shared' && LOADING == 'split'",
         "QUEUE == 'shared' && LOADING == 'async'", "QUEUE == 'shared' && LOADING == 'bulk'",
         "QUEUE == 'none' && LOADING == 'async'", "QUEUE == 'none' && LOADING == 'bulk'"});
  }
};

TEST_P(Conv3d, OddFilterAndRowsInVectors) {
  prove_queues({"width=201", "height=67", "depth=45", "pitch=204", "filter_width=5"});
}

TEST_P(Conv3d, EvenFilterReversedAndPerChannel) {
  prove_queues({"width=132", "height=35", "depth=19", "filter_width=4", "filter_height=6",
                "filter_depth=2", "channels=3", "batch=2", "filters=per_channel", "flip=yes"});
}

TEST_P(Conv3d, VolumeSmallerThanTheFilter) {
  prove_queues({"width=4", "height=5", "depth=3", "filter_width=9"});
}

TEST_P(Conv3d, AnchorsBeyondTheFiltersEdges) {
  prove_queues({"width=72", "height=21", "depth=19", "filter_width=3", "anchor_x=-5", "anchor_y=7",
                "anchor_z=9"});
}

class Stencil3d : public Volumes {
 protected:
  void prove_march(const Assignments& problem) {
    prove("stencil3d", "march", problem,
          {"LOADING == 'split'", "LOADING == 'async'", "LOADING == 'bulk'"});
  }
};

TEST_P(Stencil3d, OneStepOfEachRadius) {
  for (const std::string radius : {"1", "2", "3", "4"})
    prove_march({"width=201", "height=67", "depth=45", "pitch=204", "radius=" + radius});
}

TEST_P(Stencil3d, StepsOfSmallVolumes) {
  for (const std::string steps : {"0", "2", "5"})
    prove_march({"width=12", "height=5", "depth=3", "batch=2", "radius=4", "steps=" + steps});
}

TEST_P(Stencil3d, FusedSteps) {
  for (const std::string steps : {"4", "5", "7"})
    prove("stencil3d", "fused_steps",
          {"width=201", "height=67", "depth=45", "pitch=204", "steps=" + steps},
          {"LOADING == 'split' && FUSED == 2", "LOADING == 'async' && FUSED == 3",
           "LOADING == 'bulk' && FUSED == 4"});
  if (std::string(GetParam()) == "replicate") return;  // of a radius of 1 only
  prove("stencil3d", "fused_steps",
        {"width=132", "height=35", "depth=19", "batch=2", "radius=2", "steps=3"},
        {"LOADING == 'split'", "LOADING == 'async'", "LOADING == 'bulk'"});
}

// An operation and its implementation.
using OfOperation = std::pair<const char*, const char*>;
class GeneralVolumes : public GpuTest, public testing::WithParamInterface<OfOperation> {};

TEST_P(GeneralVolumes, OnRandomProblems) {
  const auto [operation, implementation] = GetParam();
  const Library library = Library::load({source_folder() / "kernel_templates"});
  prove_general(library.family(operation), implementation, proof_bench(device()), {6, 20});
}

INSTANTIATE_TEST_SUITE_P(All, GeneralVolumes,
                         testing::Values(OfOperation("conv3d", "halo"),
                                         OfOperation("stencil3d", "march"),
                                         OfOperation("stencil3d", "fused_steps")),
                         [](const auto& named) {
                           return std::string(named.param.first) + "_" + named.param.second;
                         });
INSTANTIATE_TEST_SUITE_P(Boundaries, Conv3d,
                         testing::Values("zero", "replicate", "reflect", "mirror", "wrap"),
                         parameter_name);
INSTANTIATE_TEST_SUITE_P(Boundaries, Stencil3d,
                         testing::Values("zero", "replicate", "reflect", "mirror", "wrap", "fixed"),
                         parameter_name);

}  // namespace
}  // namespace tilewright::test
