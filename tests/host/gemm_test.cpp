// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
// gemm/blocked and gemm/thin give right answers without a GPU; the operation's checks are proved
// with each configuration.
#include <gtest/gtest.h>

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

void prove(const Family& family, const std::string& name, const GemmCase& gemm_case) {
  const Implementation trimmed = with_fewer_gemm_values(family.implementation(name));
  ProofRunner runner(family, trimmed, host_bench());
  runner.open(gemm_case.problem);
  for (const std::string& where : gemm_case.wheres)
    for (const Configuration& configuration : runner.sample(1, where)) runner.prove(configuration);
}

TEST(HostGemm, BlockedWithEveryTransposeLoadingAndSplit) {
  for (const GemmCase& gemm_case : blocked_cases())
    prove(gemm_templates().family("gemm"), "blocked", gemm_case);
}

TEST(HostGemm, BlockedWithEveryTransposePacked) {
  for (const GemmCase& gemm_case : packed_cases())
    prove(gemm_templates().family("gemm"), "blocked", gemm_case);
}

TEST(HostGemm, ThinWithEveryTransposeSideAndSplit) {
  for (const GemmCase& gemm_case : thin_cases())
    prove(gemm_templates().family("gemm"), "thin", gemm_case);
}

TEST(HostGemm, WithSnippets) {
  for (const Family& family :
       with_each_snippet(gemm_templates().family("gemm"), gemm_templates().snippets())) {
    prove(family, "blocked", blocked_snippet_case());
    prove(family, "thin", thin_snippet_case());
  }
}

}  // namespace
}  // namespace tilewright::test
