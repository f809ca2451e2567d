// gemm/blocked, gemm/mma and gemm/thin give right answers on the GPU, and can be timed.
#include <gtest/gtest.h>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/general_proofs.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::test {
namespace {

class GemmProofs : public GpuTest {
 protected:
  void prove(const Family& family, const Implementation& implementation,
             const GemmCase& gemm_case) {
    ProofRunner runner(family, implementation, proof_bench(device()));
    runner.open(gemm_case.problem);
    for (const std::string& where : gemm_case.wheres)
      for (const Configuration& configuration : runner.sample(2, where))
        runner.prove_and_time(configuration);
  }

  void prove_trimmed(const Family& family, const std::string& name, const GemmCase& gemm_case) {
    prove(family, with_fewer_gemm_values(family.implementation(name)), gemm_case);
  }

  static const Library& templates() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library;
  }
  static const Family& family() { return templates().family("gemm"); }
};

// One case each, so that they can run side by side.
class GemmBlocked : public GemmProofs, public testing::WithParamInterface<std::size_t> {};
class GemmPacked : public GemmProofs, public testing::WithParamInterface<std::size_t> {};
class GemmMma : public GemmProofs, public testing::WithParamInterface<std::size_t> {};
class GemmThin : public GemmProofs, public testing::WithParamInterface<std::size_t> {};

TEST_P(GemmBlocked, WithEveryLoadingAndSplit) {
  prove_trimmed(family(), "blocked", blocked_cases().at(GetParam()));
}

class GemmByBoxes : public GemmProofs, public testing::WithParamInterface<std::size_t> {
 protected:
  void SetUp() override {
    GemmProofs::SetUp();
    if (!IsSkipped() && device().compute_capability < kFirstCapabilityWithTensorMaps)
      GTEST_SKIP() << "this device has no bulk copies";
  }
};

class GemmByClusters : public GemmProofs, public testing::WithParamInterface<std::size_t> {
 protected:
  void SetUp() override {
    GemmProofs::SetUp();
    if (!IsSkipped() && device().compute_capability < 90)
      GTEST_SKIP() << "this device has no clusters";
  }
};

TEST_P(GemmByBoxes, OfEveryDepthAndSplit) {
  prove(family(), with_boxes(family().implementation("blocked")), boxed_cases().at(GetParam()));
}

TEST_P(GemmByClusters, WithEveryLoading) {
  prove_trimmed(family(), "blocked", clustered_cases().at(GetParam()));
}

TEST_P(GemmPacked, FromRowsOrColumns) {
  prove_trimmed(family(), "blocked", packed_cases().at(GetParam()));
}

TEST_P(GemmMma, WithEveryAccessAndSplit) {
  prove_trimmed(family(), "mma", mma_cases().at(GetParam()));
}

TEST_P(GemmThin, WithAndWithoutSplit) {
  prove_trimmed(family(), "thin", thin_cases().at(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Cases, GemmBlocked,
                         testing::Range(std::size_t{0}, blocked_cases().size()));
INSTANTIATE_TEST_SUITE_P(Cases, GemmByBoxes, testing::Range(std::size_t{0}, boxed_cases().size()));
INSTANTIATE_TEST_SUITE_P(Cases, GemmByClusters,
                         testing::Range(std::size_t{0}, clustered_cases().size()));
INSTANTIATE_TEST_SUITE_P(Cases, GemmPacked, testing::Range(std::size_t{0}, packed_cases().size()));
INSTANTIATE_TEST_SUITE_P(Cases, GemmMma, testing::Range(std::size_t{0}, mma_cases().size()));
INSTANTIATE_TEST_SUITE_P(Cases, GemmThin, testing::Range(std::size_t{0}, thin_cases().size()));

TEST_F(GemmProofs, WithSnippets) {
  for (const Family& with_snippet : with_each_snippet(family(), templates().snippets())) {
    prove_trimmed(with_snippet, "blocked", blocked_snippet_case());
    prove_trimmed(with_snippet, "mma", mma_snippet_case());
    prove_trimmed(with_snippet, "thin", thin_snippet_case());
  }
}

// The largest tiles are too slow for the host.
TEST_F(GemmProofs, LargeTilesWithEdgesAndWithout) {
  const Implementation& blocked = family().implementation("blocked");
  const std::string large = "BLOCK_M * BLOCK_N >= 16384";
  prove(family(), blocked, {{"M=300", "N=700", "K=129"}, {large}});
  prove(family(), blocked, {{"M=512", "N=768", "K=256"}, {large + " && SHAPE == 'compiled'"}});
  prove(family(), blocked, {{"M=4100", "N=4100", "K=20"}, {large + " && GROUP > 1"}});
}

TEST_F(GemmProofs, LargeTilesOnTensorCores) {
  const Implementation& mma = family().implementation("mma");
  const std::string large = "BLOCK_M * BLOCK_N >= 16384";
  prove(family(), mma, {{"M=300", "N=700", "K=129", "type_a=bfloat16"}, {large}});
  prove(family(), mma, {{"M=512", "N=768", "K=256", "type_a=float16", "transpose_b=yes"}, {large}});
  prove(family(), mma,
        {{"M=4104", "N=4104", "K=24", "type_a=bfloat16"}, {large + " && GROUP > 1"}});
}

class GemmOnTensorCores : public GemmProofs, public testing::WithParamInterface<const char*> {};

TEST_P(GemmOnTensorCores, General) {
  const std::string type = GetParam();
  prove_general(family(), "mma", proof_bench(device()), {6, 24, {"type_a=" + type}});
}
INSTANTIATE_TEST_SUITE_P(Types, GemmOnTensorCores, testing::Values("float16", "bfloat16"),
                         [](const auto& type) { return std::string(type.param); });

class GemmGeneral : public GemmProofs, public testing::WithParamInterface<const char*> {};

TEST_P(GemmGeneral, OnRandomProblems) {
  prove_general(family(), GetParam(), proof_bench(device()), {12, 40});
}
INSTANTIATE_TEST_SUITE_P(All, GemmGeneral, testing::Values("blocked", "naive", "thin", "tiled"),
                         parameter_name);

}  // namespace
}  // namespace tilewright::test
