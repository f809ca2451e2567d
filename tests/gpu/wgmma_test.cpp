// gemm/wgmma gives right answers on the GPU, and can be timed.
#include <gtest/gtest.h>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/general_proofs.hpp"
#include "tests/support/wgmma_cases.hpp"

namespace tilewright::test {
namespace {

// So many that there are more tiles than blocks fit on any device.
constexpr std::size_t kBatch = 24;

class WgmmaTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && device().compute_capability != 90)
      GTEST_SKIP() << "this device has no wgmma";
  }

  // With as many blocks as so many multiprocessors would get, if not 0.
  void prove(const Family& family, const GemmCase& gemm_case, int sm_count = 0) {
    const Implementation trimmed = with_fewer_wgmma_values(family.implementation("wgmma"));
    ProofBench bench = proof_bench(device());
    if (sm_count > 0) bench.device.sm_count = sm_count;
    ProofRunner runner(family, trimmed, std::move(bench));
    runner.open(gemm_case.problem);
    for (const std::string& where : gemm_case.wheres)
      for (const Configuration& configuration : runner.sample(3, where))
        runner.prove_and_time(configuration);
  }

  static const Library& templates() {
    static const Library library = Library::load({source_folder() / "kernel_templates"});
    return library;
  }
};

class Wgmma : public WgmmaTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(Wgmma, IsRight) {
  prove(templates().family("gemm"), wgmma_cases(kBatch).at(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Cases, Wgmma, testing::Range(std::size_t{0}, wgmma_cases(kBatch).size()),
                         [](const auto& number) {
                           return name_of(wgmma_cases(kBatch).at(number.param), number.param);
                         });

TEST_F(WgmmaTest, SharesTheTilesOfTheLastRound) {
  for (const GemmCase& gemm_case : stream_k_cases())
    prove(templates().family("gemm"), gemm_case, 5);
}

TEST_F(WgmmaTest, CallsEverySnippet) {
  for (const Family& family : with_each_snippet(templates().family("gemm"), templates().snippets()))
    prove(family, wgmma_snippet_case());
}

}  // namespace
}  // namespace tilewright::test
