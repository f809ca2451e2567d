#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

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
#include "tools/print/sweep_table.hpp"
#include "tools/print/text.hpp"
#include "tools/run/job_runner.hpp"
#include "tools/run/pool_runner.hpp"
#include "tools/run/sweep_runner.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright::tools {
namespace {

using Fate = StoredSweep::Fate;

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

// Other commands take one device, by its id.
std::string first_device(const std::string& list) {
  const DeviceReport first = find_devices(list).front();
  return runs_on_cpu(first.device.kind) ? std::string(to_text(first.device.kind)) : first.id;
}

// The words of the command line that other commands need in order to find the same results.
CommandWords command_words(const Arguments& arguments) {
  CommandWords words;
  for (const std::string& word : arguments.words())
    words.subject += (words.subject.empty() ? "" : " ") + shell_word(word);
  for (const char* option : {"device", "policy", "objective"})
    if (const auto given = arguments.text(option))
      words.subject += fmt::format(
          " --{} {}", option,
          shell_word(std::string_view(option) == "device" ? first_device(*given) : *given));
  words.places = places_text(arguments);
  return words;
}

void print_answer(const Arguments& arguments, const PreparedSweep& sweep,
                  const StoredSweep& answer) {
  const bool is_legal = answer.fate != Fate::nothing_legal;
  if (is_legal && answer.record.uuid.empty()) return;  // it was not begun
  if (arguments.has("json")) {
    print_json(std::cout, json_of_answer(sweep.target.operation(), answer));
  } else if (!is_legal) {
    print_spaces(std::cout, sweep);
  } else if (arguments.has("quiet")) {
    print_winner(std::cout, sweep, answer);
  } else {
    print_summary(std::cout, sweep, answer, command_words(arguments));
    if (arguments.has("verbose"))
      print_details(std::cout << '\n', sweep, answer);
    else if (answer.winners.empty() && answer.fate != Fate::interrupted)
      print_spaces(std::cout, sweep);
  }
}

// Sweeps one problem, on several devices if the command line names them.
std::vector<PoolRunner::Answer> answers_of(const Arguments& arguments, Target target) {
  read_search(arguments, target);
  const std::vector<DeviceReport> devices = devices_to_measure_on(arguments);
  if (devices.size() > 1)
    return PoolRunner(arguments, devices).run({0}, [&](std::size_t, const DeviceReport& device) {
      return prepare_sweep(arguments, target, device);
    });
  PreparedSweep sweep = prepare_sweep(arguments, std::move(target), devices.front());
  StoredSweep answer = SweepRunner(arguments).run(sweep);
  std::vector<PoolRunner::Answer> answers;
  answers.push_back({0, std::move(sweep), std::move(answer)});
  return answers;
}

int worst_status(const Arguments& arguments, const std::vector<PoolRunner::Answer>& answers) {
  int status = answers.empty() ? kInterrupted : kDone;
  for (const PoolRunner::Answer& answer : answers)
    status = std::max<int>(status, status_of(arguments, answer.sweep));
  return status;
}

int sweep_one(const Arguments& arguments) {
  const std::vector<PoolRunner::Answer> answers = answers_of(arguments, read_target(arguments));
  if (arguments.has("json") && answers.size() > 1)  // one for each kind of device
    print_json(std::cout, nlohmann::json{{"problems", json_list(answers, [](const auto& answer) {
                                            return json_of_answer(
                                                answer.prepared.target.operation(), answer.sweep);
                                          })}});
  else
    for (const PoolRunner::Answer& answer : answers)
      print_answer(arguments, answer.prepared, answer.sweep);
  return worst_status(arguments, answers);
}

// The operations of one file, one after the other. All are checked first.
int sweep_each(const std::vector<Arguments>& each) {
  std::vector<Target> targets;
  for (const Arguments& one : each) {
    targets.push_back(read_target(one));
    ProblemCheck(one).problem_of(targets.back());
  }
  nlohmann::json answers = nlohmann::json::array();
  const bool is_json = each.front().has("json");
  int status = kDone;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Arguments& one = each[i];
    const std::vector<PoolRunner::Answer> of_one = answers_of(one, std::move(targets[i]));
    status = std::max(status, worst_status(one, of_one));
    for (const PoolRunner::Answer& answer : of_one)
      if (is_json)
        answers.push_back(json_of_answer(answer.prepared.target.operation(), answer.sweep));
      else
        print_answer(one, answer.prepared, answer.sweep);
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
  std::vector<Shape> all;
  for (const DeviceReport& device : devices_to_measure_on(arguments))
    std::ranges::move(wanted_shapes(*store, target.operation(), device.device),
                      std::back_inserter(all));
  return all;
}

// A problem of several.
struct Checked {
  Shape shape;
  double work = 0;
};

// The shapes without duplicate problems. All of them are checked.
std::vector<Checked> checked_shapes(const Arguments& arguments, const Target& target) {
  std::vector<Checked> distinct;
  std::set<Problem> problems;
  ProblemCheck check(arguments);
  for (Shape& shape : shapes_of(arguments, target)) {
    const Problem problem = at_place(
        shape.where, [&] { return check.problem_of(with_assignments(target, shape.assignments)); });
    if (problems.insert(problem).second)
      distinct.push_back({std::move(shape), work_of(target.operation(), problem, check.device())});
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

// When a command began, and whether it begins no further problem of --wanted.
class Patience {
 public:
  explicit Patience(const Arguments& arguments)
      : limit_s_(arguments.has("wanted") ? arguments.seconds("time-limit") : std::nullopt) {}
  bool is_over() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    return limit_s_ && spent.count() >= *limit_s_;
  }

 private:
  std::optional<double> limit_s_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void print_left(std::size_t count) {
  if (count > 0)
    std::cerr << fmt::format("the time limit leaves {} for another time\n",
                             counted(count, "problem"));
}

// In which several devices begin the problems: what takes longest comes first, so that no device
// waits long for the last one. Those of --wanted keep their order, by value.
std::vector<std::size_t> order_of(const Arguments& arguments, const std::vector<Checked>& shapes) {
  std::vector<std::size_t> order(shapes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!arguments.has("wanted"))
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t problem) { return shapes[problem].work; });
  return order;
}

int run_in_pool(const Arguments& arguments, const std::vector<DeviceReport>& devices,
                const Target& target, const std::vector<Checked>& shapes) {
  const Patience patience(arguments);
  std::set<std::size_t> left;
  auto answers = PoolRunner(arguments, devices)
                     .run(order_of(arguments, shapes),
                          [&](std::size_t problem,
                              const DeviceReport& device) -> std::optional<PreparedSweep> {
                            if (patience.is_over()) {
                              left.insert(problem);
                              return std::nullopt;
                            }
                            const Shape& shape = shapes[problem].shape;
                            return at_place(shape.where, [&] {
                              return prepare_sweep(
                                  arguments, with_assignments(target, shape.assignments), device);
                            });
                          });
  int status = answers.empty() ? kDone : worst_status(arguments, answers);
  if (stop_requested()) status = kInterrupted;
  print_left(left.size());
  std::vector<StoredSweep> sweeps;
  for (PoolRunner::Answer& answer : answers) sweeps.push_back(std::move(answer.sweep));
  print_answers(arguments, target, sweeps);
  return status;
}

// Returns the worst status of all problems. An interruption ends the run.
int run_shapes(const Arguments& arguments) {
  const Target target = read_target(arguments);
  const std::vector<Checked> shapes = checked_shapes(arguments, target);
  if (shapes.empty()) {
    std::cerr << (has_database(arguments) ? fmt::format("no look-up of {} is waiting for a sweep",
                                                        target.operation().name)
                                          : no_database_text(arguments))
              << '\n';
    return kNothing;
  }
  const std::vector<DeviceReport> devices = devices_to_measure_on(arguments);
  if (devices.size() > 1) return run_in_pool(arguments, devices, target, shapes);
  SweepRunner runner(arguments);
  std::vector<StoredSweep> answers;
  int status = kDone;
  const Patience patience(arguments);
  for (const Checked& one : shapes) {
    if (patience.is_over()) {
      print_left(shapes.size() - answers.size());
      break;
    }
    if (!arguments.has("quiet"))
      std::cerr << fmt::format("[{}/{}] ", answers.size() + 1, shapes.size());
    PreparedSweep setup = at_place(one.shape.where, [&] {
      return prepare_sweep(arguments, with_assignments(target, one.shape.assignments));
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
      {"device", "DEVICES",
       "Where to measure, as `tilewright devices` lists it; by default cuda:0, "
       "or host where there is no GPU. Several measure at the same time (docs/fleet.md): all (the "
       "GPUs), cuda:0,2 or UUIDs."},
      {"each-kind", "",
       "Several devices may be of several kinds. Every problem is then measured on each kind."},
      {"busy", "again|mark|refuse",
       "If a process of somebody else computes on the GPU during a trial: measure it again (the "
       "default), mark it, or give the GPU up."},
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
