// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/candidates.hpp"

#include <algorithm>

namespace tilewright {

void Candidates::add(const Implementation& implementation, const Space& space) {
  implementations_.push_back(&implementation);
  for (const Configuration& configuration : space.legal) {
    index_.emplace(std::pair(implementation.full_name(), configuration), list_.size());
    list_.push_back({&implementation, configuration});
  }
}

std::optional<std::size_t> Candidates::find(const std::string& implementation,
                                            const Configuration& configuration) const {
  const auto found = index_.find({implementation, configuration});
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::size_t> Candidates::worth_trying_first() const {
  std::vector<std::size_t> first;
  const auto add_if_legal = [&](const Implementation& implementation, const Configuration& wanted) {
    const auto candidate = find(implementation.full_name(), wanted);
    if (candidate && std::find(first.begin(), first.end(), *candidate) == first.end())
      first.push_back(*candidate);
  };
  for (const Implementation* implementation : implementations_)
    add_if_legal(*implementation, default_configuration(*implementation));
  for (const Implementation* implementation : implementations_)
    for (const Settings& seed : implementation->seeds) {
      Configuration wanted = default_configuration(*implementation);
      for (const auto& [name, value] : seed) wanted.values[name] = value;
      add_if_legal(*implementation, wanted);
    }
  return first;
}

SearchGrid Candidates::grid() const {
  std::vector<std::string> names;  // by implementation
  for (const Implementation* implementation : implementations_)
    names.push_back(implementation->full_name());
  std::vector<GridPoint> points;
  points.reserve(list_.size());
  for (const Candidate& candidate : list_) {
    const auto place =
        std::find(implementations_.begin(), implementations_.end(), candidate.implementation);
    const auto name = static_cast<std::size_t>(place - implementations_.begin());
    points.push_back({names[name], &candidate.configuration.values});
  }
  return make_grid(points);
}

}  // namespace tilewright
