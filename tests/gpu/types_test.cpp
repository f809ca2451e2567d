// The built-in templates give right answers in every type on the GPU, and can be timed.
#include <gtest/gtest.h>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/type_cases.hpp"

namespace tilewright::test {
namespace {

class Types : public GpuTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(Types, AreRight) {
  static const Library templates = Library::load({source_folder() / "kernel_templates"});
  const TypeCase type_case = type_cases().at(GetParam());
  const Family& family = templates.family(type_case.operation);
  const Implementation trimmed =
      with_fewer_values(type_case, family.implementation(type_case.implementation));
  ProofRunner runner(family, trimmed, proof_bench(device()));
  runner.open(type_case.problem);
  for (const std::string& where : type_case.wheres)
    for (const Configuration& configuration : runner.sample(3, where))
      runner.prove_and_time(configuration);
  if (type_case.implementation == "blocked" && device().compute_capability >= 90)
    for (const Configuration& configuration :
         runner.sample(2, "SPLIT_K > 1 && REDUCTION == 'cluster'"))
      runner.prove_and_time(configuration);
}

INSTANTIATE_TEST_SUITE_P(Cases, Types, testing::Range(std::size_t{0}, type_cases().size()),
                         [](const auto& number) {
                           return name_of(type_cases().at(number.param), number.param);
                         });

}  // namespace
}  // namespace tilewright::test
