// gemm/blocked, gemm/mma and gemm/thin give right answers without a GPU; the operation's checks are
// proved with each configuration.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/host/host_support.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/proof_runner.hpp"

namespace tilewright::test {
namespace {

const Library& gemm_templates() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library;
}

// One configuration for each condition of the case; of a part of the proofs, for every fifth,
// beginning with another one in each case.
void prove(const Family& family, const std::string& name, const GemmCase& gemm_case,
           std::size_t number = 0) {
  const Implementation trimmed = with_fewer_gemm_values(family.implementation(name));
  ProofRunner runner(family, trimmed, host_bench());
  runner.open(gemm_case.problem);
  const std::size_t step = proves_in_full() ? 1 : 5;
  for (std::size_t i = number % std::min(step, gemm_case.wheres.size());
       i < gemm_case.wheres.size(); i += step)
    for (const Configuration& configuration : runner.sample(1, gemm_case.wheres[i]))
      runner.prove(configuration);
}

void prove_all(const std::string& name, const std::vector<GemmCase>& cases) {
  for (std::size_t i = 0; i < cases.size(); ++i)
    prove(gemm_templates().family("gemm"), name, cases[i], i);
}

TEST(HostGemm, BlockedWithEveryTransposeLoadingAndSplit) {
  prove_all("blocked", blocked_cases());
}

TEST(HostGemm, BlockedWithEveryTransposePacked) {
  prove_all("blocked", packed_cases());
}

TEST(HostGemm, ThinWithEveryTransposeSideAndSplit) {
  prove_all("thin", thin_cases());
}

TEST(HostGemm, MmaWithEveryTransposeAccessAndSplit) {
  prove_all("mma", mma_cases());
}

TEST(HostGemm, WithSnippets) {
  std::size_t number = 0;
  for (const Family& family :
       with_each_snippet(gemm_templates().family("gemm"), gemm_templates().snippets())) {
    prove(family, "blocked", blocked_snippet_case(), number);
    prove(family, "mma", mma_snippet_case(), number);
    prove(family, "thin", thin_snippet_case(), number++);
  }
}

}  // namespace
}  // namespace tilewright::test
