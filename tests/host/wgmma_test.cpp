// gemm/wgmma gives right answers without a GPU: all but its multiplications is the same source.
#include <gtest/gtest.h>

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

// Of a part of the proofs every second condition, beginning with another one in each case.
TEST_P(HostWgmma, IsRight) {
  const Family& family = templates().family("gemm");
  const GemmCase gemm_case = wgmma_cases().at(GetParam());
  const Implementation trimmed =
      on_any_device(with_fewer_wgmma_values(family.implementation("wgmma")));
  ProofRunner runner(family, trimmed, host_bench());
  runner.open(gemm_case.problem);
  const std::size_t step = proves_in_full() ? 1 : std::min<std::size_t>(4, gemm_case.wheres.size());
  for (std::size_t i = GetParam() % step; i < gemm_case.wheres.size(); i += step)
    for (const Configuration& configuration : runner.sample(1, gemm_case.wheres[i]))
      runner.prove(configuration);
}

INSTANTIATE_TEST_SUITE_P(Cases, HostWgmma, testing::Range(std::size_t{0}, wgmma_cases().size()),
                         [](const auto& number) {
                           return name_of(wgmma_cases().at(number.param), number.param);
                         });

}  // namespace
}  // namespace tilewright::test
