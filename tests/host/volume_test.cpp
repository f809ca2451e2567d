// conv3d/halo gives right answers without a GPU: every queue and way of loading with every
// boundary, on ragged and tiny volumes, volumes smaller than the filter, and any anchor; the
// operation's checks are proved with each of them.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/convolution_space.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

const Library& volume_templates() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library;
}

void prove_volume(const Assignments& problem, const Assignments& wheres, std::size_t turn = 0) {
  const Family& family = volume_templates().family("conv3d");
  prove_conditions(family, with_fewer_values(family.implementation("halo")), problem, wheres,
                   {turn, 3});
}

// Every queue with some way of loading, and several stages.
const Assignments kQueues = {"QUEUE == 'registers' && LOADING == 'split' && OUTPUTS_Y > 1",
                             "QUEUE == 'registers' && LOADING == 'async' && FILTER == 'value'",
                             "QUEUE == 'shared' && LOADING == 'split' && OUTPUTS_X == 4",
                             "QUEUE == 'shared' && LOADING == 'async' && STAGES > 2",
                             "QUEUE == 'none' && LOADING == 'split' && PLANES > 2",
                             "QUEUE == 'none' && LOADING == 'async'"};

TEST(HostConv3d, ZeroWithAnOddFilter) {
  prove_volume({"width=70", "height=21", "depth=19", "pitch=72", "filter_width=5",
                "filter_height=3", "boundary=zero"},
               kQueues, 0);
}

TEST(HostConv3d, ReplicateWithAnEvenFilterReversed) {
  prove_volume({"width=67", "height=18", "depth=11", "filter_width=4", "filter_height=6",
                "filter_depth=2", "boundary=replicate", "flip=yes"},
               kQueues, 1);
}

TEST(HostConv3d, ReflectWithAFilterPerChannel) {
  prove_volume(
      {"width=36", "height=13", "depth=7", "pitch=40", "filter_width=7", "filter_height=2",
       "filter_depth=3", "channels=3", "batch=2", "filters=per_channel", "boundary=reflect"},
      kQueues, 2);
}

TEST(HostConv3d, MirrorWithAnchorsAtAndBeyondTheFiltersEdges) {
  prove_volume(
      {"width=36", "height=15", "depth=12", "filter_width=3", "filter_height=9", "filter_depth=4",
       "anchor_x=0", "anchor_y=8", "anchor_z=3", "boundary=mirror", "flip=yes"},
      kQueues, 0);
  prove_volume({"width=36", "height=15", "depth=12", "filter_width=3", "filter_depth=5",
                "anchor_x=-5", "anchor_y=4", "anchor_z=-2", "boundary=mirror"},
               kQueues, 1);
}

// Planes of zeros before and behind the volume, and so many that outputs need nothing else.
TEST(HostConv3d, ZeroWithAnchorsBeyondTheFiltersEdges) {
  for (const std::string anchor : {"-3", "7", "-40", "40"})
    prove_volume({"width=33", "height=9", "depth=21", "filter_width=3", "filter_depth=4",
                  "anchor_z=" + anchor, "boundary=zero"},
                 kQueues, 2);
}

TEST(HostConv3d, WrapWithAFilterLargerThanTheVolume) {
  prove_volume(
      {"width=7", "height=5", "depth=3", "filter_width=9", "filter_height=8", "boundary=wrap"},
      kQueues, 1);
}

TEST(HostConv3d, OneTap) {
  prove_volume(
      {"width=70", "height=11", "depth=5", "pitch=72", "filter_width=1", "boundary=reflect"},
      kQueues, 2);
}

TEST(HostConv3d, TheLargestFilter) {
  prove_volume({"width=40", "height=14", "depth=12", "filter_width=9", "boundary=mirror"},
               {"QUEUE == 'registers' && OUTPUTS_X == 4", "QUEUE == 'shared' && UNROLL == 64"}, 0);
}

TEST(HostConv3d, RowsOfTheFilterInALoopWithSomeLeftOver) {
  prove_volume({"width=40", "height=14", "depth=9", "filter_width=3", "filter_height=9"},
               {"UNROLL == 2", "UNROLL == 4 && QUEUE == 'registers'"});
}

// Boxes with each boundary; of a part of the proofs one queue and one problem for each, in turn.
TEST(HostConv3d, Boxes) {
  const Assignments wheres = {"QUEUE == 'registers' && LOADING == 'bulk'",
                              "QUEUE == 'shared' && LOADING == 'bulk'",
                              "QUEUE == 'none' && LOADING == 'bulk'"};
  std::size_t turn = 0;
  for (const std::string boundary : {"zero", "replicate", "reflect", "mirror", "wrap"}) {
    const bool is_first = turn % 2 == 0;
    if (proves_in_full() || is_first)
      prove_volume({"width=70", "height=21", "depth=19", "pitch=72", "filter_width=5",
                    "filter_depth=4", "channels=2", "filters=per_channel", "boundary=" + boundary},
                   wheres, turn);
    ++turn;
    if (proves_in_full() || !is_first)
      prove_volume({"width=12", "height=9", "depth=3", "filter_width=8", "boundary=" + boundary},
                   wheres, turn);
  }
}

TEST(HostConv3d, MoreMarchesThanAGridIsDeep) {
  Family family = volume_templates().family("conv3d");
  family.operation.checks.clear();  // so many volumes of a larger size would be too many
  const Implementation trimmed = with_fewer_values(family.implementation("halo"));
  prove_conditions(family, trimmed,
                   {"width=2", "height=1", "depth=2", "filter_width=1", "filter_depth=2",
                    "channels=65536", "filters=per_channel"},
                   {"QUEUE == 'none' && PLANES == 1 && LOADING == 'async'",
                    "QUEUE == 'registers' && LOADING == 'async'"},
                   {0, 2});
}

void prove_steps(const std::string& implementation, const Assignments& problem,
                 const Assignments& wheres, std::size_t turn = 0) {
  const Family& family = volume_templates().family("stencil3d");
  prove_conditions(family, with_fewer_values(family.implementation(implementation)), problem,
                   wheres, {turn, 3});
}

const Assignments kStarLoadings = {"LOADING == 'split' && STAGES == 1 && OUTPUTS_Y > 1",
                                   "LOADING == 'async' && OUTPUTS_X == 4",
                                   "LOADING == 'bulk' && STAGES > 2"};

const Assignments kStarBoundaries = {"zero", "replicate", "reflect", "mirror", "wrap", "fixed"};

// Of a part of the proofs, one of the radii with each boundary, in turn.
TEST(HostStencil3d, OneStepOfEachRadiusWithEachBoundary) {
  for (std::size_t i = 0; i < kStarBoundaries.size(); ++i)
    for (const std::string radius : {"1", "4"})
      if (proves_in_full() || (radius == "1") == (i % 2 == 0))
        prove_steps("march",
                    {"width=70", "height=21", "depth=19", "pitch=72", "radius=" + radius,
                     "boundary=" + kStarBoundaries[i]},
                    kStarLoadings, i);
}

TEST(HostStencil3d, VolumesSmallerThanTheStar) {
  for (std::size_t i = 0; i < kStarBoundaries.size(); ++i)
    prove_steps("march",
                {"width=7", "height=3", "depth=2", "pitch=8", "radius=4", "batch=2", "steps=2",
                 "boundary=" + kStarBoundaries[i]},
                kStarLoadings, i);
}

TEST(HostStencil3d, NoStepAndSeveral) {
  for (const std::string steps : {"0", "2", "5"})
    prove_steps("march",
                {"width=37", "height=18", "depth=9", "batch=2", "radius=2", "steps=" + steps,
                 "boundary=mirror"},
                {"LOADING == 'async' && PLANES == 4", "LOADING == 'split'"});
}

// Of an odd and an even number of launches, with steps left over or not. Of a part of the proofs
// every other boundary, and two of the others with larger stars.
TEST(HostStencil3d, StepsThatAreFused) {
  const std::vector<std::string> steps = {"2", "5", "7"};
  for (std::size_t i = 0; i < kStarBoundaries.size(); i += proves_in_full() ? 1U : 2U) {
    const std::string count = steps[i % steps.size()];
    const std::string more = count == "2" ? "FUSED == 2" : "FUSED == 4";
    prove_steps("fused_steps",
                {"width=70", "height=37", "depth=19", "pitch=72", "steps=" + count,
                 "boundary=" + kStarBoundaries[i]},
                {"FUSED == 2 && LOADING == 'split'", "LOADING == 'async' && OUTPUTS_X == 4",
                 more + " && LOADING == 'bulk'"},
                i);
  }
}

TEST(HostStencil3d, StepsThatAreFusedOfLargerStarsAndSmallVolumes) {
  const Assignments part = {"mirror", "fixed"};
  const Assignments all = {"zero", "reflect", "mirror", "wrap", "fixed"};
  for (const std::string& boundary : proves_in_full() ? all : part) {
    prove_steps("fused_steps",
                {"width=67", "height=33", "depth=12", "radius=2", "steps=3", "batch=2",
                 "boundary=" + boundary},
                {"FUSED == 2", "FUSED == 2 && PLANES == 4 && OUTPUTS_X == 4"});
    prove_steps("fused_steps",
                {"width=5", "height=3", "depth=2", "radius=3", "steps=2", "boundary=" + boundary},
                {"LOADING == 'async'"});
  }
}

}  // namespace
}  // namespace tilewright::test
