#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "db/ladder/known_wrong.hpp"
#include "runtime/launch/recipe.hpp"

namespace tilewright {

struct AskedProblem {
  Problem problem;
  ChosenOperation chosen;
  std::shared_ptr<const KnownWrongs> known_wrong = {};  // as in LadderQuestion
};

// Code of a general configuration, by an example of what it is for.
struct GeneralBuild {
  std::string key;  // build_key()
  ChosenKernel kernel;
  Configuration configuration;
  std::vector<std::size_t> problems;  // that it serves well; not empty
};

// Chooses few builds for problems that nobody tuned. A problem is served by those that are expected
// to take at most kWorthNoCompile times as long as its best; where nobody knows what to expect, by
// that of the answer without results.
class GeneralBuilds {
 public:
  // The problems must outlive it. REQUIRES a device that can run one of the implementations.
  GeneralBuilds(const std::vector<AskedProblem>& problems, const Device& device);

  // Builds that are returned for the first time, so that each problem that is not served would be;
  // empty if nothing is left that serves one. Call it again when some of them do not compile.
  std::vector<GeneralBuild> take_few();
  void served_by(const GeneralBuild& build);

 private:
  std::vector<GeneralBuild> builds_;
  std::vector<bool> is_served_;  // by problem
};

}  // namespace tilewright
