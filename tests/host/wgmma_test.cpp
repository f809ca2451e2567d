// gemm/wgmma gives right answers without a GPU: all but its multiplications is the same source.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/wgmma_cases.hpp"

namespace tilewright::test {
namespace {

constexpr std::size_t kBatch = 2;

const Family& gemm() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library.family("gemm");
}

class HostWgmmaTypes : public testing::TestWithParam<std::size_t> {};

// All cases of one set of types. Of a part of the proofs one case, other sizes and another
// condition for each set, and those where the last block adds up.
TEST_P(HostWgmmaTypes, AreRight) {
  const std::vector<GemmCase> cases = wgmma_cases(kBatch);
  const Family& family = gemm();
  const Implementation trimmed =
      on_any_device(with_fewer_wgmma_values(family.implementation("wgmma")));
  std::size_t round = 0;
  for (std::size_t i = GetParam(); i < cases.size(); i += kWgmmaTypes, ++round)
    if (proves_in_full() || round == GetParam() % kWgmmaRounds || round >= kWgmmaRounds)
      prove_conditions(family, trimmed, cases[i].problem, cases[i].wheres, {i, 4});
}

INSTANTIATE_TEST_SUITE_P(Each, HostWgmmaTypes, testing::Range(std::size_t{0}, kWgmmaTypes),
                         [](const auto& number) {
                           return name_of(wgmma_cases(kBatch).at(number.param), number.param);
                         });

// Blocks that share the tiles of the last round.
TEST(HostWgmma, StreamK) {
  const Family& family = gemm();
  const Implementation trimmed =
      on_any_device(with_fewer_wgmma_values(family.implementation("wgmma")));
  ProofBench bench = host_bench();
  bench.device.sm_count = 5;
  ProofRunner runner(family, trimmed, std::move(bench));
  std::size_t conditions = 0;
  for (const GemmCase& one : stream_k_cases()) {
    runner.open(one.problem);
    for (std::size_t i = 0; i < one.wheres.size(); i += step_of_part(2), ++conditions)
      for (const Configuration& configuration : runner.sample(1, one.wheres[i]))
        runner.prove(configuration);
  }
  EXPECT_EQ(runner.proven(), conditions);
}

}  // namespace
}  // namespace tilewright::test
