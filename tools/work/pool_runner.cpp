#include "tools/work/pool_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "campaign/device_kinds.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

constexpr std::chrono::milliseconds kSignalAttention{50};

struct Task {
  std::size_t problem = 0;
  Beginning beginning = Beginning::as_asked;
};

std::vector<std::vector<DeviceReport>> kinds_of(const Arguments& arguments,
                                                const std::vector<DeviceReport>& devices) {
  return by_kind(devices, arguments.has("each-kind") ? Kinds::each : Kinds::one);
}

// Devices that measure one sweep at a time.
struct Team {
  DeviceReport device;
  std::vector<DeviceReport> helpers = {};
  std::string name() const {
    return helpers.empty() ? device.id : fmt::format("{}+{}", device.id, helpers.size());
  }
};

std::vector<Team> teams_of(const std::vector<DeviceReport>& kind, std::size_t problems) {
  if (problems == 1) return {{kind.front(), {kind.begin() + 1, kind.end()}}};
  std::vector<Team> teams;
  for (const DeviceReport& device : kind) teams.push_back({device});
  return teams;
}

// The problems that one kind of device has still to measure. Thread-safe.
class Tasks {
 public:
  explicit Tasks(const std::vector<std::size_t>& problems) {
    for (const std::size_t problem : problems) waiting_.push_back({problem});
  }

  // Waits while others might give one back. Nothing: there is none left, or end() was called.
  std::optional<Task> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
    if (over_) return std::nullopt;
    const Task task = waiting_.front();
    waiting_.pop_front();
    ++running_;
    return task;
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0 && waiting_.empty()) over_ = true;
    changed_.notify_all();
  }
  void give_back(std::size_t problem) {
    const std::lock_guard lock(mutex_);
    --running_;
    waiting_.push_front({problem, Beginning::moved});
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  // Nothing is left to take, now and later.
  const std::atomic<bool>& over() const { return over_; }

 private:
  std::mutex mutex_;  // guards all but reading over_
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::size_t running_ = 0;
  std::atomic<bool> over_ = false;
};

}  // namespace

// What all threads of one run share.
class PoolRunner::Run {
 public:
  Run(const Arguments& arguments, std::size_t campaigns, const Prepare& prepare)
      : arguments_(arguments), prepare_(prepare), workshop_(workshop_for(arguments, campaigns)) {}

  void add(const std::vector<DeviceReport>& kind, const std::vector<std::size_t>& problems) {
    Tasks& tasks = *tasks_.emplace_back(std::make_unique<Tasks>(problems));
    std::vector<Team> teams = teams_of(kind, problems.size());
    const auto left = std::make_shared<std::atomic<std::size_t>>(teams.size());
    keeps_spaces_ = problems.size() == 1;
    {
      const std::lock_guard lock(mutex_);
      working_ += teams.size();
    }
    for (Team& team : teams)
      threads_.emplace_back([this, &tasks, left, team = std::move(team)] {
        work(team, tasks, *left);
        const std::lock_guard lock(mutex_);
        --working_;
        ended_.notify_all();
      });
  }

  // Until all threads have ended.
  std::vector<Answer> wait() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kSignalAttention, [this] { return working_ == 0; }))
      if (stop_requested()) stop();
    lock.unlock();
    threads_.clear();
    if (failure_) std::rethrow_exception(failure_);
    std::ranges::stable_sort(answers_, {}, &Answer::problem);
    return std::move(answers_);
  }

 private:
  static std::shared_ptr<Workshop> workshop_for(const Arguments& arguments, std::size_t campaigns) {
    CampaignOptions options = campaign_options(arguments);
    options.campaigns = static_cast<int>(campaigns);
    return std::make_shared<Workshop>(std::move(options));
  }

  void stop() {
    stop_ = true;
    for (const auto& tasks : tasks_) tasks->end();
  }

  // `left` counts the teams of the same tasks.
  void work(const Team& team, Tasks& tasks, std::atomic<std::size_t>& left) {
    try {
      SweepRunner runner(arguments_, interrupt_,
                         {workshop_, team.helpers, team.name(), turn_, stop_});
      if (is_claimed(runner, team, tasks, left)) measure_all(runner, team, tasks);
    } catch (const DeviceLost& lost) {
      leave(fmt::format("{} is lost: {}", team.device.id, lost.what()), tasks, left);
    } catch (...) {
      fail();
    }
  }

  // False: others have done everything meanwhile, or with --no-wait another process measures there.
  bool is_claimed(SweepRunner& runner, const Team& team, Tasks& tasks,
                  std::atomic<std::size_t>& left) {
    try {
      return runner.claim(team.device, tasks.over());
    } catch (const MachineError& in_use) {
      leave(in_use.what(), tasks, left);
      return false;
    }
  }

  void measure_all(SweepRunner& runner, const Team& team, Tasks& tasks) {
    while (const auto task = tasks.take()) {
      try {
        if (auto sweep = prepared(task->problem, team.device)) {
          StoredSweep answer = runner.run(*sweep, task->beginning);
          if (!keeps_spaces_) sweep->spaces.clear();
          const std::lock_guard lock(mutex_);
          answers_.push_back({task->problem, std::move(*sweep), std::move(answer)});
        }
      } catch (const DeviceLost&) {
        tasks.give_back(task->problem);
        throw;
      }
      tasks.finish();
    }
  }

  std::optional<PreparedSweep> prepared(std::size_t problem, const DeviceReport& device) {
    const std::lock_guard lock(prepare_mutex_);
    return prepare_(problem, device);
  }

  // The others go on, if there are any.
  void leave(const std::string& why, Tasks& tasks, std::atomic<std::size_t>& left) {
    if (--left == 0 && !tasks.over()) return fail();
    const std::lock_guard lock(turn_);
    std::cerr << fmt::format("tilewright: {}; the others do its work", why) << std::endl;
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    stop();
  }

  const Arguments& arguments_;
  const Prepare& prepare_;
  InterruptGuard interrupt_;
  std::shared_ptr<Workshop> workshop_;
  std::atomic<bool> stop_ = false;
  std::mutex turn_;           // of printing
  std::mutex prepare_mutex_;  // held while a problem is prepared
  std::vector<std::unique_ptr<Tasks>> tasks_;
  bool keeps_spaces_ = false;
  std::mutex mutex_;  // guards the rest but the threads
  std::condition_variable ended_;
  std::size_t working_ = 0;  // threads
  std::vector<Answer> answers_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // last, because they use the others
};

PoolRunner::PoolRunner(const Arguments& arguments, const std::vector<DeviceReport>& devices)
    : arguments_(arguments), kinds_(kinds_of(arguments, devices)) {}

std::vector<PoolRunner::Answer> PoolRunner::run(const std::vector<std::size_t>& problems,
                                                const Prepare& prepare) {
  std::size_t campaigns = 0;
  for (const auto& kind : kinds_) campaigns += teams_of(kind, problems.size()).size();
  Run all(arguments_, campaigns, prepare);
  for (const auto& kind : kinds_) all.add(kind, problems);
  return all.wait();
}

}  // namespace tilewright::tools
