// The implementations of conv2d_separable give right answers without a GPU: every way of loading
// with every boundary, on ragged and tiny sizes, sizes smaller than the filters, filters of other
// lengths along rows than along columns, and any anchor; the operation's checks are proved with
// each of them.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/convolution_space.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

const Family& separable() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library.family("conv2d_separable");
}

void prove(const std::string& implementation, const Assignments& problem,
           const Assignments& conditions, Part part = {}) {
  prove_conditions(separable(), with_fewer_values(separable().implementation(implementation)),
                   problem, conditions, part);
}

// Each way of loading of each implementation; of a part of the proofs one of each, beginning with
// another one for each `number`.
void prove_all(const Assignments& problem, std::size_t number) {
  const Part part = {number, 4};
  prove(
      "two_pass", problem,
      {"LOADING == 'cooperative' && FILTER == 'value'", "LOADING == 'async' && FILTER == 'shared'"},
      part);
  prove("fused", problem,
        {"LOADING == 'cooperative' && OUTPUTS_X == 4", "LOADING == 'async' && MARCH == 1",
         "LOADING == 'async' && MARCH > 1 && FILTER == 'value'",
         "LOADING == 'cache' && MARCH == 1 && OUTPUTS_X > 1", "LOADING == 'cache' && MARCH > 1"},
        part);
  prove("march", problem,
        {"LOADING == 'cooperative' && OUTPUTS_X == 4 && FILTER == 'shared'",
         "LOADING == 'async' && STAGES == 2", "LOADING == 'async' && STAGES > 2 && UNROLL > 1",
         "LOADING == 'cache' && FILTER == 'value'"},
        part);
}

TEST(HostSeparable, ZeroWithOddFilters) {
  prove_all({"width=70", "height=45", "pitch=72", "filter_width=5", "boundary=zero"}, 0);
}

TEST(HostSeparable, ReplicateWithEvenFiltersReversed) {
  prove_all({"width=67", "height=45", "filter_width=4", "filter_height=6", "boundary=replicate",
             "flip=yes"},
            1);
}

TEST(HostSeparable, ReflectWithFiltersPerChannel) {
  prove_all({"width=70", "height=23", "pitch=72", "filter_width=7", "filter_height=2", "channels=3",
             "batch=2", "filters=per_channel", "boundary=reflect"},
            2);
}

TEST(HostSeparable, MirrorWithAnchorsAtAndBeyondTheFiltersEdges) {
  prove_all({"width=70", "height=45", "pitch=72", "filter_width=3", "filter_height=9", "anchor_x=0",
             "anchor_y=8", "boundary=mirror", "flip=yes"},
            1);
  prove_all({"width=70", "height=45", "pitch=76", "filter_width=3", "filter_height=5",
             "anchor_x=-5", "anchor_y=9", "boundary=mirror"},
            3);
}

TEST(HostSeparable, WrapWithFiltersLargerThanTheImage) {
  prove_all({"width=12", "height=9", "filter_width=15", "filter_height=31", "boundary=wrap"}, 1);
}

TEST(HostSeparable, OneTapAlongAnAxisOrBoth) {
  prove_all({"width=70", "height=45", "pitch=72", "filter_width=1", "boundary=reflect"}, 2);
  prove_all({"width=70", "height=45", "filter_width=1", "filter_height=2"}, 3);
  prove_all({"width=70", "height=45", "filter_width=2", "filter_height=1", "boundary=wrap"}, 0);
}

// Taps in a loop, with some left over.
TEST(HostSeparable, TheLongestFilters) {
  const Assignments problem = {"width=140", "height=30", "filter_width=129", "boundary=mirror"};
  const Part part = {1, 3};
  prove("two_pass", problem, {"STEP == 16", "STEP == 32", "STEP == 64"}, part);
  prove("fused", problem, {"STEP == 64 && LOADING == 'cache'", "LOADING == 'async' && MARCH > 1"},
        part);
  prove("march", problem, {"LOADING == 'async' && STEP == 16", "STEP == 64"}, part);
  prove("march", {"width=140", "height=300", "filter_width=20", "filter_height=37"},
        {"OUTPUTS_X == 4 && LOADING == 'async'", "OUTPUTS_X == 4 && LOADING == 'cache'"}, part);
}

// Boxes with each boundary; of a part of the proofs one problem for each, in turn.
TEST(HostSeparable, Boxes) {
  const std::vector<Assignments> problems = {
      {"width=201", "height=67", "pitch=208", "filter_width=7"},
      {"width=130", "height=47", "pitch=136", "filter_width=4", "filter_height=6", "channels=2",
       "batch=2", "filters=per_channel", "flip=yes", "type=bfloat16"},
      {"width=101", "height=61", "pitch=104", "filter_width=15", "filter_height=3", "anchor_x=0",
       "anchor_y=5", "type=float16"},
      {"width=12", "height=9", "filter_width=31", "type=float64"}};
  const std::size_t step = proves_in_full() ? 1 : problems.size();
  std::size_t first = 0;
  for (const std::string boundary : {"zero", "replicate", "reflect", "mirror", "wrap"}) {
    for (std::size_t i = first++ % step; i < problems.size(); i += step) {
      Assignments problem = problems[i];
      problem.push_back("boundary=" + boundary);
      prove("fused", problem, {"LOADING == 'bulk'"});
      prove("march", problem,
            {"LOADING == 'bulk' && STAGES == 2", "LOADING == 'bulk' && STAGES > 2 && UNROLL > 1"});
    }
  }
}

TEST(HostSeparable, MorePlanesThanAGridIsDeep) {
  Family family = separable();
  family.operation.checks.clear();  // so many planes of a larger image would be too many
  for (const auto& [implementation, condition] :
       {std::pair{"two_pass",
                  "COLUMNS_BLOCK_X * COLUMNS_BLOCK_Y == 64 && "
                  "ROWS_BLOCK_X * ROWS_BLOCK_Y == 64"},
        {"fused", "BLOCK_X * BLOCK_Y == 64"},
        {"march", "BLOCK == 32"}})
    prove_conditions(
        family, with_fewer_values(family.implementation(implementation)),
        {"width=2", "height=1", "filter_width=1", "channels=65536", "filters=per_channel"},
        {condition}, {});
}

}  // namespace
}  // namespace tilewright::test
