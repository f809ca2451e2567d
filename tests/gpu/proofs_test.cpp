// The definitions in tests/definitions and the built-in templates give right answers on the GPU.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/gpu/gpu_support.hpp"

namespace tilewright::test {
namespace {

constexpr std::size_t kConfigurations = 13;  // the default and twelve others

class Proofs : public GpuTest {
 protected:
  // A user's own manifest, several configurations on one problem.
  void prove_manifest(const std::string& name, const std::vector<std::string>& problem) {
    const Family family =
        load_manifest(source_folder() / "tests" / "definitions" / (name + ".toml"), Library{});
    ASSERT_FALSE(family.implementations.empty());
    for (const Implementation& implementation : family.implementations)
      prove_some(family, implementation, problem, kConfigurations);
  }

  void prove_template(const std::string& operation, const std::string& implementation,
                      const std::vector<std::string>& problem) {
    const Family& family = templates().family(operation);
    prove_some(family, family.implementation(implementation), problem, kConfigurations);
  }

  void prove_snippets(const std::string& operation, const std::string& implementation,
                      const std::vector<std::string>& problem) {
    for (const Family& family :
         with_each_snippet(templates().family(operation), templates().snippets()))
      prove_some(family, family.implementation(implementation), problem, 2);
  }

  static const Library& templates() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library;
  }

 private:
  void prove_some(const Family& family, const Implementation& implementation,
                  const std::vector<std::string>& problem, std::size_t count) {
    ProofRunner runner(family, implementation, proof_bench(device()));
    runner.open(problem);
    const std::vector<Configuration> configurations = runner.sample(count);
    ASSERT_FALSE(configurations.empty());
    runner.prove_and_time(configurations.front());
    EXPECT_EQ(runner.proven(), 1U) << "the default was passed over";
    for (std::size_t i = 1; i < configurations.size(); ++i)
      runner.prove_and_time(configurations[i]);
    EXPECT_GT(2 * runner.proven(), configurations.size()) << "too many were passed over";
  }
};

TEST_F(Proofs, SplitKIsTwoLaunchesWithAWorkspace) {
  prove_manifest("split_k", {"M=61", "N=45", "K=2049"});
}

TEST_F(Proofs, SeparableFilterIsTwoPasses) {
  for (const std::string boundary : {"zero", "replicate", "reflect", "mirror", "wrap"})
    prove_manifest("separable2d", {"height=123", "width=201", "taps=9", "boundary=" + boundary});
}

TEST_F(Proofs, RowPointersAndKernelsWithoutExternC) {
  prove_manifest("csr", {"rows=20001", "columns=3000", "nonzeros=300000"});
}

TEST_F(Proofs, SumsByCub) {
  for (const std::string term : {"value", "square"})
    prove_manifest("block_reduce", {"segments=501", "length=3001", "term=" + term});
}

TEST_F(Proofs, KernelsFillArgumentsFromOthers) {
  prove_manifest("slopes", {"n=1000003"});
}

TEST_F(Proofs, HalfAndBfloat16ByAChoice) {
  for (const std::string type : {"float16", "bfloat16", "float32"})
    prove_manifest("blend", {"count=1000003", "type=" + type});
}

TEST_F(Proofs, TilesBeyond48KiBAreOfTheLaunch) {
  prove_manifest("large_tile", {"height=501", "width=1003"});
}

TEST_F(Proofs, ConstantsHaveTheElementsOfArguments) {
  prove_manifest("constants", {"width=1001", "height=203", "filter_width=17", "filter_height=17"});
}

TEST_F(Proofs, BlocksOfAGridWaitForEachOther) {
  prove_manifest("cooperative", {"count=10000019"});
}

TEST_F(Proofs, LaunchesAreRepeatedAndTheirBuffersChangePlaces) {
  prove_manifest("iterate", {"width=1001", "height=203", "steps=33"});
}

TEST_F(Proofs, LaunchesHaveMacrosAndElementsAreVectors) {
  prove_manifest("two_stage", {"count=1000003"});
}

// In a CUDA array and in linear memory.
TEST_F(Proofs, TexturesOfOneTwoAndThreeDimensions) {
  for (const std::string type : {"float32", "float16"})
    prove_manifest("texture", {"width=1001", "height=603", "type=" + type});
  for (const std::string entries : {"1", "256"})
    prove_manifest("lookup", {"count=1000003", "entries=" + entries});
  prove_manifest("volume", {"width=201", "height=103", "depth=37"});
}

TEST_F(Proofs, SumHasAStageWhoseSizeDependsOnTheConfiguration) {
  prove_manifest("sum", {"count=1000003"});
}

TEST_F(Proofs, GridsAndArgumentsDependOnTheTrip) {
  prove_manifest("shrink", {"count=20000003"});
}

TEST_F(Proofs, BuffersOfMoreThan31BitsOfElements) {
  prove_manifest("pairs", {"n=1100000", "window=2000"});
}

TEST_F(Proofs, KernelsAreOfTheirSourceUnits) {
  prove_manifest("units", {"count=1000003"});
}

TEST_F(Proofs, AsynchronousCopiesIntoMoreThan48KiB) {
  prove_manifest("async_copy", {"segment=16386", "segments=37"});
}

TEST_F(Proofs, TensorMapsOfTwoAndThreeDimensions) {
  prove_manifest("tensor_map", {"width=1001", "height=301", "planes=1"});
  prove_manifest("tensor_map", {"width=130", "height=67", "planes=7"});
}

// Boxes and pixels with every number of dimensions, ragged at every edge: paddings, strides and
// dilations, and zeros or NaN beyond the images.
TEST_F(Proofs, TensorMapsOfLayers) {
  const Family family =
      load_manifest(source_folder() / "tests" / "definitions" / "layer.toml", Library{});
  const auto prove = [&](const char* implementation, const std::vector<std::string>& layer,
                         int rank) {
    ProofRunner runner(family, family.implementation(implementation), proof_bench(device()));
    runner.open(layer);
    for (const Configuration& configuration : runner.sample(12, "RANK == " + std::to_string(rank)))
      runner.prove_and_time(configuration);
    EXPECT_GT(runner.proven(), 0U);
  };
  int rank = 5;
  for (std::vector<std::string> layer : std::vector<std::vector<std::string>>{
           {"images=3", "depth=5", "channels=20", "taps_x=2", "dilation=2", "padding_x=3",
            "ghost=2"},
           {"depth=1", "taps_z=1", "padding_y=2", "padding_x=0", "channels=36"},
           {"depth=1", "taps_z=1", "height=1", "taps_y=1", "padding_y=0", "width=400"}}) {
    prove("boxes", layer, rank);
    prove("pixels", layer, rank);
    layer.emplace_back("stride_x=2");
    layer.emplace_back("stride_y=3");
    prove("boxes", layer, rank);
    prove("pixels", layer, rank--);
  }
}

// Every swizzle that a map can have.
TEST_F(Proofs, TensorMapsThatPermute) {
  const Family family =
      load_manifest(source_folder() / "tests" / "definitions" / "tensor_map.toml", Library{});
  ProofRunner runner(family, family.implementation("boxes"), proof_bench(device()));
  runner.open({"width=201", "height=101", "planes=3"});
  for (const std::string swizzle : {"32", "64", "128"})
    for (const Configuration& configuration : runner.sample(2, "SWIZZLE == " + swizzle))
      runner.prove_and_time(configuration);
  EXPECT_EQ(runner.proven(), 6U);
}

TEST_F(Proofs, RingsOfBoxesAndClustersThatShareThem) {
  const Family family =
      load_manifest(source_folder() / "tests" / "definitions" / "ring.toml", Library{});
  ProofRunner runner(family, family.implementation("ring"), proof_bench(device()));
  runner.open({"width=5000", "height=1003"});
  for (const Configuration& configuration : runner.sample(30)) runner.prove_and_time(configuration);
  EXPECT_EQ(runner.proven(), 24U);
}

TEST_F(Proofs, BoxesStoredInTheWorkspaceAndAnOutput) {
  for (const std::string type : {"float16", "bfloat16"})
    prove_manifest("box_store", {"width=1000", "height=333", "type=" + type});
}

// Launches that begin before the one ahead has ended, timed one after another too.
TEST_F(Proofs, DependentLaunches) {
  const Family family =
      load_manifest(source_folder() / "tests" / "definitions" / "box_store.toml", Library{});
  ProofRunner runner(family, family.implementation("boxes"), proof_bench(device()));
  runner.open({"width=8192", "height=2048"});
  for (const Configuration& configuration : runner.sample(4, "EARLY == 1"))
    runner.prove_and_time(configuration);
  EXPECT_EQ(runner.proven(), 4U);
}

TEST_F(Proofs, GemmNaive) {
  prove_template("gemm", "naive", {"M=131", "N=77", "K=45"});
  for (const std::string a : {"no", "yes"})
    for (const std::string b : {"no", "yes"})
      prove_template("gemm", "naive",
                     {"M=131", "N=77", "K=45", "batch=2", "ldc=81", "accumulate=yes",
                      "transpose_a=" + a, "transpose_b=" + b});
}

TEST_F(Proofs, GemmTiled) {
  prove_template("gemm", "tiled", {"M=131", "N=77", "K=45"});
  prove_template(
      "gemm", "tiled",
      {"M=131", "N=77", "K=45", "batch=3", "lda=48", "ldb=80", "ldc=81", "accumulate=yes"});
}

TEST_F(Proofs, GemmTiledOfFewRowsOrColumns) {
  prove_template("gemm", "tiled", {"M=1", "N=257", "K=33"});
  prove_template("gemm", "tiled", {"M=257", "N=1", "K=33"});
  prove_template("gemm", "tiled", {"M=65", "N=67", "K=1"});
}

TEST_F(Proofs, GemmTiledOnAligned) {
  prove_template("gemm", "tiled", {"M=256", "N=192", "K=128"});
}

TEST_F(Proofs, GemmWithSnippets) {
  for (const std::string implementation : {"naive", "tiled"})
    prove_snippets("gemm", implementation,
                   {"M=131", "N=77", "K=45", "batch=2", "ldc=81", "accumulate=yes"});
}

TEST_F(Proofs, ConvolutionsWithSnippets) {
  for (const std::string implementation : {"halo", "register"})
    prove_snippets("conv1d", implementation, {"length=4100", "taps=9", "batch=3"});
  prove_snippets("conv2d", "halo",
                 {"width=131", "height=37", "pitch=132", "batch=2", "channels=3", "filter_width=4",
                  "filter_height=3", "boundary=wrap", "filters=per_channel"});
  for (const std::string implementation : {"fused", "march", "two_pass"})
    prove_snippets("conv2d_separable", implementation,
                   {"width=131", "height=37", "pitch=132", "batch=2", "channels=3",
                    "filter_width=4", "filter_height=3", "boundary=wrap", "filters=per_channel"});
}

TEST_F(Proofs, Conv1dHalo) {
  prove_template("conv1d", "halo", {"length=10007", "taps=9", "batch=3"});
}

// The teaching text's example: a tile of 4, a halo of 1 on either side, samples 1 to 8.
TEST_F(Proofs, Conv1dTextbookExample) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("samples_" + std::to_string(::getpid()));
  const float samples[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(samples), sizeof samples);
  Family family = templates().family("conv1d");
  family.operation.arguments.at(0).fill.kind = Fill::Kind::file;
  family.operation.arguments.at(0).fill.file = file;
  family.operation.checks.clear();
  for (const std::string boundary : {"zero", "replicate"}) {
    ProofRunner runner(family, family.implementation("halo"), proof_bench(device()));
    runner.open({"length=8", "taps=3", "boundary=" + boundary});
    for (const std::string loading : {"threads", "cooperative", "cache"}) {
      const std::size_t before = runner.proven();
      const std::string where = "BLOCK == 4 && OUTPUTS == 1 && LOADING == '" + loading + "'";
      for (const Configuration& configuration : runner.sample(4, where))
        runner.prove(configuration);
      EXPECT_GT(runner.proven(), before) << loading;
    }
  }
  std::filesystem::remove(file);
}

// All boundaries and loadings on lengths and taps from one to more taps than samples.
class Conv1dHalo : public Proofs {
 protected:
  void prove_boundary(const std::string& boundary, const std::string& flip) {
    const Family& family = templates().family("conv1d");
    ProofRunner runner(family, family.implementation("halo"), proof_bench(device()));
    const std::vector<std::string> choices = {"boundary=" + boundary, "flip=" + flip};
    std::vector<Configuration> configurations;
    runner.open({"length=65536", "taps=1025", choices[0], choices[1]});
    for (const std::string loading : {"threads", "cooperative", "cache"}) {
      const std::string where = "LOADING == '" + loading + "' && STATIC_TAPS == 0";
      for (const Configuration& configuration : runner.sample(2, where))
        configurations.push_back(configuration);
    }
    for (const std::string length : {"1", "5", "1000", "4099"})
      for (const std::string taps : {"1", "2", "9", "1025"}) {
        runner.open({"length=" + length, "taps=" + taps, "batch=2", choices[0], choices[1]});
        for (const Configuration& configuration : configurations)
          if (runner.is_legal(configuration)) runner.prove(configuration);
      }
    EXPECT_GE(runner.proven(), 3U * 16U);
  }
};

TEST_F(Conv1dHalo, Zero) {
  prove_boundary("zero", "no");
}
TEST_F(Conv1dHalo, Replicate) {
  prove_boundary("replicate", "yes");
}
TEST_F(Conv1dHalo, Reflect) {
  prove_boundary("reflect", "no");
}
TEST_F(Conv1dHalo, Mirror) {
  prove_boundary("mirror", "yes");
}
TEST_F(Conv1dHalo, Wrap) {
  prove_boundary("wrap", "no");
}

}  // namespace
}  // namespace tilewright::test
