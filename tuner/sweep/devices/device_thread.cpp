#include "tuner/sweep/devices/device_thread.hpp"

#include <utility>

#include "tuner/backend/parallel.hpp"

namespace tilewright {
namespace {

// Besides the running item. A longer queue would be chosen from fewer outcomes.
constexpr std::size_t kMostWaiting = 2;

}  // namespace

DeviceThread::DeviceThread(std::function<void()> open, std::function<void(Item&)> run,
                           const std::atomic<bool>& stop, Moment deadline)
    : stop_(stop),
      deadline_(deadline),
      thread_(start_thread([this, open = std::move(open), run = std::move(run)](
                               const std::stop_token& closed) { work(closed, open, run); })) {}

void DeviceThread::work(const std::stop_token& closed, const std::function<void()>& open,
                        const std::function<void(Item&)>& run) {
  try {
    open();
    for (bool is_first = true;; is_first = false) {
      Item item;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, closed, [this] { return !waiting_.empty(); })) return;
        if (closed.stop_requested() || stop_) return;
        if (!is_first && std::chrono::steady_clock::now() > deadline_) return;
        item = std::move(waiting_.front());
        waiting_.pop_front();
      }
      run_one(std::move(item), run);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

void DeviceThread::run_one(Item item, const std::function<void(Item&)>& run) {
  const Trial before = item.trial;
  try {
    run(item);
  } catch (...) {
    item.trial = before;
    const std::lock_guard lock(mutex_);
    waiting_.push_front(std::move(item));
    throw;
  }
  const std::lock_guard lock(mutex_);
  done_.push_back(std::move(item));
  changed_.notify_all();
}

void DeviceThread::submit(Item item) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(item));
  ++in_flight_;
  changed_.notify_all();
}

bool DeviceThread::has_room() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() < kMostWaiting;
}

std::optional<DeviceThread::Item> DeviceThread::next(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return !done_.empty() || failure_; });
  if (!done_.empty()) {
    Item item = std::move(done_.front());
    done_.pop_front();
    --in_flight_;
    return item;
  }
  if (failure_) std::rethrow_exception(failure_);
  return std::nullopt;
}

std::deque<DeviceThread::Item> DeviceThread::take_back() {
  const std::lock_guard lock(mutex_);
  in_flight_ -= waiting_.size();
  return std::exchange(waiting_, {});
}

void DeviceThread::close() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  in_flight_ -= waiting_.size();
  waiting_.clear();
}

}  // namespace tilewright
