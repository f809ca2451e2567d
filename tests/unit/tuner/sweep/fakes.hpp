#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tilewright/statistics.hpp"
#include "tuner/measure/sampling.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::test {

// An operation `copy` over N elements and an implementation with BLOCK and an UNUSED parameter
// that does not reach the code; its source lies in a temporary folder.
class CopyDefinition {
 public:
  CopyDefinition() {
    folder_ = std::filesystem::temp_directory_path() /
              ("tilewright_sweep_" + std::to_string(::getpid()) + "_" + std::to_string(count_++));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "copy.cu")
        << "extern \"C\" __global__ void copy(float*, int) {}  // BLOCK, UNUSED\n";
    operation.name = "copy";
    Dimension dimension;
    dimension.name = "N";
    operation.dimensions = {dimension};
    Argument out;
    out.name = "out";
    out.role = ArgumentRole::output;
    out.count = Expression::parse("N");
    operation.arguments = {out};
    operation.reference.builtin = "copy";
    operation.checks = {{{"N", 7}}};
    implementation.name = "plain";
    implementation.operation = "copy";
    implementation.source = folder_ / "copy.cu";
    implementation.parameters = {parameter("BLOCK", {32, 64, 128, 2048}, 64),
                                 parameter("UNUSED", {0, 1}, 0)};
    Launch launch;
    launch.entry = "copy";
    launch.grid[0] = Expression::parse("ceil_div(N, BLOCK)");
    launch.block[0] = Expression::parse("BLOCK");
    launch.arguments.push_back({LaunchArgument::Kind::argument, "out", {}, ElementType::int32});
    implementation.launches = {launch};
    request.implementations = {&implementation};
    request.operation = &operation;
    request.problem = {"copy", {{"N", 1000}}};
    request.device.name = "Fake";
    request.device.compute_capability = 90;
    request.device.shared_bytes_per_block = 232448;
    request.backend.architecture = "sm_90";
    request.strategy = "exhaustive";
  }
  CopyDefinition(const CopyDefinition&) = delete;
  CopyDefinition& operator=(const CopyDefinition&) = delete;
  ~CopyDefinition() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  static Parameter parameter(const std::string& name, std::vector<Value> values, Value standard) {
    Parameter result;
    result.name = name;
    result.values = std::move(values);
    result.default_value = std::move(standard);
    return result;
  }

  Operation operation;
  Implementation implementation;
  SweepRequest request;

 private:
  std::filesystem::path folder_;
  static inline int count_ = 0;
};

inline bool has_option(const CompileRequest& request, const std::string& option) {
  return std::find(request.options.begin(), request.options.end(), option) != request.options.end();
}

// Compiles at once; the code is the BLOCK macro alone, so UNUSED makes duplicates.
class FakeCompilers final : public CompileQueue {
 public:
  void submit(std::size_t ticket, CompileRequest request) override {
    requests.push_back(request);
    Done done{ticket, {}};
    done.result = compile(request);
    queue_.push_back(std::move(done));
  }
  std::optional<Done> next(std::chrono::milliseconds) override {
    if (queue_.empty() || (is_late && is_late())) return std::nullopt;
    if (last_first) std::swap(queue_.front(), queue_.back());
    Done done = std::move(queue_.front());
    queue_.pop_front();
    return done;
  }
  std::vector<Moment> withdraw() override {
    queue_.clear();
    return begun;
  }
  int processes() const override { return 1; }

  std::function<CompileResult(const CompileRequest&)> compile = [](const CompileRequest& request) {
    CompileResult result;
    for (const std::string& option : request.options)
      if (option.rfind("-DBLOCK=", 0) == 0) result.code_hash = option;
    result.code.assign(result.code_hash.begin(), result.code_hash.end());
    result.entries["copy"] = {"copy", {}};
    result.entries["copy"].resources.registers = 32;
    result.entries["copy"].resources.shared_bytes = 0;
    result.milliseconds = 1;
    return result;
  };
  std::function<bool()> is_late;  // whether next() has nothing for now
  std::vector<CompileRequest> requests;
  bool last_first = false;    // give out the newest first
  std::vector<Moment> begun;  // what withdraw() says

 private:
  std::deque<Done> queue_;
};

// Answers from functions on the loaded kernel's block size.
class FakeEvaluator final : public Evaluator {
 public:
  void open(const SessionPlan& plan) override {
    opened.push_back(plan);
    ++sessions;
    if (on_open) on_open();
  }
  Attempt<Resources> load(const KernelPlan& kernel) override {
    const LaunchPlan& plan = kernel.launches.front();
    block_ = plan.routine.is_given() ? std::get<std::int64_t>(plan.routine.values.at("WAYS"))
                                     : plan.launches.front().block[0];
    ++loads;
    if (on_load)
      if (const auto failure = on_load()) return *failure;
    return Resources{};
  }
  RoutineList list(int, const PlannedRoutine& routine) override { return on_list(routine); }
  Attempt<Verification> verify() override { return on_verify(block_); }
  Attempt<Timing> sample(const SampleRequest& request) override {
    lead_ins_us.push_back(request.lead_in_us);
    if (on_sample) on_sample();
    const bool is_warm = warm_us && request.cache == CachePolicy::warm;
    Timing timing =
        take_samples(request, 1, [&] { return is_warm ? warm_us(block_) : time_us(block_); });
    if (sm_mhz) timing.sm_mhz = sm_mhz();
    return timing;
  }
  std::vector<SimpleAnswer> simple_answers() override {
    ++weighed;
    return simple;
  }

  std::function<RoutineList(const PlannedRoutine&)> on_list;
  std::vector<SimpleAnswer> simple;
  int weighed = 0;

  std::function<Attempt<Verification>(std::int64_t)> on_verify = [](std::int64_t) {
    return Attempt<Verification>(Verification{});
  };
  std::function<double(std::int64_t)> time_us = [](std::int64_t block) {
    return 1000.0 / static_cast<double>(block);
  };
  std::function<double(std::int64_t)> warm_us;  // empty: as time_us
  std::function<double()> sm_mhz;               // empty: unknown
  std::function<void()> on_open;
  std::function<std::optional<Failure>()> on_load;
  std::function<void()> on_sample;
  std::vector<SessionPlan> opened;
  std::atomic<int> sessions = 0;    // that were opened, for other threads
  std::vector<double> lead_ins_us;  // of each sample()
  int loads = 0;

 private:
  std::int64_t block_ = 0;
};

class Recorder final : public SweepObserver {
 public:
  void on_start(const SearchProgress& begun) override { progress = begun; }
  void on_trial(const Trial& trial) override { trials.push_back(trial); }
  void on_finals(const std::vector<Trial>& finals) override {
    ++batches_of_finals;
    trials.insert(trials.end(), finals.begin(), finals.end());
  }

  std::size_t count(Outcome outcome, Stage stage = Stage::screen) const {
    return static_cast<std::size_t>(std::count_if(
        trials.begin(), trials.end(),
        [&](const Trial& trial) { return trial.outcome == outcome && trial.stage == stage; }));
  }

  // The BLOCK of each trial of the final.
  std::set<std::int64_t> finalists() const {
    std::set<std::int64_t> blocks;
    for (const Trial& trial : trials)
      if (trial.stage == Stage::final)
        blocks.insert(std::get<std::int64_t>(trial.configuration.values.at("BLOCK")));
    return blocks;
  }

  SearchProgress progress;  // at the start
  int batches_of_finals = 0;
  std::vector<Trial> trials;
};

// A sweep on one device.
inline SweepSummary run_sweep(const SweepRequest& request, const std::vector<Space>& spaces,
                              CompileQueue& compilers, Evaluator& evaluator,
                              SweepObserver& observer, const std::atomic<bool>& stop) {
  return tilewright::run_sweep(request, spaces, compilers,
                               {{"", request.device_index, &evaluator, request.monitor}}, observer,
                               stop);
}

}  // namespace tilewright::test
