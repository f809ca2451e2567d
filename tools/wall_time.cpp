// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace tilewright::tools {
namespace {

constexpr const char* kNobody = "unexplained";

// What took the most: the device, the compilers, or what the lost time went on with.
std::string bottleneck_of(const SweepClock& clock) {
  std::string name = "device";
  double most = clock.device_s;
  const auto compare = [&](const std::string& other, double seconds) {
    if (seconds <= most) return;
    name = other;
    most = seconds;
  };
  compare("compilers", clock.all_compilers_s);
  for (const auto& [activity, seconds] : clock.lost_s)
    compare(std::string(to_text(activity)), seconds);
  return name;
}

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

nlohmann::json json_of(const SweepClock& clock, int compile_processes) {
  nlohmann::json busy = nlohmann::json::object();
  for (const auto& [activity, seconds] : clock.busy_s)
    busy[std::string(to_text(activity))] = seconds;
  nlohmann::json lost = nlohmann::json::object();
  for (const auto& [activity, seconds] : clock.lost_s)
    lost[std::string(to_text(activity))] = seconds;
  lost[kNobody] = clock.unexplained_s;
  return {{"total_s", clock.total_s},
          {"device_s", clock.device_s},
          {"all_compilers_s", clock.all_compilers_s},
          {"occupied_s", clock.occupied_s},
          {"compile_processes", compile_processes},
          {"compile_process_s", clock.compile_process_s},
          {"busy_s", busy},
          {"lost_s", lost},
          {"bottleneck", bottleneck_of(clock)}};
}

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
