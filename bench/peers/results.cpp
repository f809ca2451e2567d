#include "bench/peers/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "definition/json/json.hpp"
#include "tools/print/text.hpp"
#include "tuner/measure/machine_watch.hpp"

namespace tilewright::bench {
namespace {

// Our side as the case asks for it, if it was measured so; else our side against a rival that
// changes the problem.
const Match* own_match(const std::vector<Match>& matches, const std::string& item) {
  const Match* found = nullptr;
  for (const Match& match : matches) {
    if (match.item != item || !match.is_measured()) continue;
    if (match.note.empty()) return &match;
    if (found == nullptr) found = &match;
  }
  return found;
}

void print_line(std::ostream& out, const std::vector<std::string>& cells) {
  out << fmt::format("| {} |\n", fmt::join(cells, " | "));
}

void print_side(std::ostream& out, const Match& match, const Side& side, const std::string& name,
                const std::string& ratio, const std::string& how) {
  const double us = side.timing.median_us;
  print_line(out, {match.item, name, fmt::format("{:.1f}", us), ratio,
                   fmt::format("{:.0f}", match.bytes / us / 1e3),
                   fmt::format("{:.1f}", match.flops / us / 1e6),
                   fmt::format("{:.0f} %", 100 * match.floor_us / us),
                   fmt::format("{:.0f}", side.timing.sm_mhz),
                   fmt::format("{:.1e}", side.accuracy.worst_error), how});
}

void print_ours(std::ostream& out, const Match& match) {
  print_side(out, match, match.ours, "**tilewright**", "1", match.ours.how);
}

void print_theirs(std::ostream& out, const Match& match) {
  if (!match.is_measured()) {
    print_line(out, {match.item, match.rival, "–", "", "", "", "", "", "", match.why_not});
    return;
  }
  std::string how = match.theirs.how;
  if (!match.note.empty())
    how += fmt::format("; {}: ours {:.1f} µs", match.note, match.ours.timing.median_us);
  if (!match.theirs.accuracy.message.empty()) how += "; outside our tolerance";
  for (const ForeignProcess& process : match.others)
    how += fmt::format("; not to be trusted: {} computed on the same GPU", to_text(process));
  print_side(out, match, match.theirs, match.rival,
             fmt::format("{:.3f} ({:.3f}–{:.3f})", match.ratio.value, match.ratio.interval.low,
                         match.ratio.interval.high),
             how);
}

nlohmann::json json_of(const Side& side) {
  nlohmann::json json = tools::timing_summary(side.timing);
  json.update({{"how", side.how},
               {"worst_error", side.accuracy.worst_error},
               {"worst_error_over_tolerance", side.accuracy.worst_ratio},
               {"outputs_checked", side.accuracy.checked},
               {"wrong", side.accuracy.message},
               {"samples_us", side.timing.samples_us}});
  return json;
}

nlohmann::json json_of(const Match& match) {
  nlohmann::json json = {{"case", match.item}, {"rival", match.rival}};
  if (!match.note.empty()) json["note"] = match.note;
  if (!match.is_measured()) {
    json["why_not"] = match.why_not;
    return json;
  }
  json.update({{"ours", json_of(match.ours)},
               {"theirs", json_of(match.theirs)},
               {"ratio", match.ratio.value},
               {"ratio_low", match.ratio.interval.low},
               {"ratio_high", match.ratio.interval.high},
               {"flops", match.flops},
               {"bytes", match.bytes},
               {"floor_us", match.floor_us}});
  for (const ForeignProcess& process : match.others) json["others"].push_back(to_text(process));
  return json;
}

}  // namespace

void print(std::ostream& out, const Record& record) {
  const Environment& environment = record.environment;
  out << fmt::format("{}, driver {}, CUDA {}, {}, operands {}; multiply-adds {:.1f} TFLOP/s\n\n",
                     record.device.name, environment.driver, environment.runtime,
                     environment.compiler, to_text(record.cache), record.flops_per_us / 1e6);
  print_line(out, {"case", "", "µs", "times tilewright's", "GB/s", "TFLOP/s", "floor over it",
                   "MHz", "error", "how"});
  print_line(out, {"---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---"});
  std::string item;
  for (const Match& match : record.matches) {
    if (match.item != item)
      if (const Match* own = own_match(record.matches, match.item)) print_ours(out, *own);
    item = match.item;
    print_theirs(out, match);
  }
}

nlohmann::json json_of(const Record& record) {
  nlohmann::json json = {{"command", record.command},
                         {"device", tools::device_summary(record.device)},
                         {"environment", to_json(record.environment)},
                         {"policy", to_text(record.cache)},
                         {"multiply_add_tflops", record.flops_per_us / 1e6},
                         {"copies", nlohmann::json::array()},
                         {"matches", nlohmann::json::array()}};
  for (const auto& [count, us] : record.copies_us)
    json["copies"].push_back({{"bytes_each_way", 4 * count}, {"us", us}});
  for (const Match& match : record.matches) json["matches"].push_back(json_of(match));
  return json;
}

}  // namespace tilewright::bench
