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

void prove(const std::string& name, const GemmCase& gemm_case) {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const Family& family = library.family("gemm");
  const Implementation trimmed = with_fewer_gemm_values(family.implementation(name));
  ProofRunner runner(family, trimmed, host_bench());
  runner.open(gemm_case.problem);
  for (const std::string& where : gemm_case.wheres)
    for (const Configuration& configuration : runner.sample(1, where)) runner.prove(configuration);
}

TEST(HostGemm, BlockedWithEveryTransposeLoadingAndSplit) {
  for (const GemmCase& gemm_case : blocked_cases()) prove("blocked", gemm_case);
}

TEST(HostGemm, ThinWithEveryTransposeSideAndSplit) {
  for (const GemmCase& gemm_case : thin_cases()) prove("thin", gemm_case);
}

}  // namespace
}  // namespace tilewright::test
