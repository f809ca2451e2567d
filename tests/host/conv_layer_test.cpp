// conv_layer gives right answers without a GPU: every dimension, stride, dilation, layout and type
// in small, against float64.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
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
TEST(HostConvLayer, NaiveBesideInfinityAndNan) {
  const FolderOfFiles folder;
  for (const LayerWithEdges& layer : {dense_layer_with_edges(layers(), folder.path()),
                                      strided_layer_with_edges(layers(), folder.path())}) {
    ProofRunner runner(layer.family, layer.family.implementation("naive"), host_bench());
    runner.open(layer.problem);
    for (const Configuration& configuration : runner.sample(1)) runner.prove(configuration);
    EXPECT_EQ(runner.proven(), 1U);
  }
}

// The reference kernel with the snippet that changes nothing, and all snippets for channels.
TEST(HostConvLayer, NaiveWithSnippets) {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const std::vector<Family> families = with_each_snippet(layers(), library.snippets());
  EXPECT_GE(families.size(), 4U);
  for (std::size_t i = 0; i < families.size(); ++i) {
    ProofRunner runner(families[i], families[i].implementation("naive"), host_bench());
    runner.open(joined(other_layers()[i % other_layers().size()], {"type=float16"}));
    for (const Configuration& configuration : runner.sample(1)) runner.prove(configuration);
    EXPECT_EQ(runner.proven(), 1U);
  }
}

TEST(HostConvLayer, GeneralNaive) {
  prove_general(layers(), "naive", host_bench(),
                {.configurations = 2, .problems = kSanitized ? 4U : 20U});
}

}  // namespace
}  // namespace tilewright::test
