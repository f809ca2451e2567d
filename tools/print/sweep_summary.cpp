#include "tools/print/sweep.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <ostream>
#include <sstream>
#include <utility>

#include "campaign/failures.hpp"
#include "db/derived/choose.hpp"
#include "db/ladder/question.hpp"
#include "definition/problem.hpp"
#include "tools/print/device_limits.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kWidest = 100;

// Of a trial or an answer.
std::string configuration_of(const PreparedSweep& sweep, const auto& tried) {
  return configuration_text(sweep.request.implementations, tried.implementation,
                            tried.configuration, Detail::brief);
}

// Indented, in at most so many lines, the last of which ends in "..." if more would follow.
void print_at_most(std::ostream& out, std::size_t most, const std::string& text) {
  constexpr std::string_view indent = "  ";
  const std::size_t terminal = columns_of(out);
  const std::size_t columns = terminal == 0 ? kWidest : std::min(terminal, kWidest);
  std::vector<std::string> lines = wrapped(text, columns - std::min(columns, indent.size()));
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() = clipped(lines.back(), columns - indent.size() - 3) + "...";
  }
  for (const std::string& line : lines) out << indent << line << '\n';
}

std::string share_of_limit(const BestRow& row, double gflops) {
  const double mhz = row.trial.timing ? row.trial.timing->sm_mhz : 0;
  const auto limit = product_limit(row.device, row.problem, mhz);
  if (!limit || gflops < limit->gflops / 100) return "";  // it is not what limits the kernel
  return fmt::format("{:.0f} % of the {} limit", 100 * gflops / limit->gflops, limit->name);
}

bool is_default(const PreparedSweep& sweep, const BestRow& row) {
  const Implementation* const known =
      find_implementation(sweep.request.implementations, row.implementation);
  return known != nullptr && row.configuration == default_configuration(*known);
}

// "gemm/blocked  50.3 µs  42.7 TFLOP/s  65 % of the FP32 limit  6.1x faster than the default"
std::string winner_line(const PreparedSweep& sweep, const BestRow& row) {
  const Operation& operation = *sweep.request.operation;
  const double us = median_of(row.trial);
  const Rate rate = rate_of(operation, call_of(row));
  std::vector<std::string> parts = {row.implementation, time_text(us)};
  const auto add = [&](const std::string& part) {
    if (!part.empty()) parts.push_back(part);
  };
  add(rate_text(rate));
  add(share_of_limit(row, rate.gflops));
  if (!is_default(sweep, row)) add(faster_than_text(row.default_median_us, us, "the default"));
  return fmt::format("{}", fmt::join(parts, "  "));
}

// What ties with the winner, or follows it.
std::string runner_up_text(const PreparedSweep& sweep, const BestRow& row,
                           const std::vector<Trial>& trials) {
  const std::vector<Trial> own = trials_of(trials, row.implementation);
  const Implementation* const known =
      find_implementation(sweep.request.implementations, row.implementation);
  const auto chosen = known ? choose(own, default_configuration(*known)) : std::nullopt;
  if (!chosen || !chosen->runner_up) return "";
  const Trial& other = own[*chosen->runner_up];
  const std::string what = difference_text(*known, row.configuration, other.configuration);
  const double us = median_of(other);
  if (what.empty() || us <= 0) return "";
  const std::string own_values = difference_text(*known, other.configuration, row.configuration);
  return fmt::format("{}: {} instead of {}, {}, {}", chosen->tie ? "tie" : "next", what, own_values,
                     time_text(us),
                     chosen->tie ? "no significant difference from the best"
                                 : faster_than_text(median_of(row.trial), us, "the best"));
}

std::string others_text(const std::vector<BestRow>& winners) {
  std::string text;
  for (std::size_t i = 1; i < winners.size(); ++i)
    text += fmt::format("{}{} {}", i == 1 ? "others: " : ", ", winners[i].implementation,
                        faster_text(median_of(winners[0].trial), median_of(winners[i].trial)));
  return text;
}

// The number of the last tried configuration that was faster than all before it; 0 if none was.
std::size_t last_gain(const std::vector<Trial>& trials) {
  std::size_t number = 0, last = 0;
  double best_us = 0;
  for (const Trial& trial : trials) {
    if (trial.stage == Stage::final || trial.outcome == Outcome::pruned) continue;
    ++number;
    if (!trial.timing || (best_us > 0 && trial.timing->median_us >= best_us)) continue;
    best_us = trial.timing->median_us;
    last = number;
  }
  return last;
}

std::string end_text(const std::string& end, const std::vector<Trial>& trials) {
  if (end == "plateau") return fmt::format("stopped: no gain since trial {}", last_gain(trials));
  if (end == "enough_time") return "stopped: usual time used (--budget N goes on)";
  if (end == "target") return "stopped: target reached";
  if (end == "time_limit") return "stopped by --time-limit";
  if (end == "ended_early") return "stopped by Ctrl-C (the same command goes on)";
  if (end == "interrupted") return "interrupted (the same command goes on)";
  return "";
}

std::string tried_text(const StoredSweep& answer, const std::vector<Failures>& failures) {
  const auto seen = figure<std::int64_t>(answer.report, "/seen");
  const auto all = figure<std::int64_t>(answer.report, "/candidates");
  const auto seconds = figure<double>(answer.report, "/clock/total_s");
  std::string text = seen == all ? fmt::format("all {} tried", count_text(all))
                                 : fmt::format("{} of {} tried", count_text(seen), count_text(all));
  if (seconds > 0) text += " in " + duration_text(seconds);
  if (failures.empty()) text += ", all correct";
  const auto end = figure<std::string>(answer.report, "/end");
  const std::string why = end == "finished" && seen < all ? "stopped: budget used (--budget N)"
                                                          : end_text(end, answer.trials);
  return why.empty() ? text : text + "; " + why;
}

// "VECTOR=4", "VECTOR=2 or 4 and BLOCK=256"
std::string text_of(const CommonValues& cause) {
  std::string text;
  for (const auto& [name, values] : cause)
    text += fmt::format("{}{}={}", text.empty() ? "" : " and ", name, joined(values, " or "));
  return text;
}

// How the summary counts failures: one, and several.
struct Nouns {
  Outcome outcome;
  const char* one;
  const char* several;
};
constexpr Nouns kNouns[] = {
    {Outcome::wrong_answer, "wrong answer", "wrong answers"},
    {Outcome::wrote_out_of_bounds, "write out of bounds", "writes out of bounds"},
    {Outcome::faulted, "fault", "faults"},
    {Outcome::timed_out, "timeout", "timeouts"},
    {Outcome::launch_failed, "refused launch", "refused launches"},
    {Outcome::compile_failed, "compile error", "compile errors"},
    {Outcome::compile_timed_out, "compile over the limit", "compiles over the limit"},
    {Outcome::machine_failed, "failure of the machine", "failures of the machine"},
    {Outcome::unsupported, "unsupported", "unsupported"},
};

std::string noun_of(const Failures& failures) {
  const Nouns& nouns = *std::ranges::find(kNouns, failures.outcome, &Nouns::outcome);
  return counted(failures.count, nouns.one, nouns.several);
}

// The units that are compiled for a configuration; none if its implementation is not known.
std::vector<UnitMacros> units_of(const PreparedSweep& sweep, const auto& tried) {
  const SweepRequest& request = sweep.request;
  const Implementation* const known =
      find_implementation(request.implementations, tried.implementation);
  if (known == nullptr) return {};
  const Scope scope = full_scope(request.problem, tried.configuration, request.device);
  return unit_macros(*known, *request.operation, request.problem, scope);
}

// Options of `show`. A reproducer is one file.
std::string form_to_debug(const PreparedSweep& sweep, const Trial& trial) {
  return fmt::format("{}-o bad.{}", units_of(sweep, trial).size() == 1 ? "--reproducer " : "",
                     runs_on_cpu(sweep.request.device.kind) ? "cpp" : "cu");
}

void print_wrong(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer,
                 const Failures& wrong, const CommandWords& words) {
  const std::string id = answer.record.uuid.substr(0, 4);
  const char* const what =
      wrong.outcome == Outcome::wrong_answer ? "WRONG ANSWERS" : "WRITES OUT OF BOUNDS";
  print_painted(out, Paint::bad, what);
  std::string cause = text_of(wrong.cause);
  if (!wrong.implementation.empty() && sweep.request.implementations.size() > 1)
    cause = wrong.implementation + (cause.empty() ? "" : " with " + cause);
  out << fmt::format(": {} of {}{}\n", wrong.count, wrong.count + correct_count(answer.trials),
                     cause.empty() ? "" : "; every one has " + cause);
  const Trial& example = answer.trials[wrong.example];
  print_at_most(out, 2,
                fmt::format("e.g. {}: {}", configuration_of(sweep, example), example.message));
  out << fmt::format("  list:  tilewright results --sweep {} --outcome {}{}\n", id,
                     to_text(wrong.outcome), words.places);
  if (sweep.request.implementations.front()->is_evaluator()) return;  // it has no code to show
  const std::string kernel = words.subject.substr(0, words.subject.find(' '));
  const bool is_file = file_in(kernel).has_value();
  out << fmt::format("  debug: tilewright show {}--trial {}/{} {}{}\n", is_file ? kernel + ' ' : "",
                     id, wrong.example + 1, form_to_debug(sweep, example), words.places);
}

void print_best(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer,
                bool some_are_wrong) {
  if (answer.winners.empty()) return;
  const BestRow& best = answer.winners.front();
  if (some_are_wrong)
    out << fmt::format("best of {} correct: ", correct_count(answer.trials));
  else
    out << "  ";
  print_painted(out, Paint::good, winner_line(sweep, best));
  out << '\n';
  print_at_most(out, 2, configuration_of(sweep, best));
  const std::string metrics = metrics_text(*sweep.request.operation, call_of(best));
  const auto& objective = sweep.request.objective;
  if (objective)
    print_at_most(out, 1,
                  fmt::format("{}; the best {} was wanted", metrics, objective->metric().name));
  else if (!metrics.empty())
    print_at_most(out, 1, metrics);
  if (some_are_wrong || objective) return;  // what follows compares times
  for (const std::string& line :
       {runner_up_text(sweep, best, answer.trials), others_text(answer.winners)})
    if (!line.empty()) print_at_most(out, 1, line);
}

void print_failures(std::ostream& out, const PreparedSweep& sweep, const std::vector<Trial>& trials,
                    const std::vector<Failures>& failures, const std::string& id,
                    const CommandWords& words) {
  std::string text;
  for (const Failures& one : failures) {
    text += (text.empty() ? "" : ", ") + noun_of(one);
    if (!one.cause.empty()) text += " (" + text_of(one.cause) + ")";
  }
  if (text.empty()) return;
  const std::string which =
      failures.size() == 1 ? std::string(to_text(failures.front().outcome)) : "failed";
  print_at_most(out, 2,
                fmt::format("{}: tilewright results --sweep {} --outcome {}{}", text, id, which,
                            words.places));
  for (const Failures& one : failures) {
    const Trial& example = trials[one.example];
    print_at_most(out, 1,
                  fmt::format("e.g. {}: {}", configuration_of(sweep, example), cause_of(example)));
  }
}

void print_next(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer,
                const std::string& id, const CommandWords& words) {
  const BestRow& best = answer.winners.front();
  const std::string report =
      fmt::format("report:  tilewright report --sweep {} -o report.html{}\n", id, words.places);
  if (figure<std::string>(answer.report, "/end") == "interrupted") {
    out << "run the same command again to finish it; until then `tilewright best` answers with "
           "what "
           "was measured so far\n"
        << report;
    return;
  }
  out << fmt::format("use it:  tilewright best {}{}\n", words.subject, words.places)
      << (have_same_macros(units_of(sweep, best)) ? "  nvcc:  ... --format defines        " : "  ")
      << "C++: ... --format header -o tile.h\n"
      << report;
}

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

}  // namespace

void print_summary(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer,
                   const CommandWords& words) {
  const SweepRequest& request = sweep.request;
  out << fmt::format("{} | {} | {}\n", named_problem(*request.operation, request.problem),
                     request.device.name, policy_text(request.policy));
  std::vector<Failures> failures = failures_of(answer.trials);
  const bool some_are_wrong = !failures.empty() && is_wrong(failures.front().outcome);
  if (some_are_wrong) print_wrong(out, sweep, answer, failures.front(), words);
  print_best(out, sweep, answer, some_are_wrong);
  out << "  " << tried_text(answer, failures) << '\n';
  if (some_are_wrong) failures.erase(failures.begin());
  if (const auto left_out = impossible_checks(request); !left_out.empty())
    out << fmt::format("  {} of {} not made: no problem has the sizes that are compiled in (-v)\n",
                       left_out.size(), counted(request.operation->checks.size(), "check"));
  for (const std::string& text : uncounted_texts(answer.report)) out << "  " << text << '\n';
  const std::string id = answer.record.uuid.substr(0, 4);
  print_failures(out, sweep, answer.trials, failures, id, words);
  if (!answer.winners.empty()) print_next(out, sweep, answer, id, words);
}

void print_winner(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer) {
  if (answer.winners.empty()) return;
  const BestRow& best = answer.winners.front();
  const double us = median_of(best.trial);
  const std::string rate = rate_text(rate_of(*sweep.request.operation, call_of(best)));
  out << fmt::format("{} {}{} {}\n", best.implementation, time_text(us),
                     rate.empty() ? "" : ' ' + rate, configuration_of(sweep, best));
}

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
    if (!answer.winners.empty())
      cells.push_back(configuration_text(target.implementations,
                                         answer.winners.front().implementation,
                                         answer.winners.front().configuration, detail));
    table.add(std::move(cells));
  }
  table.print(out);
  const auto [tried, compiled, from_cache] = sums;
  out << fmt::format("{}: {} in {}, {}, {} taken from the cache\n",
                     counted(answers.size(), "problem"), counted(tried, "configuration"),
                     duration_text(seconds), counted(compiled, "compile"), count_text(from_cache));
}

}  // namespace tilewright::tools
