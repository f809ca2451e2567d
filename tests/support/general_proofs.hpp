#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/proof_runner.hpp"

namespace tilewright::test {

struct GeneralProofs {
  std::size_t configurations = 3;  // chosen of the general ones, the default among them
  std::size_t problems = 6;
  std::vector<std::string> given = {};  // of each problem beside its sizes: "type_a=float16"
};

// Proves general configurations, with the values that follow the problem, on random problems: on
// each all of the chosen ones that fit. Always the same ones. Fails the test if none fits anywhere.
void prove_general(const Family& family, const std::string& implementation, ProofBench bench,
                   const GeneralProofs& count);

}  // namespace tilewright::test
