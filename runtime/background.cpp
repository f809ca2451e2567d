#include "runtime/background.hpp"

#include <utility>

namespace tilewright {

void Background::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return;
  if (!thread_.joinable())
    thread_ = std::jthread([this](const std::stop_token& stopped) { serve(stopped); });
  waiting_.push_back(std::move(work));
  changed_.notify_one();
}

void Background::stop() {
  std::jthread ended;  // waited for without the lock
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  ended = std::move(thread_);
}

bool Background::is_stopped() const {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

void Background::serve(const std::stop_token& stopped) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stopped, [this] { return !waiting_.empty(); }) &&
         !stopped.stop_requested()) {
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace tilewright
