#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::host {

// Threads that wait for work and then run it in parallel.
class Crew {
 public:
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls `work(number)` for every number below size(), each on a thread of its own; number 0 is
  // the calling thread. Returns when all have returned. `work` must not throw.
  void run(const std::function<void(int number)>& work);

 private:
  void serve(int number);

  std::mutex mutex_;
  std::condition_variable work_came_, work_done_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  std::vector<std::jthread> threads_;  // last, because they use the other members
};

}  // namespace tilewright::host
