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

void prove(const Family& family, const Implementation& implementation, const GemmCase& gemm_case,
           std::size_t number) {
  prove_conditions(family, implementation, gemm_case.problem, gemm_case.wheres, {number, 5});
}

void prove_all(const Implementation& implementation, const std::vector<GemmCase>& cases) {
  for (std::size_t i = 0; i < cases.size(); ++i)
    prove(gemm_templates().family("gemm"), implementation, cases[i], i);
}

Implementation trimmed(const Family& family, const std::string& name) {
  return with_fewer_gemm_values(family.implementation(name));
}

Implementation trimmed(const std::string& name) {
  return trimmed(gemm_templates().family("gemm"), name);
}

TEST(HostGemm, BlockedWithEveryTransposeLoadingAndSplit) {
  prove_all(trimmed("blocked"), blocked_cases());
}

TEST(HostGemm, BlockedWithEveryTransposeOfBoxes) {
  prove_all(with_boxes(gemm_templates().family("gemm").implementation("blocked")), boxed_cases());
}

TEST(HostGemm, BlockedWithEveryTransposeInClusters) {
  prove_all(trimmed("blocked"), clustered_cases());
}

TEST(HostGemm, BlockedWithEveryTransposePacked) {
  prove_all(trimmed("blocked"), packed_cases());
}

TEST(HostGemm, ThinWithEveryTransposeSideAndSplit) {
  prove_all(trimmed("thin"), thin_cases());
}

TEST(HostGemm, MmaWithEveryTransposeAccessAndSplit) {
  prove_all(trimmed("mma"), mma_cases());
}

// Of a part of the proofs one implementation with each snippet, in turn.
TEST(HostGemm, WithSnippets) {
  const std::vector<std::pair<std::string, GemmCase>> cases = {{"blocked", blocked_snippet_case()},
                                                               {"mma", mma_snippet_case()},
                                                               {"thin", thin_snippet_case()}};
  std::size_t number = 0;
  for (const Family& family :
       with_each_snippet(gemm_templates().family("gemm"), gemm_templates().snippets())) {
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (proves_in_full() || i == number % cases.size())
        prove(family, trimmed(family, cases[i].first), cases[i].second, number);
    ++number;
  }
}

}  // namespace
}  // namespace tilewright::test
