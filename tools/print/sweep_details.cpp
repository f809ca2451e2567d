#include "tools/print/sweep.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>

#include "definition/json/json.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::tools {
namespace {

void print_winners(std::ostream& out, const PreparedSweep& sweep,
                   const std::vector<BestRow>& winners) {
  Table table({"implementation", "time", "rate", "against default", "runner-up"}, {1, 2});
  for (const BestRow& row : winners) {
    const double us = median_of(row.trial);
    table.add({row.implementation, time_text(us),
               rate_text(rate_of(*sweep.request.operation, call_of(row))),
               faster_text(row.default_median_us, us),
               row.tie ? "tie" : faster_text(us, row.runner_up_median_us)});
  }
  table.print(out);
  for (const BestRow& row : winners)
    out << fmt::format("{}: {}\n", row.implementation,
                       configuration_text(sweep.request.implementations, row.implementation,
                                          row.configuration, Detail::full));
}

// How many outputs of the fastest were compared. The others were only tested for NaN and poison.
void print_checked(std::ostream& out, const std::vector<BestRow>& winners) {
  if (winners.empty() || !winners.front().trial.verification) return;
  const Verification& verification = *winners.front().trial.verification;
  out << fmt::format("answers: checked {} of {} against the reference\n",
                     count_text(verification.outputs_checked),
                     counted(verification.outputs_total, "output"));
}

void print_priors(std::ostream& out, const nlohmann::json& report) {
  const auto priors = report.find("priors");
  if (priors == report.end()) return;
  const nlohmann::json sources = priors->value("sources", nlohmann::json::array());
  const auto shipped = priors->value("shipped", std::int64_t{0});
  std::vector<std::string> parts;
  if (!sources.empty()) {
    std::int64_t trials = 0;
    for (const nlohmann::json& source : sources) trials += source.value("trials", std::int64_t{0});
    const nlohmann::json& nearest = sources.front();
    parts.push_back(fmt::format("what {} found in {}; the nearest: {} ({}), {}, distance {:.2f}",
                                counted(sources.size(), "stored sweep"), counted(trials, "trial"),
                                nearest.value("problem", ""), nearest.value("policy", ""),
                                nearest.value("device", ""), nearest.value("distance", 0.0)));
  }
  if (shipped > 0) parts.push_back(counted(shipped, "shipped winner"));
  if (const auto general = priors->value("general", std::int64_t{0}); general > 0)
    parts.push_back(counted(general, "general configuration"));
  if (!parts.empty())
    out << fmt::format("began with {}\n", fmt::join(parts, "; and with "));
  else
    out << (priors->value("use", "") == "none"
                ? "began without priors, as asked\n"
                : "began without priors: none is stored or shipped\n");
}

// The parameters with the greatest effect on the time.
void print_importance(std::ostream& out, const nlohmann::json& report) {
  constexpr std::size_t most = 5;
  constexpr double least = 0.02;
  std::string text;
  std::size_t shown = 0;
  for (const nlohmann::json& item : report.value("importance", nlohmann::json::array())) {
    const double share = item.value("share", 0.0);
    if (share < least || shown++ == most) break;
    text += fmt::format("{}{} {:.0f} % ({:.0f}–{:.0f})", text.empty() ? "" : ", ",
                        item.value("name", ""), 100 * share, 100 * item.value("low", 0.0),
                        100 * item.value("high", 0.0));
  }
  if (!text.empty()) out << "what matters: " << text << '\n';
}

// Whether the winner can be trusted: how the final ended and how the machine drifted.
void print_trust(std::ostream& out, const nlohmann::json& report) {
  if (const int rounds = figure<int>(report, "/final/rounds"); rounds > 0) {
    const auto end = figure<std::string>(report, "/final/end");
    out << fmt::format("final: {} measured again in {}; {}\n",
                       counted(figure<std::int64_t>(report, "/final/finalists"), "configuration"),
                       counted(rounds, "interleaved round"),
                       end == "settled" ? "all differences are significant or ties"
                       : end == "rounds"
                           ? "not all differences are significant"
                           : "not all differences were significant when the time was up");
  }
  if (figure<int>(report, "/drift/readings") > 1)
    out << fmt::format("drift while screening: {:+.1f} % to {:+.1f} %\n",
                       100 * (figure<double>(report, "/drift/lowest") - 1),
                       100 * (figure<double>(report, "/drift/highest") - 1));
  if (const auto beside = figure<std::int64_t>(report, "/drift/beside_anchor"); beside > 0)
    out << fmt::format(
        "the clock was held down: {} measured between two readings of the best\n",
        beside == 1 ? "1 configuration was" : count_text(beside) + " configurations were");
}

void print_compiles(std::ostream& out, const nlohmann::json& report) {
  if (!report.contains("compiles")) return;
  out << fmt::format("{}, {} taken from the cache\n",
                     counted(figure<std::int64_t>(report, "/compiles/done"), "compile"),
                     count_text(figure<std::int64_t>(report, "/compiles/from_cache")));
}

// How much of the space was tried, and why the search ended there.
void print_end(std::ostream& out, const nlohmann::json& report) {
  const std::string end = report.value("end", "");
  const std::string why =
      end == "plateau"       ? "; ended because nothing better was found for a long time"
      : end == "enough_time" ? "; ended because the time for a search "
                               "without --budget was up (--budget N continues it)"
      : end == "target"      ? "; ended because the target was reached"
      : end == "time_limit"  ? "; ended by the time limit"
      : end == "ended_early" ? "; ended early by an interrupt"
      : end == "interrupted" ? "; interrupted"
                             : "";
  const std::size_t all = report.value("candidates", std::size_t{0});
  if (all == 0 || !report.contains("seen")) return;
  const std::size_t seen = report.value("seen", std::size_t{0});
  out << fmt::format("tried {} of {} legal configurations ({:.0f} %){}\n",
                     count_text(static_cast<std::int64_t>(seen)),
                     count_text(static_cast<std::int64_t>(all)),
                     100.0 * static_cast<double>(seen) / static_cast<double>(all), why);
}

std::string percent(double seconds, double total_s) {
  return fmt::format("{:.0f} %", total_s > 0 ? 100 * seconds / total_s : 0);
}

// "timing 61 %, verifying 22 %": the largest first. Shares below half a percent are left out.
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

// How busy the device and the compilers were, and what the rest of the time went into. Older
// reports lack this.
void print_wall_time(std::ostream& out, const nlohmann::json& clock) {
  if (!clock.contains("occupied_s")) return;
  const double total_s = clock.value("total_s", 0.0);
  const double occupied_s = clock.value("occupied_s", 0.0);
  const nlohmann::json busy = clock.value("busy_s", nlohmann::json::object());
  out << fmt::format(
      "wall time: device busy {}, all {} compile processes busy {}, neither {}; bottleneck: {}\n",
      percent(clock.value("device_s", 0.0), total_s), clock.value("compile_processes", 0),
      percent(clock.value("all_compilers_s", 0.0), total_s), percent(total_s - occupied_s, total_s),
      clock.value("bottleneck", ""));
  out << "  in parallel: " << shares(busy, total_s) << '\n';
  const std::string lost = shares(clock.value("lost_s", nlohmann::json::object()), total_s);
  if (!lost.empty()) out << "  while neither was busy: " << lost << '\n';
}

void print_clock(std::ostream& out, const nlohmann::json& report) {
  const nlohmann::json clock = report.value("clock", nlohmann::json::object());
  out << fmt::format(
      "{} configurations in {}: {:.1f} per second\n", report.value("tried", std::size_t{0}),
      duration_text(clock.value("total_s", 0.0)), report.value("configurations_per_second", 0.0));
  print_wall_time(out, clock);
  if (const int restarts = report.value("worker_restarts", 0); restarts > 0)
    out << fmt::format("the device worker was replaced {}\n", counted(restarts, "time"));
}

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
                                    {"throttle", "reasons for a low clock", ""},
                                    {"processes", "other processes", ""}};

std::string share_text(const std::string& reason, double share) {
  return fmt::format("{} in {:.0f} % of the readings", reason, 100 * share);
}

std::vector<std::string> seen_texts(const nlohmann::json& machine) {
  std::vector<std::string> texts;
  for (const Quantity& quantity : kQuantities) {
    const nlohmann::json range = machine.value(quantity.key, nlohmann::json());
    if (*quantity.unit == 0 || !range.is_object()) continue;
    texts.push_back(fmt::format("{} {:.0f} {} ({:.0f} to {:.0f})", quantity.name,
                                range.value("median", 0.0), quantity.unit,
                                range.value("minimum", 0.0), range.value("maximum", 0.0)));
  }
  const nlohmann::json throttle = machine.value("throttle", nlohmann::json::object());
  for (const auto& [reason, share] : throttle.items())
    if (share.is_number()) texts.push_back(share_text(reason, share.get<double>()));
  return texts;
}

// Grouped by reason: "power, temperature not known: Not Supported"; the reason alone if nothing is
// known.
std::vector<std::string> unseen_texts(const nlohmann::json& machine) {
  const nlohmann::json unseen = machine.value("unseen", nlohmann::json::object());
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const Quantity& quantity : kQuantities)
    if (const nlohmann::json why = unseen.value(quantity.key, nlohmann::json()); why.is_string())
      by_reason[why.get<std::string>()].emplace_back(quantity.name);
  std::vector<std::string> texts;
  for (const auto& [why, names] : by_reason)
    texts.push_back(names.size() == std::size(kQuantities)
                        ? why
                        : fmt::format("{} not known: {}", fmt::join(names, ", "), why));
  return texts;
}

void print_machine(std::ostream& out, const nlohmann::json& machine) {
  if (!machine.is_object() || machine.value("readings", 0) == 0) return;
  const std::vector<std::string> seen = seen_texts(machine);
  if (!seen.empty()) out << fmt::format("machine: {}\n", fmt::join(seen, ", "));
  const std::vector<std::string> unseen = unseen_texts(machine);
  if (!unseen.empty()) out << fmt::format("machine: {}\n", fmt::join(unseen, "; "));
}

}  // namespace

void print_details(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer) {
  const nlohmann::json& report = answer.report;
  const std::vector<BestRow>& winners = answer.winners;
  if (!winners.empty()) print_winners(out, sweep, winners);
  const nlohmann::json parts = report.value("implementations", nlohmann::json::object());
  for (const auto& [name, part] : parts.items()) {
    out << fmt::format("\n{}: {}, {} legal\n", name,
                       counted(part.value("combinations", std::int64_t{0}), "combination"),
                       count_text(part.value("legal", std::int64_t{0})));
    print_cuts(out, part.value("space", nlohmann::json::array()), "  ", Detail::full);
    print_cuts(out, part.value("resources", nlohmann::json::array()), "  ", Detail::full);
  }
  std::string outcomes;
  const nlohmann::json counts = report.value("outcomes", nlohmann::json::object());
  for (const auto& [name, count] : counts.items())
    outcomes +=
        fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", count.get<std::size_t>(), name);
  out << "\noutcomes: " << (outcomes.empty() ? "none" : outcomes) << '\n';
  print_checked(out, winners);
  for (const std::string& text : found_wrong_texts(report)) out << text << '\n';
  for (const Settings& check : impossible_checks(sweep.request))
    out << fmt::format("check not made, no problem has the sizes that are compiled in: {}\n",
                       to_text(check));
  print_end(out, report);
  print_priors(out, report);
  print_importance(out, report);
  print_trust(out, report);
  print_compiles(out, report);
  print_clock(out, report);
  print_machine(out, report.value("machine", nlohmann::json()));
}

nlohmann::json json_of(const BestRow& row) {
  nlohmann::json json = {{"implementation", row.implementation},
                         {"configuration", to_json(row.configuration.values)},
                         {"problem", to_json(row.problem.values)},
                         {"device", device_summary(row.device)},
                         {"policy", to_text(row.policy)},
                         {"environment", to_json(row.environment)},
                         {"default_median_us", row.default_median_us},
                         {"runner_up_median_us", row.runner_up_median_us},
                         {"measured", row.measured},
                         {"tie", row.tie},
                         {"sweep", row.sweep_uuid},
                         {"finished", row.unfinished ? 0 : row.finished},
                         {"imported", row.imported},
                         {"shipped", row.shipped}};
  if (row.unfinished)
    json["unfinished"] = {{"tried", row.unfinished->tried}, {"total", row.unfinished->total}};
  if (row.superseded) json["superseded"] = true;
  if (row.confirmed != 0) {
    json["confirmed"] = row.confirmed;
    json["confirmed_environment"] = to_json(row.confirmed_environment);
  }
  if (row.trial.timing) json["timing"] = timing_summary(*row.trial.timing);
  if (row.trial.warm_timing) json["warm_timing"] = timing_summary(*row.trial.warm_timing);
  if (row.trial.resources) json["resources"] = to_json(*row.trial.resources);
  if (row.trial.verification)
    json["verification"] = {{"outputs_checked", row.trial.verification->outputs_checked},
                            {"outputs_total", row.trial.verification->outputs_total},
                            {"seed", row.trial.verification->seed}};
  return json;
}

void print_spaces(std::ostream& out, const PreparedSweep& setup) {
  for (std::size_t i = 0; i < setup.spaces.size(); ++i) {
    const Space& space = setup.spaces[i];
    out << fmt::format("{}: {}, {}\n", setup.request.implementations[i]->full_name(),
                       counted(space.combinations, "combination"), legal_text(space));
    print_cuts(out, json_of(cuts_before_compile(space)), "  ", Detail::full);
  }
}

std::string disturbance(const MachineSummary& machine) {
  std::vector<std::string> texts;
  for (const auto& [reason, share] : machine.throttle)
    if (reason != kIdle && reason != kClocksSet)
      texts.push_back("the GPU's clock was held down: " + share_text(reason, share));
  for (const ForeignProcess& process : machine.processes)
    texts.push_back(to_text(process) + " computed on the same GPU");
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string legal_text(const Space& space) {
  const auto legal = static_cast<std::int64_t>(space.legal.size());
  std::string text = count_text(legal) + " legal";
  if (space.is_sample())
    text += fmt::format(" in a sample of {} of the {} combinations that satisfy the rules",
                        count_text(space.listed), count_text(space.satisfying));
  return text;
}

void print_cuts(std::ostream& out, const nlohmann::json& cuts, const std::string& indent,
                Detail detail) {
  Table table({}, {0});
  for (const nlohmann::json& cut : cuts) {
    const std::string rule = cut.at("rule");
    table.add({count_text(cut.at("count")),
               rule == "inactive" ? "an inactive parameter must have its default" : rule});
    const std::string example = cut.at("example");
    if (detail == Detail::full && !example.empty()) table.add({"", "e.g. " + example});
    if (detail == Detail::brief && cut.contains("require"))
      table.add({"", "  requires " + formula_text(cut["require"].get<std::string>(), detail)});
  }
  table.print(out, indent);
}

}  // namespace tilewright::tools
