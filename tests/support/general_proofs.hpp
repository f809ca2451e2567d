#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/proof_runner.hpp"

namespace tilewright::test {

constexpr std::uint64_t kGeneralSeed = 20261123;

struct GeneralProofs {
  std::size_t configurations = 3;       // chosen of the general ones, the default among them
  std::size_t problems = 6;             // of which some of them fit
  std::vector<std::string> given = {};  // of each problem beside its sizes: "type_a=float16"
};

// Proves general configurations, with the values that follow the problem, on random problems: on
// each all of the chosen ones that fit. Always the same ones. Fails the test if none fits on most.
void prove_general(const Family& family, const std::string& implementation, ProofBench bench,
                   const GeneralProofs& count);

// Proves what look-ups choose where nobody tuned, of all implementations the configuration of least
// cost, on random problems, each with one of `types` in turn. Without the operation's checks.
// Returns how many problems each implementation has served.
struct ServedProofs {
  std::size_t problems = 150;
  std::uint64_t seed = kGeneralSeed;
};
std::map<std::string, std::size_t> prove_served(Family family,
                                                const std::function<ProofBench()>& bench,
                                                const ServedProofs& count,
                                                const std::vector<std::vector<std::string>>& types);

}  // namespace tilewright::test
