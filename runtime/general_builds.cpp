#include "runtime/general_builds.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "db/ladder/ladder.hpp"

namespace tilewright {

GeneralBuilds::GeneralBuilds(const std::vector<AskedProblem>& problems, const Device& device)
    : is_served_(problems.size()) {
  std::map<std::string, GeneralBuild> builds;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto& [problem, chosen, known_wrong] = problems[i];
    LadderQuestion asked{chosen.operation, chosen.implementations, problem, device, {}};
    asked.known_wrong = known_wrong;
    std::vector<LadderAnswer> answers = expected_within(asked, kWorthNoCompile);
    if (answers.empty())
      if (auto standing = climb(asked, std::vector<BestRow>{})) answers = {*std::move(standing)};
    for (const LadderAnswer& answer : answers) {
      const ChosenKernel kernel{chosen.operation, answer.implementation, chosen.family};
      if (const auto key = build_key(kernel, problem, answer.configuration, device))
        builds.try_emplace(*key, GeneralBuild{*key, kernel, answer.configuration, {}})
            .first->second.problems.push_back(i);
    }
  }
  for (auto& [key, build] : builds) builds_.push_back(std::move(build));
}

// The build that serves most of the problems without one, again and again.
std::vector<GeneralBuild> GeneralBuilds::take_few() {
  std::vector<bool> would_be_served = is_served_;
  const auto gain = [&](const GeneralBuild& build) {
    return std::ranges::count_if(build.problems, [&](auto i) { return !would_be_served[i]; });
  };
  std::vector<GeneralBuild> few;
  while (!builds_.empty()) {
    const auto best = std::ranges::max_element(builds_, {}, gain);
    if (gain(*best) == 0) break;
    for (const std::size_t i : best->problems) would_be_served[i] = true;
    few.push_back(std::move(*best));
    builds_.erase(best);
  }
  return few;
}

void GeneralBuilds::served_by(const GeneralBuild& build) {
  for (const std::size_t i : build.problems) is_served_[i] = true;
}

}  // namespace tilewright
