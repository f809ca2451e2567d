// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/print/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace tilewright::tools {
namespace {

std::string percent(double seconds, double total_s) {
  return fmt::format("{:.0f} %", total_s > 0 ? 100 * seconds / total_s : 0);
}

// "timing 61 %, verifying 22 %": the largest first, without what is below half a percent.
std::string shares(const nlohmann::json& parts, double total_s) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, seconds] : parts.items())
    if (seconds.get<double>() >= 0.005 * total_s) sorted.emplace_back(-seconds.get<double>(), name);
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [seconds, name] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent(-seconds, total_s));
  return text;
}

}  // namespace

void print_wall_time(std::ostream& out, const nlohmann::json& clock) {
  if (!clock.contains("occupied_s")) return;
  const double total_s = clock.value("total_s", 0.0);
  const double occupied_s = clock.value("occupied_s", 0.0);
  const nlohmann::json busy = clock.value("busy_s", nlohmann::json::object());
  out << fmt::format(
      "wall time: the device at work {}, all {} compile processes {}, one or the other {}; "
      "bottleneck: {}\n",
      percent(clock.value("device_s", 0.0), total_s), clock.value("compile_processes", 0),
      percent(clock.value("all_compilers_s", 0.0), total_s), percent(occupied_s, total_s),
      clock.value("bottleneck", ""));
  out << "  of it, side by side: " << shares(busy, total_s) << '\n';
  const std::string lost = shares(clock.value("lost_s", nlohmann::json::object()), total_s);
  if (!lost.empty()) out << "  neither: " << lost << '\n';
}

}  // namespace tilewright::tools
