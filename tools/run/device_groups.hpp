#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tools/run/interrupt.hpp"
#include "tools/run/sweep_runner.hpp"

namespace tilewright::tools {

// Devices that measure one sweep at a time.
struct DeviceGroup {
  DeviceReport device;
  std::vector<DeviceReport> helpers = {};

  std::string name() const;
};

// What several groups do until nothing is left of it. Called on their threads.
class GroupWork {
 public:
  virtual ~GroupWork() = default;

  // Returns when nothing is left for the group. If it throws DeviceLost, what the group was doing
  // is left for the others.
  virtual void run(SweepRunner& runner, const DeviceGroup& group) = 0;
  // Nothing is left for anybody, now and later.
  const std::atomic<bool>& over() const { return over_; }
  // Makes it over. The sweeps that run are told otherwise.
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 protected:
  std::mutex mutex_;  // guards what the groups share but reading over_
  std::condition_variable changed_;
  std::atomic<bool> over_ = false;
};

// Groups that measure at the same time, in one process with one store and one set of compile
// processes, each group on a thread of its own. If a device is lost, or another process measures on
// it until the end, the other groups with the same work do all of it.
class DeviceGroups {
 public:
  // For so many groups. From now on signals are handled. `given` must outlive it.
  DeviceGroups(const SweepGiven& given, std::size_t groups);

  // Ends the work after this time, as a signal does.
  void stop_in(std::chrono::seconds time) { interrupt_.stop_in(time); }
  // Held while something is printed.
  std::mutex& turn() { return turn_; }

  // Starts them. `work` must outlive wait().
  void start(std::vector<DeviceGroup> groups, GroupWork& work);
  // Until all groups have ended. Throws what the first that failed threw, after the others have
  // kept their trials, and DeviceLost if all devices with the same work are lost.
  void wait();

 private:
  void stop();
  void end_works();
  void run(const DeviceGroup& group, GroupWork& work, std::atomic<std::size_t>& left);
  bool is_claimed(SweepRunner& runner, const DeviceGroup& group, GroupWork& work,
                  std::atomic<std::size_t>& left);
  void leave(const std::string& why, const GroupWork& work, std::atomic<std::size_t>& left);
  void fail();

  const SweepGiven& given_;
  const bool is_alone_;  // there is only one group
  InterruptGuard interrupt_;
  std::shared_ptr<CampaignResources> resources_;
  std::atomic<bool> stop_ = false;
  std::mutex turn_;
  std::mutex mutex_;  // guards the rest but the threads
  std::condition_variable ended_;
  std::size_t working_ = 0;  // threads
  std::vector<GroupWork*> works_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // last, because they use the others
};

// What one device, or one group of them, measured.
struct PoolAnswer {
  std::size_t problem = 0;
  PreparedSweep prepared;  // without spaces, if there are several problems
  StoredSweep sweep;
};

// Nothing: the problem is left out.
using PreparePoolSweep =
    std::function<std::optional<PreparedSweep>(std::size_t problem, const DeviceReport& device)>;

// Sweeps problems on several devices at the same time, in one process with one store and one set of
// compile processes. A device takes the next problem when it is free. A single problem is divided:
// each configuration is screened on one of the devices, and the final runs on one. If a device is
// lost, or another process measures on it until the end, the others do its work.
//
// Measures each problem on each kind of device, and begins them in the order of `problems`: their
// numbers, which `prepare` is given. Those that a signal or `prepare` left out have no answer.
// Answers are in the order of the numbers. Calls `prepare` on one thread at a time. Throws
// InputError if the devices are not of one kind, unless --each-kind was given, what the first
// device that failed threw, after the others have kept their trials, and DeviceLost if all devices
// of a kind are lost.
std::vector<PoolAnswer> sweep_in_pool(const SweepGiven& given,
                                      const std::vector<DeviceReport>& devices,
                                      const std::vector<std::size_t>& problems,
                                      const PreparePoolSweep& prepare);

}  // namespace tilewright::tools
