// What of a sweep goes on at the same time.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <span>
#include <thread>

#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

// Compile processes on a clock of their own, which only waiting for a compile moves on.
class ClockedCompilers final : public CompileQueue {
 public:
  ClockedCompilers(int processes, std::function<double(const CompileRequest&)> seconds)
      : free_at_(static_cast<std::size_t>(processes), 0.0), seconds_(std::move(seconds)) {}

  void submit(std::size_t ticket, CompileRequest request) override {
    const auto process = std::ranges::min_element(free_at_);
    *process = std::max(*process, now) + seconds_(request);
    FakeCompilers compiler;
    running_.push_back({*process, {ticket, compiler.compile(request)}});
  }
  std::optional<Done> next(std::chrono::milliseconds limit) override {
    const auto first = std::ranges::min_element(running_, {}, &Running::at);
    const double until = now + std::chrono::duration<double>(limit).count();
    if (first == running_.end() || first->at > until) {
      now = until;
      if (limit.count() > 0) std::this_thread::sleep_for(limit / 2);  // for the device's thread
      return std::nullopt;
    }
    now = std::max(now, first->at);
    Done done = std::move(first->done);
    running_.erase(first);
    return done;
  }
  std::vector<Moment> withdraw() override {
    running_.clear();
    return {};
  }
  int processes() const override { return static_cast<int>(free_at_.size()); }

  double now = 0;

 private:
  struct Running {
    double at;
    Done done;
  };
  std::vector<double> free_at_;
  std::function<double(const CompileRequest&)> seconds_;
  std::vector<Running> running_;
};

class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() {
    std::vector<Value>& blocks = copy.implementation.parameters[0].values;
    blocks.clear();
    for (std::int64_t block = 32; block <= 1024; block += 32) blocks.emplace_back(block);
  }

  CopyDefinition copy;
  FakeEvaluator evaluator;
  std::atomic<bool> stop = false;
};

// Keeps trials in the order in which they are reported.
class OrderRecorder final : public SweepObserver {
 public:
  void on_trial(const Trial& trial) override {
    if (trial.stage == Stage::screen) reported.push_back(trial);
  }
  std::vector<Trial> reported;
};

// As many seconds as 100 waits of a sweep for a compile; the others are there at once.
constexpr double kSlow_s = 1;
constexpr double kFast_s = 0.001;

TEST_F(PipelineTest, ASlowCompileHoldsNobodyBack) {
  ClockedCompilers compilers(4, [](const CompileRequest& request) {
    return has_option(request, "-DBLOCK=96") ? kSlow_s : kFast_s;
  });
  OrderRecorder recorder;
  run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, recorder, stop);
  const auto is_slow = [](const Trial& trial) {
    return trial.configuration.values.at("BLOCK") == Value(std::int64_t{96});
  };
  ASSERT_EQ(recorder.reported.size(), 64U);
  EXPECT_TRUE(std::ranges::none_of(std::span(recorder.reported).first(62), is_slow));
}

TEST_F(PipelineTest, ASlowDefaultHoldsTheOthersBackForAWhileOnly) {
  ClockedCompilers compilers(4, [](const CompileRequest& request) {
    return has_option(request, "-DBLOCK=64") ? kSlow_s : kFast_s;
  });
  OrderRecorder recorder;
  run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, recorder, stop);
  const Configuration by_default = default_configuration(copy.implementation);
  const auto found = std::ranges::find(recorder.reported, by_default, &Trial::configuration);
  ASSERT_NE(found, recorder.reported.end());
  EXPECT_EQ(found->outcome, Outcome::measured);
  EXPECT_GT(found - recorder.reported.begin(), 40);
}

// Waits for something that another thread does; a test that would wait for ever fails instead.
bool happens(const std::shared_future<void>& event) {
  return event.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}

TEST_F(PipelineTest, TheDeviceWorksWhileATrialIsStored) {
  class SlowStore final : public SweepObserver {
   public:
    explicit SlowStore(std::shared_future<void> second) : second_(std::move(second)) {}
    void on_trial(const Trial& trial) override {
      if (trial.timing && ++measured == 1) was_overtaken = happens(second_);
    }
    int measured = 0;
    bool was_overtaken = false;

   private:
    std::shared_future<void> second_;
  };
  std::promise<void> second_runs;
  int samples = 0;
  evaluator.on_sample = [&] {
    if (++samples == 2) second_runs.set_value();
  };
  FakeCompilers compilers;
  SlowStore store(second_runs.get_future().share());
  run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, store, stop);
  EXPECT_TRUE(store.was_overtaken);
}

TEST_F(PipelineTest, CompiledCodeIsCheckedWhileInputsAreMade) {
  class Failures final : public SweepObserver {
   public:
    void on_trial(const Trial& trial) override {
      if (trial.outcome == Outcome::compile_failed) first_.set_value();
    }
    std::shared_future<void> first() { return first_.get_future().share(); }

   private:
    std::promise<void> first_;
  };
  FakeCompilers compilers;
  const auto good = compilers.compile;
  compilers.compile = [good](const CompileRequest& request) {
    CompileResult result = good(request);
    if (has_option(request, "-DBLOCK=64") && has_option(request, "-DUNUSED=0"))
      result.outcome = Outcome::compile_failed;
    return result;
  };
  Failures failures;
  bool was_overtaken = false;
  evaluator.on_open = [&, first = failures.first()] {
    if (evaluator.opened.size() == 1) was_overtaken = happens(first);
  };
  run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, failures, stop);
  EXPECT_TRUE(was_overtaken);
}

TEST_F(PipelineTest, TheClockCoversTheWholeSweep) {
  FakeCompilers compilers;
  SweepObserver nobody;
  evaluator.on_sample = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  const SweepSummary summary =
      run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, nobody, stop);
  const SweepClock& clock = summary.clock;
  double parts = clock.occupied_s + clock.unexplained_s;
  for (const auto& [activity, seconds] : clock.lost_s) parts += seconds;
  EXPECT_NEAR(parts, clock.total_s, 1e-6);
  EXPECT_GE(clock.busy_s.at(Activity::timing), 0.002 * 32);
  EXPECT_EQ(summary.compile_processes, 1);
}

}  // namespace
}  // namespace tilewright::test
