// The built-in templates give right answers in every type without a GPU.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/type_cases.hpp"

namespace tilewright::test {
namespace {

class HostTypes : public testing::TestWithParam<std::size_t> {};

// Of a part of the proofs every second condition, beginning with another one in each case.
TEST_P(HostTypes, AreRight) {
  static const Library templates =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const TypeCase type_case = type_cases().at(GetParam());
  const Family& family = templates.family(type_case.operation);
  const Implementation trimmed =
      with_fewer_values(type_case, family.implementation(type_case.implementation));
  ProofRunner runner(family, trimmed, host_bench());
  runner.open(type_case.problem);
  const std::size_t step = proves_in_full() ? 1 : std::min<std::size_t>(2, type_case.wheres.size());
  for (std::size_t i = GetParam() % step; i < type_case.wheres.size(); i += step)
    for (const Configuration& configuration : runner.sample(1, type_case.wheres[i]))
      runner.prove(configuration);
}

INSTANTIATE_TEST_SUITE_P(Cases, HostTypes, testing::Range(std::size_t{0}, type_cases().size()),
                         [](const auto& number) {
                           return name_of(type_cases().at(number.param), number.param);
                         });

}  // namespace
}  // namespace tilewright::test
