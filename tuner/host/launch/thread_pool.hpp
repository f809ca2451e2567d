#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/backend/parallel.hpp"

namespace tilewright::host {

// Threads that wait for work and then run it in parallel.
class ThreadPool {
 public:
  // Throws MachineError if the system allows fewer.
  explicit ThreadPool(int threads) {
    try {
      for (int number = 1; number < threads; ++number)
        threads_.push_back(start_thread([this, number] { serve(number); }));
    } catch (...) {
      end();
      throw;
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { end(); }

  // Calls `work(number)` for every number below that of the threads, each on a thread of its own;
  // number 0 is the calling thread. Returns when all have returned. `work` must not throw.
  void run(const std::function<void(int number)>& work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      busy_ = static_cast<int>(threads_.size());
      ++round_;
    }
    work_came_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    work_done_.wait(lock, [&] { return busy_ == 0; });
  }

 private:
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    work_came_.notify_all();
  }

  void serve(int number) {
    std::uint64_t seen = 0;
    for (;;) {
      const std::function<void(int)>* work = nullptr;
      {
        std::unique_lock lock(mutex_);
        work_came_.wait(lock, [&] { return ends_ || round_ != seen; });
        if (ends_) return;
        seen = round_;
        work = work_;
      }
      (*work)(number);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) work_done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_came_, work_done_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  std::vector<std::jthread> threads_;  // last, because they use the other members
};

}  // namespace tilewright::host
