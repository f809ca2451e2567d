#include "tools/print/sweep_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>
#include <map>
#include <ostream>
#include <sstream>
#include <utility>

#include "campaign/sweep_report.hpp"
#include "tools/print/names.hpp"
#include "tools/print/sweep_details.hpp"
#include "tools/print/table.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

// Each problem's values, without those that all problems share. A single problem is given whole.
std::vector<std::string> distinct_texts(const Operation& operation,
                                        const std::vector<StoredSweep>& answers) {
  std::vector<std::vector<std::string>> words;
  std::map<std::string, std::size_t> count;
  for (const StoredSweep& answer : answers) {
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

std::vector<std::string> cells_of(const Operation& operation, const StoredSweep& answer,
                                  const std::string& problem) {
  if (answer.winners.empty()) return {problem, "none", "", "", ""};
  const BestRow& best = answer.winners.front();
  const double us = median_of(best.trial);
  return {problem, best.implementation, time_text(us), rate_text(rate_of(operation, call_of(best))),
          faster_text(best.default_median_us, us)};
}

std::string winner_text(const Target& target, const StoredSweep& answer, Detail detail) {
  if (answer.winners.empty()) return "";
  const BestRow& best = answer.winners.front();
  const Implementation* const known =
      implementation_named(target.implementations, best.implementation);
  return known == nullptr ? "" : configuration_text(*known, best.configuration, detail);
}

}  // namespace

void print_shapes(std::ostream& out, const Target& target, const std::vector<StoredSweep>& answers,
                  Detail detail) {
  const Operation& operation = target.operation();
  Table table({"problem", "implementation", "time", "rate", "against default", "tried", "compiled",
               "from cache", "took", "configuration"},
              {2, 5, 6, 7, 8});
  table.may_lose({7, 6, 5, 8, 4, 3});
  constexpr std::array kCounts = {"/seen", "/compiles/done", "/compiles/from_cache"};
  std::array<std::int64_t, kCounts.size()> sums = {};
  double seconds = 0;
  const std::vector<std::string> problems = distinct_texts(operation, answers);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const StoredSweep& answer = answers[i];
    const bool is_new = answer.fate != StoredSweep::Fate::was_on_record;
    const auto took = figure<double>(answer.report, "/clock/total_s");
    std::vector<std::string> cells = cells_of(operation, answer, problems[i]);
    for (std::size_t k = 0; k < kCounts.size(); ++k) {
      const auto count = figure<std::int64_t>(answer.report, kCounts[k]);
      cells.push_back(count_text(count));
      if (is_new) sums[k] += count;
    }
    if (is_new) seconds += took;
    cells.push_back(is_new ? duration_text(took) : "before");
    cells.push_back(winner_text(target, answer, detail));
    table.add(std::move(cells));
  }
  table.print(out);
  const auto [tried, compiled, from_cache] = sums;
  out << fmt::format("{}: {} in {}, {}, {} taken from the cache\n",
                     counted(answers.size(), "problem"), counted(tried, "configuration"),
                     duration_text(seconds), counted(compiled, "compile"), count_text(from_cache));
}

}  // namespace tilewright::tools
