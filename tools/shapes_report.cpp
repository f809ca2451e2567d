// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/shapes_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "tools/report.hpp"

namespace tilewright::tools {
namespace {

// What the problems do not share; all of it if there is only one.
std::string distinct_text(const Operation& operation, const Problem& problem,
                          const std::vector<SweepAnswer>& answers) {
  Problem distinct{problem.operation, {}};
  for (const auto& [name, value] : problem.values) {
    const auto has_same = [&](const SweepAnswer& other) {
      const auto found = other.record.key.problem.values.find(name);
      return found != other.record.key.problem.values.end() && found->second == value;
    };
    if (answers.size() == 1 || !std::ranges::all_of(answers, has_same))
      distinct.values[name] = value;
  }
  return problem_text(operation, distinct);
}

std::string slower_by(double other_us, double us) {
  return other_us > 0 && us > 0 ? fmt::format("{:.2f}x", other_us / us) : "";
}

struct Effort {
  std::int64_t tried = 0;
  std::int64_t compiled = 0;
  std::int64_t from_cache = 0;
  double seconds = 0;
};

Effort effort_of(const nlohmann::json& report) {
  const nlohmann::json compiles = report.value("compiles", nlohmann::json::object());
  const nlohmann::json clock = report.value("clock", nlohmann::json::object());
  return {report.value("seen", std::int64_t{0}), compiles.value("done", std::int64_t{0}),
          compiles.value("from_cache", std::int64_t{0}), clock.value("total_s", 0.0)};
}

std::vector<std::string> cells_of(const Operation& operation, const SweepAnswer& answer,
                                  const std::string& problem) {
  if (answer.winners.empty()) return {problem, "none", "", "", ""};
  const BestRow& best = answer.winners.front();
  const double us = best.trial.timing ? best.trial.timing->median_us : 0;
  return {problem, best.implementation, time_text(us),
          rate_text(rate_of(operation, best.problem, best.device, us)),
          slower_by(best.default_median_us, us)};
}

}  // namespace

void print_shapes(std::ostream& out, const Operation& operation,
                  const std::vector<SweepAnswer>& answers) {
  constexpr auto kLeft = Table::Align::left;
  constexpr auto kRight = Table::Align::right;
  Table table({"problem", "implementation", "time", "rate", "default", "tried", "compiled",
               "from cache", "took", "configuration"},
              {kLeft, kLeft, kRight, kRight, kRight, kRight, kRight, kRight, kRight, kLeft});
  Effort sum;
  for (const SweepAnswer& answer : answers) {
    const Problem& problem = answer.record.key.problem;
    std::vector<std::string> cells =
        cells_of(operation, answer, distinct_text(operation, problem, answers));
    const Effort effort = effort_of(answer.report);
    cells.insert(
        cells.end(),
        {count_text(effort.tried), count_text(effort.compiled), count_text(effort.from_cache),
         answer.was_finished ? "before" : duration_text(effort.seconds),
         answer.winners.empty() ? "" : to_text(answer.winners.front().configuration.values)});
    table.add(std::move(cells));
    if (answer.was_finished) continue;
    sum.tried += effort.tried;
    sum.compiled += effort.compiled;
    sum.from_cache += effort.from_cache;
    sum.seconds += effort.seconds;
  }
  table.print(out);
  out << fmt::format("{}: {} in {}, {}, {} taken from the cache\n",
                     counted(static_cast<std::int64_t>(answers.size()), "problem", "problems"),
                     counted(sum.tried, "configuration", "configurations"),
                     duration_text(sum.seconds), counted(sum.compiled, "compile", "compiles"),
                     count_text(sum.from_cache));
}

}  // namespace tilewright::tools
