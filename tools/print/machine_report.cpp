// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/print/machine_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <ostream>
#include <vector>

#include "tools/print/report.hpp"

namespace tilewright::tools {
namespace {

using Json = nlohmann::json;

// In the order in which they are shown.
struct Quantity {
  const char* key;
  const char* name;
  const char* unit;  // empty: not a number
};
constexpr Quantity kQuantities[] = {{"sm_mhz", "SM clock", "MHz"},
                                    {"memory_mhz", "memory clock", "MHz"},
                                    {"power_w", "power", "W"},
                                    {"temperature_c", "temperature", "°C"},
                                    {"throttle", "reasons of a low clock", ""},
                                    {"processes", "other processes", ""}};

std::string share_text(const std::string& reason, double share) {
  return fmt::format("{} in {:.0f} % of the readings", reason, 100 * share);
}

std::string process_text(const ForeignProcess& process) {
  if (process.id == 0) return "a process that is not visible here";
  return fmt::format("process {}{}", process.id,
                     process.name.empty() ? "" : " (" + process.name + ")");
}

std::vector<std::string> seen_texts(const Json& machine) {
  std::vector<std::string> texts;
  for (const Quantity& quantity : kQuantities) {
    const Json range = machine.value(quantity.key, Json());
    if (*quantity.unit == 0 || !range.is_object()) continue;
    texts.push_back(fmt::format("{} {:.0f} {} ({:.0f} to {:.0f})", quantity.name,
                                range.value("median", 0.0), quantity.unit,
                                range.value("minimum", 0.0), range.value("maximum", 0.0)));
  }
  const Json throttle = machine.value("throttle", Json::object());
  for (const auto& [reason, share] : throttle.items())
    if (share.is_number()) texts.push_back(share_text(reason, share.get<double>()));
  return texts;
}

// By reason: "power, temperature: Not Supported"; the reason alone where it is that of all.
std::vector<std::string> unseen_texts(const Json& machine) {
  const Json unseen = machine.value("unseen", Json::object());
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const Quantity& quantity : kQuantities)
    if (const Json why = unseen.value(quantity.key, Json()); why.is_string())
      by_reason[why.get<std::string>()].emplace_back(quantity.name);
  std::vector<std::string> texts;
  for (const auto& [why, names] : by_reason)
    texts.push_back(names.size() == std::size(kQuantities)
                        ? why
                        : fmt::format("{} not known: {}", fmt::join(names, ", "), why));
  return texts;
}

}  // namespace

void print_machine(std::ostream& out, const nlohmann::json& machine) {
  if (!machine.is_object() || machine.value("readings", 0) == 0) return;
  const std::vector<std::string> seen = seen_texts(machine);
  if (!seen.empty()) out << fmt::format("machine: {}\n", fmt::join(seen, ", "));
  const std::vector<std::string> unseen = unseen_texts(machine);
  if (!unseen.empty()) out << fmt::format("machine: {}\n", fmt::join(unseen, "; "));
}

std::string disturbance(const MachineSummary& machine) {
  std::vector<std::string> texts;
  for (const auto& [reason, share] : machine.throttle)
    if (reason != kIdle && reason != kClocksSet)
      texts.push_back("the GPU's clock was held down: " + share_text(reason, share));
  for (const ForeignProcess& process : machine.processes)
    texts.push_back(process_text(process) + " computed on the same GPU");
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace tilewright::tools
