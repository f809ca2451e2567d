// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/reports/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>

#include "db/derived/choose.hpp"
#include "definition/json/json.hpp"
#include "tools/input/priors.hpp"
#include "tools/print/cuts.hpp"
#include "tools/print/machine_report.hpp"
#include "tools/print/report.hpp"
#include "tools/print/wall_time.hpp"

namespace tilewright::tools {
namespace {

// " +12.3 %": how much longer `other` takes; empty where it is not known.
std::string longer(double other_us, double us) {
  if (other_us <= 0 || us <= 0) return "";
  return fmt::format("{:+.1f} %", (other_us / us - 1) * 100);
}

double median_of(const Trial& trial) {
  return trial.timing ? trial.timing->median_us : 0;
}

void print_winners(std::ostream& out, const Operation& operation,
                   const std::vector<BestRow>& winners) {
  Table table({"implementation", "time", "rate", "default", "runner-up", "configuration"},
              {Table::Align::left, Table::Align::right, Table::Align::right, Table::Align::right,
               Table::Align::right});
  for (const BestRow& row : winners) {
    const double us = median_of(row.trial);
    table.add({row.implementation, time_text(us),
               rate_text(rate_of(operation, row.problem, row.device, us)),
               longer(row.default_median_us, us),
               row.tie ? "tie" : longer(row.runner_up_median_us, us),
               to_text(row.configuration.values)});
  }
  table.print(out);
}

// How much of the fastest's answers was compared; the rest was tested for NaN and poison only.
void print_checked(std::ostream& out, const std::vector<BestRow>& winners) {
  if (winners.empty() || !winners.front().trial.verification) return;
  const Verification& verification = *winners.front().trial.verification;
  out << fmt::format("answers: checked {} of {} against the reference\n",
                     count_text(verification.outputs_checked),
                     counted(verification.outputs_total, "output", "outputs"));
}

// The parameters on which the time hangs most.
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

// Why the winner can be trusted, or not: how the final ended, how the machine behaved.
void print_trust(std::ostream& out, const nlohmann::json& report) {
  const nlohmann::json final = report.value("final", nlohmann::json::object());
  if (const int rounds = final.value("rounds", 0); rounds > 0) {
    const std::string end = final.value("end", "");
    out << fmt::format(
        "final: {} in {} side by side, {}\n",
        counted(final.value("finalists", std::int64_t{0}), "configuration", "configurations"),
        counted(rounds, "round", "rounds"),
        end == "settled"  ? "told apart or equal"
        : end == "rounds" ? "not all told apart"
                          : "not all told apart before the time was up");
  }
  const nlohmann::json drift = report.value("drift", nlohmann::json::object());
  if (drift.value("readings", 0) > 1)
    out << fmt::format("drift while screening: {:+.1f} % to {:+.1f} %\n",
                       100 * (drift.value("lowest", 1.0) - 1),
                       100 * (drift.value("highest", 1.0) - 1));
}

void print_compiles(std::ostream& out, const nlohmann::json& report) {
  const auto compiles = report.find("compiles");
  if (compiles == report.end()) return;
  out << fmt::format("{}, {} taken from the cache\n",
                     counted(compiles->value("done", std::int64_t{0}), "compile", "compiles"),
                     count_text(compiles->value("from_cache", std::int64_t{0})));
}

// How much of the space was seen, and why no more.
void print_end(std::ostream& out, const nlohmann::json& report) {
  const std::string end = report.value("end", "");
  const std::string why = end == "plateau" ? "; ended because nothing better was found for long"
                          : end == "enough_time" ? "; ended because the time of a search that is "
                                                   "not told how many is up (--budget N goes on)"
                          : end == "target"      ? "; ended at the target"
                          : end == "time_limit"  ? "; ended by the time limit"
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

void print_clock(std::ostream& out, const nlohmann::json& report) {
  const nlohmann::json clock = report.value("clock", nlohmann::json::object());
  out << fmt::format(
      "{} configurations in {}: {:.1f} a second\n", report.value("tried", std::size_t{0}),
      duration_text(clock.value("total_s", 0.0)), report.value("configurations_per_second", 0.0));
  print_wall_time(out, clock);
  if (const int restarts = report.value("worker_restarts", 0); restarts > 0)
    out << fmt::format("the device worker was replaced {}\n", counted(restarts, "time", "times"));
}

}  // namespace

void print_report(std::ostream& out, const Operation& operation, const nlohmann::json& report,
                  const std::vector<BestRow>& winners) {
  if (!winners.empty()) print_winners(out, operation, winners);
  const nlohmann::json parts = report.value("implementations", nlohmann::json::object());
  for (const auto& [name, part] : parts.items()) {
    out << fmt::format(
        "\n{}: {}, {} legal\n", name,
        counted(part.value("combinations", std::int64_t{0}), "combination", "combinations"),
        count_text(part.value("legal", std::int64_t{0})));
    print_cuts(out, cuts_from(part.value("space", nlohmann::json::array())), "  ");
    print_cuts(out, cuts_from(part.value("resources", nlohmann::json::array())), "  ");
  }
  std::string outcomes;
  const nlohmann::json counts = report.value("outcomes", nlohmann::json::object());
  for (const auto& [name, count] : counts.items())
    outcomes +=
        fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", count.get<std::size_t>(), name);
  out << "\noutcomes: " << (outcomes.empty() ? "none" : outcomes) << '\n';
  print_checked(out, winners);
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
                         {"finished", row.finished},
                         {"imported", row.imported},
                         {"shipped", row.shipped}};
  if (row.confirmed != 0) {
    json["confirmed"] = row.confirmed;
    json["confirmed_environment"] = to_json(row.confirmed_environment);
  }
  if (row.trial.timing) json["timing"] = timing_summary(*row.trial.timing);
  if (row.trial.resources) json["resources"] = to_json(*row.trial.resources);
  if (row.trial.verification)
    json["verification"] = {{"outputs_checked", row.trial.verification->outputs_checked},
                            {"outputs_total", row.trial.verification->outputs_total},
                            {"seed", row.trial.verification->seed}};
  return json;
}

void print_spaces(std::ostream& out, const SweepSetup& setup) {
  for (std::size_t i = 0; i < setup.spaces.size(); ++i) {
    const Space& space = setup.spaces[i];
    out << fmt::format("{}: {}, {}\n", setup.request.implementations[i]->full_name(),
                       counted(space.combinations, "combination", "combinations"),
                       legal_text(space));
    print_cuts(out, cuts_before_compile(space), "  ");
  }
}

}  // namespace tilewright::tools
