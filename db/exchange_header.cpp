// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "db/exchange.hpp"
#include "tilewright/version.hpp"

namespace tilewright {

namespace {

constexpr const char* kTypes = R"(
#ifndef TILEWRIGHT_BEST_HPP
#define TILEWRIGHT_BEST_HPP

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace tilewright_best {

// A dimension, choice or parameter: an integer, or a label.
struct Setting {
  std::string_view name;
  long long value = 0;
  std::string_view label;

  constexpr Setting(std::string_view n, long long v) : name(n), value(v) {}
  constexpr Setting(std::string_view n, std::string_view l) : name(n), label(l) {}

  constexpr bool operator==(const Setting& other) const {
    return name == other.name && value == other.value && label == other.label;
  }
};

// Some of `settings`, sorted by name.
struct Range {
  std::size_t first;
  std::size_t count;
};

// The fastest configuration of one implementation for one problem, device and policy.
struct Entry {
  std::string_view operation;
  std::string_view implementation;
  std::string_view device;  // as the driver spells it
  std::string_view partition;
  int compute_capability;  // 10 * major + minor
  int sm_count;
  std::string_view policy;  // warm/graph
  Range problem;
  Range configuration;
  double median_us;
  double default_median_us;  // 0: not measured
};

)";

constexpr const char* kFunctions = R"(
// Value of `name` in a range; `otherwise` if there is none, or it is a label.
constexpr long long value(const Range& range, std::string_view name, long long otherwise = 0) {
  for (std::size_t i = range.first; i < range.first + range.count; ++i)
    if (settings[i].name == name && settings[i].label.empty()) return settings[i].value;
  return otherwise;
}

// Label of `name` in a range; empty if there is none, or it is an integer.
constexpr std::string_view label(const Range& range, std::string_view name) {
  for (std::size_t i = range.first; i < range.first + range.count; ++i)
    if (settings[i].name == name) return settings[i].label;
  return {};
}

// Whether the entry's problem is exactly this one: every dimension, choice and hook, in any order.
constexpr bool is_problem(const Entry& entry, std::initializer_list<Setting> problem) {
  if (entry.problem.count != problem.size()) return false;
  for (const Setting& wanted : problem) {
    bool found = false;
    for (std::size_t i = 0; i < entry.problem.count; ++i)
      if (settings[entry.problem.first + i] == wanted) found = true;
    if (!found) return false;
  }
  return true;
}

// The fastest entry for this very problem on the device of this name, whatever its
// implementation; nullptr if there is none. An empty policy and an sm_count of 0 match every one.
// The problem is given whole, as `tilewright best --format json` shows it under "problem":
//   find("stencil5", "NVIDIA H200", {{"height", 4096}, {"width", 4096}, {"edge", "copy"}})
constexpr const Entry* find(std::string_view operation, std::string_view device,
                            std::initializer_list<Setting> problem,
                            std::string_view policy = {}, int sm_count = 0) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (entry.operation != operation || entry.device != device) continue;
    if (!policy.empty() && entry.policy != policy) continue;
    if (sm_count != 0 && entry.sm_count != sm_count) continue;
    if (!is_problem(entry, problem)) continue;
    if (best == nullptr || entry.median_us < best->median_us) best = &entry;
  }
  return best;
}

}  // namespace tilewright_best

#endif  // TILEWRIGHT_BEST_HPP
)";

// Octal escapes, because they end after three digits; '?' too, for it may begin a trigraph.
std::string literal(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\' || c == '?')
      result += fmt::format("\\{:03o}", byte);
    else
      result += c;
  }
  return result + '"';
}

// The table `settings` while it grows.
class SettingTable {
 public:
  // Appends them; returns the initialiser of their Range.
  std::string add(const Settings& settings) {
    std::string range = fmt::format("{{{}, {}}}", count_, settings.size());
    for (const auto& [name, value] : settings) {
      const bool is_number = std::holds_alternative<std::int64_t>(value);
      lines_ += fmt::format("    Setting({}, {}),\n", literal(name),
                            is_number ? number(std::get<std::int64_t>(value))
                                      : "std::string_view(" + literal(to_text(value)) + ")");
    }
    count_ += settings.size();
    return range;
  }

  std::string text() const {
    return fmt::format("inline constexpr std::array<Setting, {}> settings = {{{}}};\n", count_,
                       lines_.empty() ? "" : "{\n" + lines_ + "}");
  }

 private:
  // The least integer has no literal of its own.
  static std::string number(std::int64_t value) {
    if (value == INT64_MIN) return "-9223372036854775807LL - 1";
    return fmt::format("{}LL", value);
  }

  std::size_t count_ = 0;
  std::string lines_;
};

std::string entry(const BestRow& row, SettingTable& settings) {
  const std::string problem = settings.add(row.problem.values);
  const std::string configuration = settings.add(row.configuration.values);
  return fmt::format(
      "    Entry{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", literal(row.problem.operation),
      literal(row.implementation), literal(row.device.name), literal(row.device.partition),
      row.device.compute_capability, row.device.sm_count, literal(to_text(row.policy)), problem,
      configuration, row.trial.timing ? row.trial.timing->median_us : 0, row.default_median_us);
}

std::string order_of(const BestRow& row) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", row.problem.operation,
                     canonical_json(row.problem.values), row.device.kind, row.device.name,
                     row.device.partition, row.device.sm_count, to_text(row.policy),
                     row.implementation);
}

}  // namespace

std::string export_header(const std::vector<BestRow>& rows) {
  std::vector<const BestRow*> sorted;
  sorted.reserve(rows.size());
  for (const BestRow& row : rows) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const BestRow* a, const BestRow* b) { return order_of(*a) < order_of(*b); });
  SettingTable settings;
  std::string lines;
  for (const BestRow* row : sorted) lines += entry(*row, settings);
  return fmt::format("// Written by tilewright {}: tuned configurations. C++17, no dependencies.\n",
                     kVersion) +
         kTypes + settings.text() + '\n' +
         fmt::format("inline constexpr std::array<Entry, {}> entries = {{{}}};\n", rows.size(),
                     lines.empty() ? "" : "{\n" + lines + "}") +
         kFunctions;
}

}  // namespace tilewright
