// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/print/cuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace tilewright::tools {

std::string legal_text(const Space& space) {
  const auto legal = static_cast<std::int64_t>(space.legal.size());
  const auto pruned = static_cast<std::int64_t>(space.pruned.size());
  std::string text = count_text(legal) + " legal";
  if (space.is_sample())
    text += fmt::format(" in a sample of {} of the {} that the rules leave",
                        count_text(legal + pruned), count_text(space.satisfying));
  return text;
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
