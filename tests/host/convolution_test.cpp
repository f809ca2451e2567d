// conv2d/halo and conv1d/register give right answers without a GPU: every way of loading with every
// boundary, on ragged and tiny sizes, sizes smaller than the filter, and any anchor; the
// operation's checks are proved with each of them.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/proof_runner.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

constexpr std::size_t kPlanes = kSanitized ? 1 : 2;
const std::size_t kProofStep = proves_in_full() ? 1 : 2;

std::size_t first_proof(std::size_t number) {
  return number % kProofStep;
}

const Library& convolution_templates() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library;
}

// `count` configurations of "conv2d/halo" and the like for which `where` holds.
void prove_implementation(const std::string& operation, const std::string& implementation,
                          const Assignments& problem, const std::string& where, std::size_t count) {
  const Family& family = convolution_templates().family(operation);
  const Implementation trimmed = with_fewer_values(family.implementation(implementation));
  ProofRunner runner(family, trimmed, host_bench());
  runner.open(problem);
  for (const Configuration& configuration : runner.sample(count, where))
    runner.prove(configuration);
  EXPECT_GT(runner.proven(), 0U) << "nothing was legal where " << where;
}

void prove(const Assignments& problem, const std::string& where, std::size_t count = kPlanes) {
  prove_implementation("conv2d", "halo", problem, where, count);
}

// Of a part of the proofs every second loading, beginning with another one for each `number`.
void prove_loadings(const Assignments& problem, std::size_t number) {
  const std::vector<std::string> wheres = {"LOADING == 'cooperative' && OUTPUTS_X * OUTPUTS_Y > 1",
                                           "LOADING == 'split'", "LOADING == 'async' && MARCH == 1",
                                           "LOADING == 'async' && MARCH > 1", "LOADING == 'cache'"};
  for (std::size_t i = first_proof(number); i < wheres.size(); i += kProofStep)
    prove(problem, wheres[i]);
}

TEST(HostConv2d, ZeroWithAnOddFilter) {
  prove_loadings({"width=70", "height=45", "pitch=72", "filter_width=5", "boundary=zero"}, 0);
}

TEST(HostConv2d, ReplicateWithAnEvenFilterReversed) {
  prove_loadings({"width=67", "height=45", "filter_width=4", "filter_height=6",
                  "boundary=replicate", "flip=yes"},
                 1);
}

TEST(HostConv2d, ReflectWithAFilterPerChannel) {
  prove_loadings({"width=70", "height=23", "pitch=72", "filter_width=7", "filter_height=2",
                  "channels=3", "batch=2", "filters=per_channel", "boundary=reflect"},
                 0);
}

TEST(HostConv2d, MirrorWithAnchorsAtAndBeyondTheFiltersEdges) {
  prove_loadings({"width=70", "height=45", "pitch=72", "filter_width=3", "filter_height=9",
                  "anchor_x=0", "anchor_y=8", "boundary=mirror", "flip=yes"},
                 1);
  prove_loadings({"width=70", "height=45", "pitch=76", "filter_width=3", "filter_height=5",
                  "anchor_x=-5", "anchor_y=9", "boundary=mirror"},
                 0);
}

TEST(HostConv2d, WrapWithAFilterLargerThanTheImage) {
  prove_loadings({"width=12", "height=9", "filter_width=15", "filter_height=31", "boundary=wrap"},
                 1);
}

TEST(HostConv2d, OneTap) {
  prove_loadings({"width=70", "height=45", "pitch=72", "filter_width=1", "boundary=reflect"}, 0);
}

TEST(HostConv2d, TheLargestFilter) {
  prove({"width=40", "height=30", "filter_width=63", "boundary=mirror"}, "FILTER == 'value'", 1);
  prove({"width=40", "height=30", "filter_width=63", "boundary=zero"}, "LOADING == 'async'", 1);
  prove({"width=40", "height=30", "filter_width=111", "accuracy=elementwise"},
        "LOADING == 'split' && OUTPUTS_X == 4", 1);
}

// Rows of shared memory in two parts, and edges that are zeros or whole vectors.
TEST(HostConv2d, EightOutputsSideBySide) {
  for (const std::string width : {"200", "133"})
    for (const std::string loading : {"split", "async"})
      prove({"width=" + width, "height=45", "filter_width=6"},
            "OUTPUTS_X == 8 && LOADING == '" + loading + "'", 1);
}

TEST(HostConv2d, RowsOfTheFilterInALoopWithSomeLeftOver) {
  for (const std::string unroll : {"2", "3", "4"})
    prove({"width=70", "height=45", "pitch=72", "filter_width=3", "filter_height=11"},
          "UNROLL == " + unroll, 1);
}

// Boxes with each boundary; of a part of the proofs one problem for each, in turn.
TEST(HostConv2d, Boxes) {
  const std::vector<Assignments> problems = {
      {"width=201", "height=67", "pitch=204", "filter_width=7"},
      {"width=130", "height=47", "pitch=132", "filter_width=4", "filter_height=6", "channels=2",
       "batch=2", "filters=per_channel", "flip=yes"},
      {"width=101", "height=61", "pitch=104", "filter_width=15", "filter_height=3", "anchor_x=0",
       "anchor_y=5"},
      {"width=12", "height=9", "filter_width=31"}};
  const std::size_t step = proves_in_full() ? 1 : problems.size();
  std::size_t first = 0;
  for (const std::string boundary : {"zero", "replicate", "reflect", "mirror", "wrap"}) {
    for (std::size_t i = first++ % step; i < problems.size(); i += step) {
      Assignments problem = problems[i];
      problem.push_back("boundary=" + boundary);
      prove(problem, "LOADING == 'bulk' && MARCH == 1", 1);
      prove(problem, "LOADING == 'bulk' && MARCH > 1", 1);
    }
  }
}

TEST(HostConv2d, MorePlanesThanAGridIsDeep) {
  Family family = convolution_templates().family("conv2d");
  family.operation.checks.clear();  // so many planes of a larger image would be too many
  const Implementation trimmed = with_fewer_values(family.implementation("halo"));
  ProofRunner runner(family, trimmed, host_bench());
  runner.open({"width=2", "height=1", "filter_width=1", "channels=65536", "filters=per_channel"});
  for (const Configuration& configuration : runner.sample(1, "BLOCK_X * BLOCK_Y == 64"))
    runner.prove(configuration);
  EXPECT_EQ(runner.proven(), 1U);
}

// A boundary with several loadings, on signals whose length is a multiple of four or not.
void prove_signals(const std::string& boundary, const std::string& flip,
                   const std::vector<Assignments>& sizes) {
  const std::vector<std::string> wheres = {"LOADING == 'cooperative' && FILTER == 'value'",
                                           "LOADING == 'async' && MARCH > 1",
                                           "LOADING == 'async' && FILTER == 'shared'"};
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    Assignments problem = sizes[size];
    problem.push_back("boundary=" + boundary);
    problem.push_back("flip=" + flip);
    for (std::size_t i = first_proof(size); i < wheres.size(); i += kProofStep)
      prove_implementation("conv1d", "register", problem, wheres[i], kPlanes);
  }
}

TEST(HostConv1d, BulkCopies) {
  const std::vector<Assignments> problems = {{"length=9000", "taps=9", "batch=2"},
                                             {"length=20004", "taps=129"},
                                             {"length=8", "taps=2", "batch=3"},
                                             {"length=10004", "taps=1025"}};
  const std::size_t step = proves_in_full() ? 1 : problems.size();
  std::size_t first = 0;
  for (const std::string boundary : {"zero", "replicate", "reflect", "mirror", "wrap"}) {
    for (std::size_t i = first++ % step; i < problems.size(); i += step) {
      Assignments problem = problems[i];
      problem.push_back("boundary=" + boundary);
      for (const std::string way : {"MARCH == 1", "MARCH > 1 && STORING == 'shared'"})
        prove_implementation("conv1d", "register", problem, "LOADING == 'bulk' && " + way, 1);
    }
  }
}

TEST(HostConv1d, TheLongestFilter) {
  prove_implementation("conv1d", "register",
                       {"length=3000", "taps=4097", "type=float64", "accuracy=elementwise"},
                       "LOADING == 'cooperative'", 1);
}

TEST(HostConv1d, Zero) {
  prove_signals("zero", "no", {{"length=9000", "taps=9", "batch=2"}, {"length=4099", "taps=2"}});
}
TEST(HostConv1d, Replicate) {
  prove_signals("replicate", "yes", {{"length=9001", "taps=65"}, {"length=4100", "taps=24"}});
}
TEST(HostConv1d, Reflect) {
  prove_signals("reflect", "no", {{"length=5000", "taps=129", "batch=2"}});
}
TEST(HostConv1d, Mirror) {
  prove_signals("mirror", "yes", {{"length=20000", "taps=1025"}, {"length=5001", "taps=1"}});
}
TEST(HostConv1d, Wrap) {
  prove_signals("wrap", "no", {{"length=6000", "taps=33"}, {"length=5003", "taps=16"}});
}

}  // namespace
}  // namespace tilewright::test
