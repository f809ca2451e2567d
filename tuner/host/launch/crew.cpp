#include "tuner/host/launch/crew.hpp"

namespace tilewright::host {

Crew::Crew(int threads) {
  for (int number = 1; number < threads; ++number)
    threads_.emplace_back([this, number] { serve(number); });
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  work_came_.notify_all();
}

void Crew::run(const std::function<void(int number)>& work) {
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

void Crew::serve(int number) {
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

}  // namespace tilewright::host
