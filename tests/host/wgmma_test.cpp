// gemm/wgmma gives right answers without a GPU: all but its multiplications is the same source.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/host/host_support.hpp"
#include "tests/support/wgmma_cases.hpp"

namespace tilewright::test {
namespace {

class HostWgmma : public testing::TestWithParam<std::size_t> {
 protected:
  static const Library& templates() {
    static const Library library =
        Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
    return library;
  }
};

// Without the constraint that keeps it out of sweeps on this device, where it would only be slow.
Implementation on_any_device(Implementation implementation) {
  const std::size_t all = implementation.constraints.size();
  std::erase_if(implementation.constraints, [](const Constraint& one) {
    return one.why == "wgmma is an instruction of compute capability 9.0";
  });
  EXPECT_EQ(implementation.constraints.size(), all - 1);
  return implementation;
}

void prove_wgmma(const Family& family, const Implementation& implementation,
                 const GemmCase& gemm_case, std::size_t turn) {
  ProofRunner runner(family, implementation, host_bench());
  runner.open(gemm_case.problem);
  const std::size_t step = proves_in_full() ? 1 : std::min<std::size_t>(4, gemm_case.wheres.size());
  for (std::size_t i = turn % step; i < gemm_case.wheres.size(); i += step)
    for (const Configuration& configuration : runner.sample(1, gemm_case.wheres[i]))
      runner.prove(configuration);
}

// All cases of one set of types. Of a part of the proofs one case, other sizes and another
// condition for each set, and those where the last block adds up.
TEST_P(HostWgmma, IsRight) {
  const std::vector<GemmCase> cases = wgmma_cases();
  const Family& family = templates().family("gemm");
  const Implementation trimmed =
      on_any_device(with_fewer_wgmma_values(family.implementation("wgmma")));
  std::size_t round = 0;
  for (std::size_t i = GetParam(); i < cases.size(); i += kWgmmaTypes, ++round)
    if (proves_in_full() || round == GetParam() % kWgmmaRounds || round >= kWgmmaRounds)
      prove_wgmma(family, trimmed, cases[i], i);
}

INSTANTIATE_TEST_SUITE_P(Types, HostWgmma, testing::Range(std::size_t{0}, kWgmmaTypes),
                         [](const auto& number) {
                           return name_of(wgmma_cases().at(number.param), number.param);
                         });

}  // namespace
}  // namespace tilewright::test
