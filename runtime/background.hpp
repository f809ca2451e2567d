#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tilewright {

// One thread that does work in the order in which it was given. It starts with the first piece.
// Safe to use from many threads.
class Background {
 public:
  // `work` must not throw. After stop() it is dropped. Throws std::system_error if there is no
  // thread; then it is dropped, too.
  void add(std::function<void()> work);

  // Drops what has not begun and waits for what has. The destructor does the same. Neither may be
  // called by the work itself.
  void stop();
  bool is_stopped() const;

 private:
  void serve(const std::stop_token& stopped);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_stopped_ = false;
  std::jthread thread_;  // the last member: its destructor stops it and waits
};

}  // namespace tilewright
