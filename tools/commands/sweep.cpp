#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>

#include "campaign/campaign.hpp"
#include "campaign/failures.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/sweep.hpp"
#include "tools/results/problem_list.hpp"
#include "tools/run/device_groups.hpp"
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

struct SweepCommandGiven : GivenPrinting {
  SweepGiven sweep;
  ProblemsGiven problems;

  void declare(Options& all) {
    all.text(
        sweep.measuring.device,
        {"device", "DEVICES",
         "Where to measure, as `tilewright devices` lists it; by default cuda:0, or host where "
         "there is no GPU. Several measure at the same time (docs/fleet.md): all (the GPUs), "
         "cuda:0,2 or UUIDs."});
    sweep.search.declare(all);
    all.flag(
        sweep.kinds, Kinds::each,
        {"each-kind", "",
         "Several devices may be of several kinds. Every problem is then measured on each kind."});
    problems.declare(all);
    all.flag(problems.is_wanted,
             {"wanted", "",
              "Sweep the problems that applications looked up on this device and did not find, the "
              "most valuable first (docs/catalog.md). With --time-limit, none begins after that "
              "time."});
    sweep.declare_fresh(all);
    all.add(
        {"retry", "", "Try again what faulted or exceeded a time limit; the rest is kept."},
        [this](const std::string&) {
          if (sweep.start == Store::Start::fresh)
            throw InputError(
                "--fresh measures everything again, --retry only what failed; give one of them");
          sweep.start = Store::Start::retry;
        });
    sweep.measuring.places.declare(all, {kDatabase});
    sweep.declare_run(all);
    GivenPrinting::declare(all);
  }
  const Places& places() const { return sweep.measuring.places; }
  const std::string& device() const { return sweep.measuring.device; }
  Target target() const { return target(words); }
  Target target(const std::vector<std::string>& line) const {
    return read_target(line, places(), sweep.search.where);
  }
};

// The words of the command line that other commands need in order to find the same results.
CommandWords command_words(const SweepCommandGiven& given, const std::vector<std::string>& line) {
  CommandWords words;
  for (const std::string& word : line)
    words.subject += (words.subject.empty() ? "" : " ") + shell_word(word);
  const auto& cache = given.sweep.search.options.cache;
  for (const auto& [option, text] :
       {std::pair("device", given.device().empty() ? "" : first_device(given.device())),
        {"policy", cache ? to_text(*cache) : ""},
        {"objective", given.sweep.search.objective}})
    if (!text.empty()) words.subject += fmt::format(" --{} {}", option, shell_word(text));
  words.places = places_text(given.places());
  return words;
}

void print_answer(const SweepCommandGiven& given, const std::vector<std::string>& words,
                  const PreparedSweep& sweep, const StoredSweep& answer) {
  const bool is_legal = answer.fate != Fate::nothing_legal;
  if (is_legal && answer.record.uuid.empty()) return;  // it was not begun
  if (given.json) {
    print_json(std::cout, json_of_answer(sweep.target.operation(), answer));
  } else if (!is_legal) {
    print_spaces(std::cout, sweep);
  } else if (given.sweep.is_quiet) {
    print_winner(std::cout, sweep, answer);
  } else {
    print_summary(std::cout, sweep, answer, command_words(given, words));
    if (given.detail == Detail::full)
      print_details(std::cout << '\n', sweep, answer);
    else if (answer.winners.empty() && answer.fate != Fate::interrupted)
      print_spaces(std::cout, sweep);
  }
}

// Sweeps one problem, on several devices if the command line names them.
std::vector<PoolAnswer> answers_of(const SweepGiven& given, Target target) {
  read_search(given.search, target);
  const std::vector<DeviceReport> devices = devices_to_measure_on(given.measuring.device);
  if (devices.size() > 1)
    return sweep_in_pool(given, devices, {0}, [&](std::size_t, const DeviceReport& device) {
      return prepare_sweep(given.search, target, device);
    });
  PreparedSweep sweep = prepare_sweep(given.search, std::move(target), devices.front());
  StoredSweep answer = SweepRunner(given).run(sweep);
  std::vector<PoolAnswer> answers;
  answers.push_back({0, std::move(sweep), std::move(answer)});
  return answers;
}

int worst_status(const SweepGiven& given, const std::vector<PoolAnswer>& answers) {
  int status = answers.empty() ? kInterrupted : kDone;
  for (const PoolAnswer& answer : answers)
    status = std::max<int>(status, status_of(given, answer.sweep));
  return status;
}

// Checks problems of one command line, without building their spaces. Looks for the device once.
class ProblemCheck {
 public:
  explicit ProblemCheck(const SweepCommandGiven& given) : given_(given) {}
  Problem problem_of(const Target& target) {
    const SearchOptions options = read_search(given_.sweep.search, target);
    Problem problem = make_problem(target.operation(), target.assignments, device());
    choose_policy(target.operation(), problem, options.cache, *report_);
    return problem;
  }
  // The first device to measure on.
  const Device& device() {
    if (!report_) report_ = devices_to_measure_on(given_.device()).front();
    return report_->device;
  }

 private:
  const SweepCommandGiven& given_;
  std::optional<DeviceReport> report_;
};

// The operations of one file, one after the other. All are checked first.
int sweep_each(const SweepCommandGiven& given, const std::vector<std::vector<std::string>>& lines) {
  std::vector<Target> targets;
  for (const std::vector<std::string>& line : lines) {
    targets.push_back(given.target(line));
    if (lines.size() > 1) ProblemCheck(given).problem_of(targets.back());
  }
  nlohmann::json json = nlohmann::json::array();
  int status = kDone;
  for (std::size_t i = 0; i < lines.size() && status != kInterrupted; ++i) {
    const std::vector<PoolAnswer> answers = answers_of(given.sweep, std::move(targets[i]));
    status = std::max(status, worst_status(given.sweep, answers));
    for (const PoolAnswer& answer : answers)
      if (given.json && (lines.size() > 1 || answers.size() > 1))  // one for each kind of device
        json.push_back(json_of_answer(answer.prepared.target.operation(), answer.sweep));
      else
        print_answer(given, lines[i], answer.prepared, answer.sweep);
  }
  if (given.json && (lines.size() > 1 || !json.empty()))
    print_json(std::cout, nlohmann::json{{"problems", json}});
  return status;
}

std::vector<Shape> shapes_of(const SweepCommandGiven& given, const Target& target) {
  if (!given.problems.is_wanted) return given.problems.named(target.operation(), given.places());
  const std::unique_ptr<Store> store = open_for_reading(given.places());
  if (!store) return {};
  std::vector<Shape> all;
  for (const DeviceReport& device : devices_to_measure_on(given.device()))
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
std::vector<Checked> checked_shapes(const SweepCommandGiven& given, const Target& target) {
  std::vector<Checked> distinct;
  std::set<Problem> problems;
  ProblemCheck check(given);
  for (Shape& shape : shapes_of(given, target)) {
    const Problem problem = at_place(
        shape.where, [&] { return check.problem_of(with_assignments(target, shape.assignments)); });
    if (problems.insert(problem).second)
      distinct.push_back({std::move(shape), work_of(target.operation(), problem, check.device())});
  }
  return distinct;
}

void print_answers(const SweepCommandGiven& given, const Target& target,
                   const std::vector<StoredSweep>& answers) {
  if (!given.json) return print_shapes(std::cout, target, answers, given.detail);
  print_json(std::cout, nlohmann::json{{"problems", json_list(answers, [&](const auto& answer) {
                                          return json_of_answer(target.operation(), answer);
                                        })}});
}

void print_left(std::size_t count) {
  if (count > 0)
    std::cerr << fmt::format("the time limit leaves {} for another time\n",
                             counted(count, "problem"));
}

// In which several devices begin the problems: what takes longest comes first, so that no device
// waits long for the last one. Those of --wanted keep their order, by value.
std::vector<std::size_t> order_of(const SweepCommandGiven& given,
                                  const std::vector<Checked>& shapes) {
  std::vector<std::size_t> order(shapes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!given.problems.is_wanted)
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t problem) { return shapes[problem].work; });
  return order;
}

// What several problems are swept with.
struct ShapesRun {
  const SweepCommandGiven& given;
  const Target& target;
  const std::vector<Checked>& shapes;
  double limit_s;  // none of the problems of --wanted begins after this time; 0: there is no limit
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  bool is_over() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return limit_s > 0 && spent.count() >= limit_s;
  }
  PreparedSweep prepared(const Shape& shape, const DeviceReport& device) const {
    return at_place(shape.where, [&] {
      return prepare_sweep(given.sweep.search, with_assignments(target, shape.assignments), device);
    });
  }
};

int run_in_pool(const ShapesRun& run, const std::vector<DeviceReport>& devices) {
  std::set<std::size_t> left;
  const auto prepare = [&](std::size_t problem,
                           const DeviceReport& device) -> std::optional<PreparedSweep> {
    if (!run.is_over()) return run.prepared(run.shapes[problem].shape, device);
    left.insert(problem);
    return std::nullopt;
  };
  auto answers = sweep_in_pool(run.given.sweep, devices, order_of(run.given, run.shapes), prepare);
  int status = answers.empty() ? kDone : worst_status(run.given.sweep, answers);
  if (stop_requested()) status = kInterrupted;
  print_left(left.size());
  std::vector<StoredSweep> sweeps;
  for (PoolAnswer& answer : answers) sweeps.push_back(std::move(answer.sweep));
  print_answers(run.given, run.target, sweeps);
  return status;
}

int run_in_turn(const ShapesRun& run, const DeviceReport& device) {
  const SweepGiven& given = run.given.sweep;
  SweepRunner runner(given);
  std::vector<StoredSweep> answers;
  int status = kDone;
  for (const Checked& one : run.shapes) {
    if (run.is_over()) {
      print_left(run.shapes.size() - answers.size());
      break;
    }
    if (!given.is_quiet)
      std::cerr << fmt::format("[{}/{}] ", answers.size() + 1, run.shapes.size());
    PreparedSweep setup = run.prepared(one.shape, device);
    answers.push_back(runner.run(setup));
    status = std::max<int>(status, status_of(given, answers.back()));
    if (status == kInterrupted) break;
  }
  print_answers(run.given, run.target, answers);
  return status;
}

// Returns the worst status of all problems. An interruption ends the run.
int run_shapes(const SweepCommandGiven& command) {
  SweepCommandGiven given = command;
  double& search_limit_s = given.sweep.search.options.time_limit_s;
  const double limit_s =
      given.problems.is_wanted ? std::exchange(search_limit_s, 0) : 0;  // of the command
  const Target target = given.target();
  const std::vector<Checked> shapes = checked_shapes(given, target);
  if (shapes.empty())
    return tell_nothing(
        has_database(given.places())
            ? fmt::format("no look-up of {} is waiting for a sweep", target.operation().name)
            : no_database_text(given.places()));
  const std::vector<DeviceReport> devices = devices_to_measure_on(given.device());
  const ShapesRun run{given, target, shapes, limit_s};
  return devices.size() > 1 ? run_in_pool(run, devices) : run_in_turn(run, devices.front());
}

int run_sweep(const SweepCommandGiven& given) {
  if (given.problems.any()) return run_shapes(given);
  return sweep_each(given, by_operation(given.words, given.places()));
}

}  // namespace

Command sweep_command() {
  return make_command(
      {"sweep", Purpose::tune,
       "Measure configurations of one problem or many on a device, and keep every result.",
       "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options]",
       "  tilewright sweep gemm M=1024 N=1024 K=1024\n"
       "  tilewright sweep gemm/tiled M=N=K=4096 --budget 200 --time-limit 5m\n"
       "  tilewright sweep conv1d length=16777216 taps=9 boundary=reflect --policy cold\n"
       "  tilewright sweep gemm --shapes shapes.txt\n"
       "  tilewright sweep gemm --shapes 'M=16,32,64 N=K=4096'\n"
       "  tilewright sweep gemm --like H100\n"
       "  tilewright sweep gemm --wanted\n"
       "  tilewright sweep mine.toml/second n=4096\n"},
      run_sweep);
}

}  // namespace tilewright::tools
