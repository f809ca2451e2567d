// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/cuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace tilewright::tools {

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

std::string legal_text(const Space& space) {
  const auto legal = static_cast<std::int64_t>(space.legal.size());
  const auto pruned = static_cast<std::int64_t>(space.pruned.size());
  std::string text = count_text(legal) + " legal";
  if (space.is_sample())
    text += fmt::format(" in a sample of {} of the {} that the rules leave",
                        count_text(legal + pruned), count_text(space.satisfying));
  return text;
}

nlohmann::json json_of(const std::vector<Cut>& cuts) {
  nlohmann::json json = nlohmann::json::array();
  for (const Cut& cut : cuts)
    if (cut.count > 0)
      json.push_back({{"rule", cut.rule}, {"count", cut.count}, {"example", cut.example}});
  return json;
}

std::vector<Cut> cuts_from(const nlohmann::json& json) {
  std::vector<Cut> cuts;
  for (const auto& cut : json) cuts.push_back({cut.at("rule"), cut.at("count"), cut.at("example")});
  return cuts;
}

void print_cuts(std::ostream& out, const std::vector<Cut>& cuts, const std::string& indent) {
  std::size_t width = 0;
  for (const Cut& cut : cuts) width = std::max(width, count_text(cut.count).size());
  for (const Cut& cut : cuts) {
    if (cut.count == 0) continue;
    out << fmt::format("{}{:>{}}  {}\n", indent, count_text(cut.count), width, cut.rule);
    if (!cut.example.empty())
      out << fmt::format("{}{:>{}}  e.g. {}\n", indent, "", width, cut.example);
  }
}

}  // namespace tilewright::tools
