#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tuner/sweep/devices/device_thread.hpp"
#include "tuner/sweep/devices/judge.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/summary.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// The devices of a sweep. Each has a judge, and a thread while it screens. What a lost device has
// not finished moves to the others. All calls come from the sweep's thread.
class DevicePool {
 public:
  // Requires a device. What is referred to must outlive it.
  DevicePool(const SweepRequest& request, const std::vector<SweepDevice>& devices,
             SweepObserver& observer, const std::atomic<bool>& stop);

  // Takes note of a trial of an earlier run.
  void remember(const Trial& trial);

  using Open = std::function<void(const SweepDevice&)>;
  // Each device opens its session and then screens what is submitted: one item in any case, and no
  // further one after the deadline. The first one that is open holds the right answers against
  // simple wrong ones, and throws what require_told_apart() throws.
  void start(const Open& open, Moment deadline);
  // Whether a device would soon be idle if nothing were submitted.
  bool has_room() const;
  void submit(DeviceThread::Item item);  // REQUIRES has_room()
  std::size_t in_flight() const;         // submitted and not yet returned by next()
  // The next item that was screened. Waits up to `limit`. Throws what a device's thread threw. A
  // lost device throws only if it was the last one.
  std::optional<DeviceThread::Item> next(std::chrono::milliseconds limit);
  // As DeviceThread::close().
  void close();

  // Opens a session on the first device and calls `use`. If the device is lost, does the same on
  // the next one.
  void on_first(const Open& open, const std::function<void(Judge&)>& use);

  // Adds what the judges know: drift and readings of the first device, the others' processes. And
  // the simple answers. REQUIRES that no device screens.
  void add_to(SweepSummary& summary) const;
  Timeline timeline() const;

 private:
  struct Anchor {
    KernelPlan kernel;
    double time_us = 0;
  };
  // A device. Its thread uses all of it but `thread`.
  struct Member {
    Member(const SweepRequest& request, const SweepDevice& given)
        : device(given), judge(request, *given.evaluator, given.monitor) {}
    SweepDevice device;
    Judge judge;
    Timeline opening;
    std::optional<Anchor> beside;  // set before its first item; none: it is the first device
    int restarts_before = device.evaluator->restarts();
    std::unique_ptr<DeviceThread> thread;
  };

  void open_timed(Member& member, const Open& open);
  void weigh_check(Member& member);
  void screen(Member& member, DeviceThread::Item& item);
  bool has_room(const Member& member) const;
  void give(Member& member, DeviceThread::Item item);
  void feed();
  std::optional<DeviceThread::Item> take(std::size_t member, std::chrono::milliseconds limit);
  void lose(std::size_t member, const DeviceLost& why);

  const SweepRequest& request_;
  SweepObserver& observer_;
  const std::atomic<bool>& stop_;
  std::mutex weighing_;  // for the next
  std::vector<SimpleAnswer> simple_answers_;
  std::vector<std::unique_ptr<Member>> members_;  // the first takes the final
  std::vector<std::unique_ptr<Member>> lost_;
  std::optional<Anchor> anchor_;
  std::deque<DeviceThread::Item> moved_;  // from lost devices
};

}  // namespace tilewright
