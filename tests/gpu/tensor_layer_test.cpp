// conv_layer/im2col and conv_layer/halo give right answers on the GPU, and can be timed.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/layer_cases.hpp"
#include "tests/support/proof_runner.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

class TensorLayers : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && device().compute_capability != 90)
      GTEST_SKIP() << "this device has no wgmma";
  }

  static const Family& layers() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library.family("conv_layer");
  }

  // With two images, where the problem does not say how many, so that it is small.
  void prove(const Family& family, const std::string& implementation, Assignments problem,
             const std::vector<std::string>& conditions) {
    if (std::ranges::none_of(problem, [](auto& one) { return one.starts_with("batch="); }))
      problem.push_back("batch=2");
    const Implementation trimmed = with_fewer_layer_values(family.implementation(implementation));
    ProofRunner runner(family, trimmed, proof_bench(device()));
    runner.open(problem);
    for (const std::string& where : conditions)
      for (const Configuration& configuration : runner.sample(2, where))
        runner.prove_and_time(configuration);
    EXPECT_GT(runner.proven(), 0U);
  }
};

// Every second one, the others in the next turn.
std::vector<std::string> half_of(const std::vector<std::string>& conditions, std::size_t turn) {
  std::vector<std::string> half;
  for (std::size_t i = turn % 2; i < conditions.size(); i += 2) half.push_back(conditions[i]);
  return half;
}

TEST_F(TensorLayers, Im2colOnImages) {
  const std::vector<Assignments> problems = mapped_layers(2);
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove(layers(), "im2col", joined(problems[i], {"type=float16"}),
          half_of(im2col_conditions(), i));
}

TEST_F(TensorLayers, Im2colOnVolumesAndSignals) {
  const std::vector<Assignments> problems = mapped_volumes();
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove(layers(), "im2col", joined(problems[i], {"type=float16"}),
          half_of(im2col_conditions(), i));
}

TEST_F(TensorLayers, Im2colOnPatches) {
  for (const Assignments& problem : patch_layers())
    prove(layers(), "im2col", problem, {"STORE == 'bulk'", "SPLIT_K > 1"});
}

TEST_F(TensorLayers, OnPlanarImages) {
  for (const Assignments& problem : planar_layers()) {
    prove(layers(), "im2col", problem, {"STORE == 'bulk'", "SPLIT_K > 1"});
    prove(layers(), "halo", problem, {"SHAPE == 'rectangle'", "SHAPE == 'line'"});
  }
}

TEST_F(TensorLayers, HaloOnImages) {
  const std::vector<Assignments> problems = halo_layers(2);
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove(layers(), "halo", joined(problems[i], {"type=bfloat16"}), half_of(halo_conditions(), i));
}

// Few channels of the output, whose filters are prepared.
TEST_F(TensorLayers, HaloWithSeveralRowsInABand) {
  const std::vector<Assignments> problems = halo_layers(2);
  for (const std::size_t i : {1U, 3U, 5U, 7U})
    prove(layers(), "halo", joined(problems[i], {"type=float16"}), halo_row_conditions());
}

TEST_F(TensorLayers, HaloWithGroups) {
  const std::vector<Assignments> problems = halo_group_layers();
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove(layers(), "halo", joined(problems[i], {"type=float16"}), {halo_group_conditions()[i]});
}

TEST_F(TensorLayers, HaloWithStrides) {
  const std::vector<Assignments> problems = halo_strided_layers();
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove(layers(), "halo", joined(problems[i], {"type=float16"}), {halo_strided_conditions()[i]});
}

TEST_F(TensorLayers, HaloInFloat8) {
  const std::vector<Assignments> problems = halo_layers(1);
  const std::vector<std::string> types = {"type=float8_e4m3", "type=float8_e5m2"};
  for (std::size_t i = 0; i < types.size(); ++i)  // the host device proves the others
    prove(layers(), "halo", joined(problems[4 * i], {types[i]}), half_of(halo_conditions(), i));
}

TEST_F(TensorLayers, RowsByWgmma) {
  const std::vector<Assignments> problems = rows_layers();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    ProofRunner runner(layers(), layers().implementation("rows"), proof_bench(device()));
    runner.open(problems[i]);
    for (const Configuration& configuration : runner.sample(2, rows_wgmma_conditions()[i]))
      runner.prove_and_time(configuration);
    EXPECT_GT(runner.proven(), 0U);
  }
}

TEST_F(TensorLayers, BesideInfinityAndNan) {
  const FolderOfFiles folder;
  const LayerWithEdges dense = dense_layer_with_edges(layers(), folder.path());
  prove(dense.family, "im2col", dense.problem, im2col_conditions());
  prove(dense.family, "halo", dense.problem, halo_conditions());
  const LayerWithEdges strided = strided_layer_with_edges(layers(), folder.path());
  prove(strided.family, "im2col", strided.problem, im2col_conditions());
  prove(strided.family, "halo", strided.problem, halo_edge_conditions());
  prove(dense.family, "halo", joined(dense.problem, {"stride_x=2"}), halo_edge_conditions());
}

}  // namespace
}  // namespace tilewright::test
