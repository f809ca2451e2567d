// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::host {

// Threads that wait for work and do it together.
class Crew {
 public:
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls `work(number)` for every number below size(), 0 on the calling thread, and returns
  // when all have returned. `work` must not throw.
  void run(const std::function<void(int number)>& work);

 private:
  void serve(int number);

  std::mutex mutex_;
  std::condition_variable work_came_, work_done_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace tilewright::host
