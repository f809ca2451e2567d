#include "tools/run/device_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <iterator>
#include <utility>

#include "campaign/device_kinds.hpp"
#include "tilewright/error.hpp"
#include "tuner/backend/parallel.hpp"

namespace tilewright::tools {
namespace {

constexpr std::chrono::milliseconds kSignalAttention{50};

std::shared_ptr<CampaignResources> resources_for(const SweepGiven& given, std::size_t campaigns) {
  CampaignOptions options = campaign_options(given);
  options.campaigns = static_cast<int>(campaigns);
  return std::make_shared<CampaignResources>(std::move(options));
}

struct Task {
  std::size_t problem = 0;
  Beginning beginning = Beginning::as_asked;
};

std::vector<DeviceGroup> groups_of(const std::vector<DeviceReport>& kind, std::size_t problems) {
  if (problems == 1) return {{kind.front(), {kind.begin() + 1, kind.end()}}};
  std::vector<DeviceGroup> groups;
  for (const DeviceReport& device : kind) groups.push_back({device});
  return groups;
}

// The problems that one kind of device has still to measure, and the answers to those that it has.
// Thread-safe.
class Tasks final : public GroupWork {
 public:
  // `prepare` is called while `preparing` is held. `prepare` and `preparing` must outlive it.
  Tasks(const std::vector<std::size_t>& problems, const PreparePoolSweep& prepare,
        std::mutex& preparing)
      : prepare_(prepare), preparing_(preparing), keeps_spaces_(problems.size() == 1) {
    for (const std::size_t problem : problems) waiting_.push_back({problem});
  }

  void run(SweepRunner& runner, const DeviceGroup& group) override {
    while (const auto task = take()) {
      try {
        if (auto sweep = prepared(task->problem, group.device)) {
          StoredSweep answer = runner.run(*sweep, {task->beginning});
          if (!keeps_spaces_) sweep->spaces.clear();
          const std::lock_guard lock(mutex_);
          answers_.push_back({task->problem, std::move(*sweep), std::move(answer)});
        }
      } catch (const DeviceLost&) {
        give_back(task->problem);
        throw;
      }
      finish();
    }
  }

  // When all groups have ended.
  std::vector<PoolAnswer>& answers() { return answers_; }

 private:
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

  std::optional<PreparedSweep> prepared(std::size_t problem, const DeviceReport& device) {
    const std::lock_guard lock(preparing_);
    return prepare_(problem, device);
  }

  const PreparePoolSweep& prepare_;
  std::mutex& preparing_;
  const bool keeps_spaces_;
  std::deque<Task> waiting_;
  std::size_t running_ = 0;
  std::vector<PoolAnswer> answers_;
};

}  // namespace

std::string DeviceGroup::name() const {
  return helpers.empty() ? device.id : fmt::format("{}+{}", device.id, helpers.size());
}

DeviceGroups::DeviceGroups(const SweepGiven& given, std::size_t groups)
    : given_(given), is_alone_(groups == 1), resources_(resources_for(given, groups)) {}

void DeviceGroups::start(std::vector<DeviceGroup> groups, GroupWork& work) {
  const auto left = std::make_shared<std::atomic<std::size_t>>(groups.size());
  {
    const std::lock_guard lock(mutex_);
    works_.push_back(&work);
    working_ += groups.size();
    if (stop_) work.end();
  }
  std::size_t waiting = groups.size();
  try {
    for (DeviceGroup& group : groups) {
      threads_.push_back(start_thread([this, &work, left, group = std::move(group)] {
        run(group, work, *left);
        const std::lock_guard lock(mutex_);
        --working_;
        ended_.notify_all();
      }));
      --waiting;
    }
  } catch (const MachineError&) {
    fail();
    const std::lock_guard lock(mutex_);
    working_ -= waiting;
  }
}

void DeviceGroups::wait() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kSignalAttention, [this] { return working_ == 0; }))
    if (stop_requested())
      stop();
    else if (search_end_requested())
      end_works();
  lock.unlock();
  threads_.clear();
  if (failure_) std::rethrow_exception(failure_);
}

void DeviceGroups::stop() {
  stop_ = true;
  end_works();
}

void DeviceGroups::end_works() {
  for (GroupWork* work : works_) work->end();
}

// `left` counts the groups of the same work.
void DeviceGroups::run(const DeviceGroup& group, GroupWork& work, std::atomic<std::size_t>& left) {
  try {
    const std::string name = is_alone_ && group.helpers.empty() ? "" : group.name();
    SweepRunner runner(given_, interrupt_, {resources_, group.helpers, name, turn_, stop_});
    if (is_claimed(runner, group, work, left)) work.run(runner, group);
  } catch (const DeviceLost& lost) {
    leave(fmt::format("{} is lost: {}", group.device.id, lost.what()), work, left);
  } catch (...) {
    fail();
  }
}

// False: others have done everything meanwhile, or with --no-wait another process measures there.
bool DeviceGroups::is_claimed(SweepRunner& runner, const DeviceGroup& group, GroupWork& work,
                              std::atomic<std::size_t>& left) {
  try {
    return runner.claim(group.device, work.over());
  } catch (const MachineError& in_use) {
    leave(in_use.what(), work, left);
    return false;
  }
}

// The others go on, if there are any. Called while the exception is handled.
void DeviceGroups::leave(const std::string& why, const GroupWork& work,
                         std::atomic<std::size_t>& left) {
  if (--left == 0 && !work.over()) return fail();
  const std::lock_guard lock(turn_);
  std::cerr << fmt::format("tilewright: {}; the others do its work", why) << std::endl;
}

void DeviceGroups::fail() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
  stop();
}

std::vector<PoolAnswer> sweep_in_pool(const SweepGiven& given,
                                      const std::vector<DeviceReport>& devices,
                                      const std::vector<std::size_t>& problems,
                                      const PreparePoolSweep& prepare) {
  const std::vector<std::vector<DeviceReport>> kinds = by_kind(devices, given.kinds);
  std::size_t campaigns = 0;
  for (const auto& kind : kinds) campaigns += groups_of(kind, problems.size()).size();
  std::mutex preparing;
  std::deque<Tasks> tasks;  // of each kind
  DeviceGroups groups(given, campaigns);
  for (const auto& kind : kinds)
    groups.start(groups_of(kind, problems.size()),
                 tasks.emplace_back(problems, prepare, preparing));
  groups.wait();
  std::vector<PoolAnswer> answers;
  for (Tasks& one : tasks) std::ranges::move(one.answers(), std::back_inserter(answers));
  std::ranges::stable_sort(answers, {}, &PoolAnswer::problem);
  return answers;
}

}  // namespace tilewright::tools
