// The built-in templates give right answers in every type without a GPU.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/type_cases.hpp"

namespace tilewright::test {
namespace {

class HostTypes : public testing::TestWithParam<std::size_t> {};

// Of a part of the proofs every second case, and of it every third condition, beginning with
// another one in each case.
TEST_P(HostTypes, AreRight) {
  static const Library templates =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const TypeCase type_case = type_cases().at(GetParam());
  const Family& family = templates.family(type_case.operation);
  const Implementation trimmed =
      with_fewer_values(type_case, family.implementation(type_case.implementation));
  prove_conditions(family, trimmed, type_case.problem, type_case.wheres, {GetParam(), 3});
}

INSTANTIATE_TEST_SUITE_P(Cases, HostTypes,
                         testing::Range(std::size_t{0}, type_cases().size(), step_of_part(2)),
                         [](const auto& number) {
                           return name_of(type_cases().at(number.param), number.param);
                         });

}  // namespace
}  // namespace tilewright::test
