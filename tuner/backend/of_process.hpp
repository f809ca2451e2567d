#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace tilewright {

// Holds what only the process that made it can use: threads, and what waits for them. A child that
// fork() made gets its own when it first asks. It never destroys its parent's, because that would
// wait for threads that the child does not have. Any threads may call get().
template <class T>
class OfProcess {
 public:
  using Make = std::function<std::unique_ptr<T>()>;

  explicit OfProcess(Make make = [] { return std::make_unique<T>(); })
      : make_(std::move(make)), own_(make_()), owner_(getpid()) {}
  OfProcess(const OfProcess&) = delete;
  OfProcess& operator=(const OfProcess&) = delete;
  ~OfProcess() { leave_parents(); }

  T& get() {
    if (owner_.load(std::memory_order_acquire) != getpid()) {
      const std::lock_guard lock(mutex_);
      leave_parents();
      if (!own_) own_ = make_();
      owner_.store(getpid(), std::memory_order_release);
    }
    return *own_;
  }

 private:
  void leave_parents() {
    if (owner_ != getpid()) std::ignore = own_.release();
  }

  const Make make_;
  std::mutex mutex_;
  std::unique_ptr<T> own_;
  std::atomic<pid_t> owner_;
};

}  // namespace tilewright
