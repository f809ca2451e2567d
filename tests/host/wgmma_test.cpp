// gemm/wgmma gives right answers without a GPU: all but its multiplications is the same source.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/wgmma_cases.hpp"

namespace tilewright::test {
namespace {

constexpr std::size_t kBatch = 2;

class HostWgmma : public testing::TestWithParam<std::size_t> {
 protected:
  static const Library& templates() {
    static const Library library =
        Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
    return library;
  }
};

// All cases of one set of types. Of a part of the proofs one case, other sizes and another
// condition for each set, and those where the last block adds up.
TEST_P(HostWgmma, IsRight) {
  const std::vector<GemmCase> cases = wgmma_cases(kBatch);
  const Family& family = templates().family("gemm");
  const Implementation trimmed =
      on_any_device(with_fewer_wgmma_values(family.implementation("wgmma")));
  std::size_t round = 0;
  for (std::size_t i = GetParam(); i < cases.size(); i += kWgmmaTypes, ++round)
    if (proves_in_full() || round == GetParam() % kWgmmaRounds || round >= kWgmmaRounds)
      prove_conditions(family, trimmed, cases[i].problem, cases[i].wheres, {i, 4});
}

INSTANTIATE_TEST_SUITE_P(Types, HostWgmma, testing::Range(std::size_t{0}, kWgmmaTypes),
                         [](const auto& number) {
                           return name_of(wgmma_cases(kBatch).at(number.param), number.param);
                         });

}  // namespace
}  // namespace tilewright::test
