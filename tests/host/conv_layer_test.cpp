// conv_layer gives right answers without a GPU: every dimension, stride, dilation, layout and type
// in small, against float64.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/general_proofs.hpp"
#include "tests/support/layer_cases.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

const Family& layers() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library.family("conv_layer");
}

// One configuration of the implementation on each of the problems, with further assignments; of a
// part of the proofs every third problem.
void prove_layers(const std::string& implementation, const std::vector<Assignments>& problems,
                  const Assignments& further = {}) {
  ProofRunner runner(layers(), layers().implementation(implementation), host_bench());
  const std::size_t step = proves_in_full() ? 1 : 3;
  for (std::size_t i = 0; i < problems.size(); i += step) {
    runner.open(joined(problems[i], further));
    for (const Configuration& configuration : runner.sample(1)) runner.prove(configuration);
  }
  EXPECT_EQ(runner.proven(), (problems.size() + step - 1) / step);
}

TEST(HostConvLayer, NaiveOnImages) {
  prove_layers("naive", image_layers());
}

TEST(HostConvLayer, NaiveOnSignalsAndVolumesInEveryLayout) {
  prove_layers("naive", other_layers());
}

TEST(HostConvLayer, NaiveInEveryType) {
  const std::vector<Assignments> types = layer_types();
  const std::vector<Assignments> problems = image_layers();
  for (std::size_t i = 0; i < types.size(); ++i)
    prove_layers("naive", {problems[i], other_layers()[i % other_layers().size()]}, types[i]);
}

// What no filter meets stays out of every sum, be it infinite or no number.
void prove_with_edges(const LayerWithEdges& layer, const std::string& implementation,
                      const std::string& where = "1") {
  const Implementation trimmed = with_fewer_values(layer.family.implementation(implementation));
  prove_conditions(layer.family, trimmed, layer.problem, {where}, {});
}
void prove_beside_edges(const std::string& implementation, const LayerChannels& channels = {}) {
  const FolderOfFiles folder;
  prove_with_edges(dense_layer_with_edges(layers(), folder.path(), channels), implementation);
  prove_with_edges(strided_layer_with_edges(layers(), folder.path(), channels), implementation);
}

TEST(HostConvLayer, NaiveBesideInfinityAndNan) {
  prove_beside_edges("naive");
}
TEST(HostConvLayer, MmaBesideInfinityAndNan) {
  prove_beside_edges("mma");
}
TEST(HostConvLayer, RowsBesideInfinityAndNan) {
  for (const int channels_in : {1, 3, 4, 5}) prove_beside_edges("rows", {.in = channels_in});
  const FolderOfFiles folder;
  prove_with_edges(dense_layer_with_edges(layers(), folder.path(), {.in = 1}), "rows",
                   "PRODUCT == 'toeplitz' && WARPS == 2");
}
TEST(HostConvLayer, ShiftBesideInfinityAndNan) {
  const FolderOfFiles folder;
  prove_with_edges(dense_layer_with_edges(layers(), folder.path(), {.out = 3}), "shift");
}

// The reference kernel with the snippet that changes nothing, and all snippets for channels.
void prove_layer_snippets(const std::string& implementation, const std::vector<Assignments>& problems) {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const std::vector<Family> families = with_each_snippet(layers(), library.snippets());
  EXPECT_GE(families.size(), 4U);
  for (std::size_t i = 0; i < families.size(); ++i)
    prove_conditions(families[i], with_fewer_values(families[i].implementation(implementation)),
                     joined(problems[i % problems.size()], {"type=float16"}), {"1"}, {});
}

TEST(HostConvLayer, NaiveWithSnippets) {
  prove_layer_snippets("naive", other_layers());
}
TEST(HostConvLayer, MmaWithSnippets) {
  prove_layer_snippets("mma", {{"width=9", "height=8", "channels_in=64", "channels_out=20", "groups=2"}});
}
TEST(HostConvLayer, RowsWithSnippets) {
  prove_layer_snippets("rows", {{"width=40", "height=9", "channels_in=3", "channels_out=20"},
                          {"width=40", "height=9", "channels_in=1", "channels_out=8"}});
}
TEST(HostConvLayer, ShiftWithSnippets) {
  prove_layer_snippets("shift", {{"width=21", "height=12", "channels_in=16", "channels_out=4"}});
}

TEST(HostConvLayer, GeneralMma) {
  prove_general(layers(), "mma", host_bench(),
                {.configurations = 2,
                 .problems = kSanitized ? 4U : 20U,
                 .given = {"type=float32", "precision=tf32"}});
}

TEST(HostConvLayer, GeneralNaive) {
  prove_general(layers(), "naive", host_bench(),
                {.configurations = 2, .problems = kSanitized ? 4U : 20U});
}

}  // namespace
}  // namespace tilewright::test
