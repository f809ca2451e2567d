#include "tools/input/sweep_options.hpp"

#include <fmt/format.h>

#include <iterator>
#include <sstream>
#include <utility>

#include "definition/metric.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

// Empty: the time of a call.
std::string objective_name(const Arguments& arguments, const Operation& operation) {
  const auto name = arguments.text("objective");
  if (!name || *name == "time") return "";
  if (arguments.has("target"))
    throw InputError("--target is a time of one call, so it does not go with --objective");
  try {
    return metric_named(operation, *name).name;
  } catch (const InputError& error) {
    throw InputError(fmt::format("--objective '{}': {}", *name, error.what()));
  }
}

BusyRule read_busy(const Arguments& arguments) {
  using Then = BusyRule::Then;
  const std::string text = arguments.text("busy").value_or("again");
  for (const auto& [name, then] : {std::pair("again", Then::again), std::pair("mark", Then::mark),
                                   std::pair("refuse", Then::refuse)})
    if (text == name) return {.then = then};
  throw InputError(fmt::format("--busy '{}': give again, mark or refuse", text));
}

SearchOptions search_options(const Arguments& arguments, const Target& target) {
  SearchOptions options;
  options.where = read_where(arguments, target);
  options.cache = cache_policy(arguments);
  if (arguments.has("strategy")) options.strategy = arguments.choice("strategy", strategy_names());
  options.floor = read_floor(arguments);
  const bool has_priors = arguments.choice("priors", {"stored", "none"}) == "stored";
  options.priors = has_priors ? PriorUse::stored : PriorUse::none;
  // With --wanted it limits the whole command.
  if (!arguments.has("wanted")) options.time_limit_s = arguments.seconds("time-limit").value_or(0);
  options.target_us = arguments.microseconds("target").value_or(options.target_us);
  options.objective = objective_name(arguments, target.operation());
  options.busy = read_busy(arguments);
  options.seed = arguments.number("seed").value_or(1);
  const bool is_all = arguments.text("budget") == "all";
  options.budget = is_all ? 0 : arguments.number("budget", {.least = 1, .else_accepted = "all"});
  return options;
}

}  // namespace

std::vector<OptionSpec> search_option_list() {
  return {
      {"policy", "robust|cold|warm",
       "Where timed calls find their operands: cold in memory, warm in the L2. By default robust: "
       "finalists are measured both ways, and the winner is the one that is never far from the "
       "best. The host is measured warm."},
      {"strategy", "NAME",
       "exhaustive, random or model; by default exhaustive if the budget covers "
       "all configurations, else model."},
      {"budget", "N|all",
       "Number of configurations to try; one that has the same code as another is not counted. By "
       "default all if there are at most 500. Else at most 500: the search ends earlier if it has "
       "found nothing better for a long time."},
      {"time-limit", "TIME",
       "Stop searching after this time: 60s, 1.5m, 1h. The final follows; it begins no round after "
       "10 s."},
      {"target", "TIME", "Stop searching when a call takes at most this time: 250us, 1.5ms."},
      {"objective", "METRIC",
       "Search for the best value of this metric of the manifest, instead of the least time "
       "(docs/manifest-operation.md#operationmetric)."},
      {"priors", "stored|none",
       "stored (the default): the search starts with the best configurations of stored sweeps of "
       "similar problems, other policies and other devices, and of shipped results, and measures "
       "them again. none: it does not."},
      kOccupancyFloorOption,
      kMaxSpillOption,
      kWhereOption,
      kSeedOption};
}

SearchOptions read_search(const Arguments& arguments, const Target& target) {
  make_problem(target.operation(), target.assignments, Device{});
  check_limits(arguments);
  if (arguments.has("fresh") && arguments.has("retry"))
    throw InputError(
        "--fresh measures everything again, --retry only what failed; give one of them");
  jobs_of(arguments);
  return search_options(arguments, target);
}

Problem ProblemCheck::problem_of(const Target& target) {
  const SearchOptions options = read_search(arguments_, target);
  Problem problem = make_problem(target.operation(), target.assignments, device());
  choose_policy(target.operation(), problem, options.cache, *report_);
  return problem;
}

const Device& ProblemCheck::device() {
  if (!report_) report_ = devices_to_measure_on(arguments_).front();
  return report_->device;
}

PreparedSweep prepare_sweep(const Arguments& arguments, Target target) {
  read_search(arguments, target);
  return prepare_sweep(arguments, std::move(target), device_to_measure_on(arguments));
}

PreparedSweep prepare_sweep(const Arguments& arguments, Target target, const DeviceReport& report) {
  const SearchOptions options = read_search(arguments, target);
  const Problem problem = make_problem(target.operation(), target.assignments, report.device);
  return tilewright::prepare_sweep(std::move(target), problem, report, options, toolchain());
}

std::vector<Shape> read_shapes(const std::filesystem::path& file) {
  constexpr std::size_t kLongestLine = 4096;
  std::string text = read_text_file(file, kProblemsFile);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte-order mark
  std::istringstream lines(text);
  std::vector<Shape> shapes;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.resize(std::min(line.size(), line.find('#')));
    if (line.find('\0') != std::string::npos || line.size() > kLongestLine)
      throw InputError(fmt::format("{}:{}: not a problem of at most {} bytes of text",
                                   file.string(), number, kLongestLine));
    std::istringstream words(line);
    std::vector<std::string> assignments{std::istream_iterator<std::string>(words), {}};
    if (assignments.empty()) continue;
    if (shapes.size() == kMostProblems)
      throw InputError(fmt::format("{}:{}: the file has more than {} problems; divide it",
                                   file.string(), number, kMostProblems));
    shapes.push_back({std::move(assignments), fmt::format("{}:{}", file.string(), number)});
  }
  if (shapes.empty())
    throw InputError(fmt::format("{} has no problem; give one a line, such as M=512 N=512 K=512",
                                 file.string()));
  return shapes;
}

double work_of(const Operation& operation, const Problem& problem, const Device& device) {
  constexpr double kOperationsOfAByte = 20;
  const Configuration none;
  const Scope scope = full_scope(problem, none, device);
  const auto number = [&](const Expression& formula) {
    try {
      return static_cast<double>(evaluate(formula, scope, "work"));
    } catch (const InputError&) {  // it uses parameters
      return 0.0;
    }
  };
  return number(operation.flops) + kOperationsOfAByte * number(operation.bytes);
}

double value_of(const Wanted& wanted, const Operation& operation) {
  return static_cast<double>(wanted.hits) *
         work_of(operation, wanted.subject.problem, wanted.subject.device);
}

std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation,
                                 const Device& device) {
  std::vector<Wanted> all = store.wanted(operation.name);
  std::erase_if(all, [&](const Wanted& one) { return one.subject.device != device; });
  std::ranges::stable_sort(all, std::greater(),
                           [&](const Wanted& one) { return value_of(one, operation); });
  std::vector<Shape> shapes;
  for (const Wanted& wanted : all) {
    if (shapes.size() == kMostProblems) break;
    Shape shape{{}, "wanted"};
    for (const auto& [name, value] : wanted.subject.problem.values)
      shape.assignments.push_back(name + '=' + to_text(value));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace tilewright::tools
