// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "campaign/cut_tally.hpp"

#include <algorithm>

namespace tilewright {

void count_cut(std::vector<Cut>& cuts, const std::string& rule, const std::string& example) {
  const auto known =
      std::find_if(cuts.begin(), cuts.end(), [&](const Cut& cut) { return cut.rule == rule; });
  if (known != cuts.end()) {
    ++known->count;
  } else {
    cuts.push_back({rule, 1, example});
  }
}

std::vector<Cut> cuts_before_compile(const Space& space) {
  std::vector<Cut> limits;
  for (const PrunedConfiguration& pruned : space.pruned)
    count_cut(limits, pruned.rule, to_text(pruned.configuration.values) + ": " + pruned.message);
  std::vector<Cut> cuts = space.cuts;
  cuts.insert(cuts.end(), limits.begin(), limits.end());
  return cuts;
}

nlohmann::json json_of(const std::vector<Cut>& cuts) {
  nlohmann::json json = nlohmann::json::array();
  for (const Cut& cut : cuts)
    if (cut.count > 0)
      json.push_back({{"rule", cut.rule}, {"count", cut.count}, {"example", cut.example}});
  return json;
}

CutTally::CutTally(const SweepSetup& setup) {
  for (std::size_t i = 0; i < setup.spaces.size(); ++i) {
    const Space& space = setup.spaces[i];
    Part& part = parts_[setup.request.implementations[i]->full_name()];
    part.combinations = space.combinations;
    part.legal = space.legal.size();
    part.space = cuts_before_compile(space);
  }
  for (const Trial& trial : setup.request.done) on_trial(trial);
}

void CutTally::on_trial(const Trial& trial) {
  // What was never compiled is counted by its space already.
  if (trial.outcome != Outcome::pruned || !trial.resources) return;
  count_cut(parts_[trial.implementation].resources, trial.rule,
            to_text(trial.configuration.values) + ": " + trial.message);
}

nlohmann::json CutTally::json() const {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, part] : parts_)
    json[name] = {{"combinations", part.combinations},
                  {"legal", part.legal},
                  {"space", json_of(part.space)},
                  {"resources", json_of(part.resources)}};
  return json;
}

}  // namespace tilewright
