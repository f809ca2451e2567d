// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/reports/shapes_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <map>
#include <ostream>
#include <sstream>

#include "tools/print/report.hpp"

namespace tilewright::tools {
namespace {

// Each problem in words, without those that all share; whole if there is only one.
std::vector<std::string> distinct_texts(const Operation& operation,
                                        const std::vector<SweepAnswer>& answers) {
  std::vector<std::vector<std::string>> words;
  std::map<std::string, std::size_t> count;
  for (const SweepAnswer& answer : answers) {
    std::istringstream text(problem_text(operation, answer.record.key.problem));
    words.emplace_back(std::istream_iterator<std::string>(text),
                       std::istream_iterator<std::string>());
    for (const std::string& word : words.back()) ++count[word];
  }
  std::vector<std::string> texts;
  for (std::vector<std::string>& own : words) {
    if (answers.size() > 1)
      std::erase_if(own, [&](const std::string& word) { return count[word] == answers.size(); });
    texts.push_back(fmt::format("{}", fmt::join(own, " ")));
  }
  return texts;
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
  const std::vector<std::string> problems = distinct_texts(operation, answers);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const SweepAnswer& answer = answers[i];
    std::vector<std::string> cells = cells_of(operation, answer, problems[i]);
    const Effort effort = effort_of(answer.report);
    cells.insert(
        cells.end(),
        {count_text(effort.tried), count_text(effort.compiled), count_text(effort.from_cache),
         answer.was_finished() ? "before" : duration_text(effort.seconds),
         answer.winners.empty() ? "" : to_text(answer.winners.front().configuration.values)});
    table.add(std::move(cells));
    if (answer.was_finished()) continue;
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
