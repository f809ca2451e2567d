// conv_layer gives right answers on the GPU: the plain kernel on every kind of layer, and what
// look-ups choose, on random small layers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/general_proofs.hpp"
#include "tests/support/layer_cases.hpp"
#include "tests/support/layer_kernel_cases.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

class ConvLayers : public GpuTest {
 protected:
  static const Family& layers() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library.family("conv_layer");
  }

  void prove_naive(const Family& family, const std::vector<Assignments>& problems) {
    ProofRunner runner(family, family.implementation("naive"), proof_bench(device()));
    for (const Assignments& problem : problems) {
      runner.open(problem);
      for (const Configuration& configuration : runner.sample(1))
        runner.prove_and_time(configuration);
    }
    EXPECT_EQ(runner.proven(), problems.size());
  }
};

TEST_F(ConvLayers, NaiveInEveryTypeAndLayout) {
  prove_naive(layers(), image_layers());
  prove_naive(layers(), other_layers());
  const std::vector<Assignments> types = layer_types();
  for (std::size_t i = 0; i < types.size(); ++i)
    prove_naive(layers(), {joined(image_layers()[i], types[i])});
}

TEST_F(ConvLayers, NaiveBesideInfinityAndNan) {
  const FolderOfFiles folder;
  for (const LayerWithEdges& layer : {dense_layer_with_edges(layers(), folder.path()),
                                      strided_layer_with_edges(layers(), folder.path())})
    prove_naive(layer.family, {layer.problem});
}

TEST_F(ConvLayers, DepthwiseByPlainAndTensorCores) {
  const auto prove = [&](const std::string& name, const std::vector<GemmCase>& cases) {
    const Implementation trimmed = with_fewer_layer_values(layers().implementation(name));
    for (const GemmCase& one : cases) {
      ProofRunner runner(layers(), trimmed, proof_bench(device()));
      runner.open(one.problem);
      for (const std::string& where : one.wheres)
        for (const Configuration& configuration : runner.sample(2, where))
          runner.prove_and_time(configuration);
      EXPECT_GT(runner.proven(), 0U);
    }
  };
  prove("depthwise", depthwise_cases());
  prove("depthwise_toeplitz", depthwise_toeplitz_cases());
}

// Filters of tensor cores have zeros where a product needs more of them; what these meet is cut
// off.
TEST_F(ConvLayers, TiledBesideInfinityAndNan) {
  const FolderOfFiles folder;
  const auto prove = [&](const std::string& name, const LayerWithEdges& layer,
                         const std::string& where = "1") {
    const Implementation trimmed = with_fewer_values(layer.family.implementation(name));
    ProofRunner runner(layer.family, trimmed, proof_bench(device()));
    runner.open(layer.problem);
    for (const Configuration& configuration : runner.sample(3, where)) runner.prove(configuration);
    EXPECT_GT(runner.proven(), 0U);
  };
  const auto dense = [&](const LayerChannels& channels) {
    return dense_layer_with_edges(layers(), folder.path(), channels);
  };
  const auto strided = [&](const LayerChannels& channels) {
    return strided_layer_with_edges(layers(), folder.path(), channels);
  };
  prove("mma", dense({}));
  prove("mma", strided({}));
  for (const int channels_in : {1, 3, 4, 5}) {
    prove("rows", dense({.in = channels_in}));
    prove("rows", strided({.in = channels_in}));
  }
  prove("rows", dense({.in = 1}), "PRODUCT == 'toeplitz'");
  prove("shift", dense({.out = 3}));
  prove("blocked", dense({.type = "float32"}));
  prove("window", strided({.in = 3, .type = "float32"}));
}

TEST_F(ConvLayers, OnPlainCores) {
  const std::map<std::string, std::vector<GemmCase>> cases = {
      {"blocked", blocked_layers()}, {"window", window_layers()}, {"winograd", winograd_layers()}};
  for (const auto& [name, problems] : cases) {
    ProofRunner runner(layers(), layers().implementation(name), proof_bench(device()));
    for (const GemmCase& one : problems) {
      runner.open(one.problem);
      for (const std::string& where : one.wheres)
        for (const Configuration& configuration : runner.sample(2, where))
          runner.prove_and_time(configuration);
    }
    EXPECT_GT(runner.proven(), 0U);
  }
}

// TILEWRIGHT_TEST_LAYERS is their number. Several processes, each with a TILEWRIGHT_TEST_SEED of
// its own, prove more.
TEST_F(ConvLayers, RandomOnesByWhatLookUpsChoose) {
  if (IsSkipped()) return;
  ServedProofs count;
  if (const char* const given = std::getenv("TILEWRIGHT_TEST_LAYERS"))
    count.problems = std::stoul(given);
  if (const char* const given = std::getenv("TILEWRIGHT_TEST_SEED"))
    count.seed = std::stoull(given);
  const auto bench = [&] { return proof_bench(device()); };
  std::size_t all = 0;
  for (const auto& [name, proven] : prove_served(layers(), bench, count, layer_types())) {
    std::cout << name << " served " << proven << " layers\n";
    all += proven;
  }
  EXPECT_EQ(all, count.problems);
}

}  // namespace
}  // namespace tilewright::test
