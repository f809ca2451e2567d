#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "campaign/campaign.hpp"
#include "campaign/failures.hpp"
#include "db/catalog/shipped.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/job_options.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/metrics.hpp"
#include "tools/print/names.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/sweep_details.hpp"
#include "tools/print/sweep_summary.hpp"
#include "tools/print/table.hpp"
#include "tools/print/text.hpp"
#include "tools/work/job_runner.hpp"
#include "tools/work/sweep_runner.hpp"

namespace tilewright::tools {
namespace {

using Fate = StoredSweep::Fate;

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
    const bool is_new = answer.fate != Fate::was_on_record;
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

nlohmann::json json_of_answer(const Operation& operation, const StoredSweep& sweep) {
  const SweepKey& key = sweep.record.key;
  const auto json_of_row = [&](const BestRow& row) {
    nlohmann::json json = tools::json_of(row);
    if (!operation.metrics.empty()) json["metrics"] = metrics_json(operation, call_of(row));
    return json;
  };
  return {{"sweep", sweep.record.uuid},
          {"operation", key.operation},
          {"problem", to_json(key.problem.values)},
          {"device", device_summary(key.device)},
          {"policy", to_text(key.policy)},
          {"report", sweep.report},
          {"failures", json_of(failures_of(sweep.trials))},
          {"winners", json_list(sweep.winners, json_of_row)}};
}

// The words of the command line that other commands need in order to find the same results.
CommandWords command_words(const Arguments& arguments) {
  CommandWords words;
  for (const std::string& word : arguments.words())
    words.subject += (words.subject.empty() ? "" : " ") + shell_word(word);
  for (const char* option : {"device", "policy", "objective"})
    if (const auto given = arguments.text(option))
      words.subject += fmt::format(" --{} {}", option, shell_word(*given));
  for (const char* option : {"db", "kernels"})
    for (const std::string& given : arguments.texts(option))
      words.places += fmt::format(" --{} {}", option, shell_word(given));
  return words;
}

void print_answer(const Arguments& arguments, const PreparedSweep& sweep,
                  const StoredSweep& answer) {
  if (answer.fate == Fate::nothing_legal) {
    print_spaces(std::cout, sweep);
  } else if (answer.record.uuid.empty()) {
    return;
  } else if (arguments.has("json")) {
    print_json(std::cout, json_of_answer(sweep.target.operation(), answer));
  } else if (arguments.has("quiet")) {
    print_winner(std::cout, sweep, answer);
  } else {
    print_summary(std::cout, sweep, answer, command_words(arguments));
    if (arguments.has("verbose"))
      print_details(std::cout << '\n', sweep, answer);
    else if (answer.winners.empty())
      print_spaces(std::cout, sweep);
  }
}

int sweep_one(const Arguments& arguments) {
  PreparedSweep sweep = prepare_sweep(arguments, read_target(arguments));
  const StoredSweep answer = SweepRunner(arguments).run(sweep);
  print_answer(arguments, sweep, answer);
  return status_of(arguments, answer);
}

// The operations of one file, one after the other. All are checked first.
int sweep_each(const std::vector<Arguments>& each) {
  for (const Arguments& one : each) ProblemCheck(one).problem_of(read_target(one));
  nlohmann::json answers = nlohmann::json::array();
  const bool is_json = each.front().has("json");
  int status = kDone;
  for (const Arguments& one : each) {
    PreparedSweep sweep = prepare_sweep(one, read_target(one));
    const StoredSweep answer = SweepRunner(one).run(sweep);
    status = std::max<int>(status, status_of(one, answer));
    if (is_json)
      answers.push_back(json_of_answer(sweep.target.operation(), answer));
    else
      print_answer(one, sweep, answer);
    if (status == kInterrupted) break;
  }
  if (is_json) print_json(std::cout, nlohmann::json{{"problems", answers}});
  return status;
}

std::vector<Shape> shapes_of(const Arguments& arguments, const Target& target) {
  if (arguments.has("shapes") && arguments.has("wanted"))
    throw InputError("--shapes and --wanted both name the problems; give one of them");
  if (arguments.has("shapes")) return read_shapes(arguments.text("shapes").value());
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  if (!store) return {};
  return wanted_shapes(*store, target.operation(), device_to_measure_on(arguments).device);
}

// The shapes without duplicate problems. All of them are checked.
std::vector<Shape> checked_shapes(const Arguments& arguments, const Target& target) {
  std::vector<Shape> distinct;
  std::set<Problem> problems;
  ProblemCheck check(arguments);
  for (Shape& shape : shapes_of(arguments, target)) {
    const Problem problem = at_place(
        shape.where, [&] { return check.problem_of(with_assignments(target, shape.assignments)); });
    if (problems.insert(problem).second) distinct.push_back(std::move(shape));
  }
  return distinct;
}

void print_answers(const Arguments& arguments, const Target& target,
                   const std::vector<StoredSweep>& answers) {
  if (!arguments.has("json")) return print_shapes(std::cout, target, answers, detail_of(arguments));
  print_json(std::cout, nlohmann::json{{"problems", json_list(answers, [&](const auto& answer) {
                                          return json_of_answer(target.operation(), answer);
                                        })}});
}

// Whether --wanted begins no further problem.
bool is_over(const Arguments& arguments, std::chrono::steady_clock::time_point begin) {
  const auto limit = arguments.seconds("time-limit");
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  return arguments.has("wanted") && limit && spent.count() >= *limit;
}

// Returns the worst status of all problems. An interruption ends the run.
int run_shapes(const Arguments& arguments) {
  const Target target = read_target(arguments);
  const std::vector<Shape> shapes = checked_shapes(arguments, target);
  if (shapes.empty()) {
    std::cerr << fmt::format("no look-up of {} is waiting for a sweep\n", target.operation().name);
    return kNothing;
  }
  SweepRunner runner(arguments);
  std::vector<StoredSweep> answers;
  int status = kDone;
  const auto begin = std::chrono::steady_clock::now();
  for (const Shape& shape : shapes) {
    if (is_over(arguments, begin)) {
      std::cerr << fmt::format("the time limit leaves {} for another time\n",
                               counted(shapes.size() - answers.size(), "problem"));
      break;
    }
    if (!arguments.has("quiet"))
      std::cerr << fmt::format("[{}/{}] ", answers.size() + 1, shapes.size());
    PreparedSweep setup = at_place(shape.where, [&] {
      return prepare_sweep(arguments, with_assignments(target, shape.assignments));
    });
    answers.push_back(runner.run(setup));
    status = std::max<int>(status, status_of(arguments, answers.back()));
    if (status == kInterrupted) break;
  }
  print_answers(arguments, target, answers);
  return status;
}

int run_sweep(const Arguments& arguments) {
  if (arguments.has("job")) return JobRunner(arguments).run();
  if (arguments.has(kLocalOption.name)) throw InputError("--local goes with --job FOLDER");
  const bool is_many = arguments.has("shapes") || arguments.has("wanted");
  if (is_many) return run_shapes(arguments);
  const std::vector<Arguments> each = by_operation(arguments);
  return each.size() == 1 ? sweep_one(arguments) : sweep_each(each);
}

std::vector<OptionSpec> sweep_options_list() {
  std::vector<OptionSpec> all = {
      {"device", "DEVICE",
       "Where to measure, as `tilewright devices` lists it; by default cuda:0, "
       "or host where there is no GPU."},
      kShapesOption,
      {"wanted", "",
       "Sweep the problems that applications looked up on this device and did not find, the most "
       "valuable first (docs/catalog.md). With --time-limit, none begins after that time."},
      kJobFolderOption,
      kLocalOption,
      {"fresh", "", "Measure everything again, even what is on record."},
      {"retry", "", "Try again what faulted or exceeded a time limit; the rest is kept."},
      kShippedOption,
      kNoWaitOption,
      kJobsOption,
      kDatabaseOption,
      kCacheOption,
      kKernelsOption,
      {"strict", "", "End with status 1 if any configuration gave a wrong answer."},
      kVerboseOption,
      {"quiet", "", "Print the winner alone.", OptionSpec::Times::once, 'q'},
      kJsonOption};
  const std::vector<OptionSpec> search = search_option_list();
  all.insert(all.begin() + 1, search.begin(), search.end());
  const std::vector<OptionSpec> limits = limit_options();
  all.insert(all.end() - 1, limits.begin(), limits.end());
  return all;
}

}  // namespace

Command sweep_command() {
  return {"sweep",
          "Measure configurations on a device and keep every result.",
          "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options], or --job FOLDER",
          "  tilewright sweep gemm M=1024 N=1024 K=1024\n"
          "  tilewright sweep gemm/tiled M=N=K=4096 --budget 200 --time-limit 5m\n"
          "  tilewright sweep conv1d length=16777216 taps=9 boundary=reflect --policy cold\n"
          "  tilewright sweep gemm --shapes shapes.txt\n"
          "  tilewright sweep --job /shared/gemm_job\n"
          "  tilewright sweep mine.toml/second n=4096\n",
          sweep_options_list(),
          run_sweep};
}

}  // namespace tilewright::tools
