#pragma once

#include <string>
#include <vector>

#include "tests/support/proof_runner.hpp"

namespace tilewright::test {

// A problem in other types than float32, and the conditions of the configurations that prove the
// implementation on it. Each condition gives one set of configurations.
struct TypeCase {
  std::string operation;
  std::string implementation;
  std::vector<std::string> problem;
  std::vector<std::string> wheres;
};

// Every built-in implementation with every type and the ways in which elements reach their sums: on
// ragged and aligned sizes, with gaps, transposes, batches, splits of K and C added.
std::vector<TypeCase> type_cases();

// As "gemm_blocked_float16_1", for the name of a test.
std::string name_of(const TypeCase& type_case, std::size_t number);

// The implementation with fewer values of parameters that only multiply its space.
Implementation with_fewer_values(const TypeCase& type_case, const Implementation& implementation);

}  // namespace tilewright::test
