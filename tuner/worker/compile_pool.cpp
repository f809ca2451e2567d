#include "tuner/worker/compile_pool.hpp"

#include <exception>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/worker/compile_worker.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

// This thread drives one process.
void CompilePool::run(const std::stop_token& stop) {
  CompileWorker worker(options_);
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!job_came_.wait(lock, stop, [&] { return !jobs_.empty(); })) return;
      if (stop.stop_requested()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      job.begun = *running_.insert(std::chrono::steady_clock::now());
    }
    try {
      Done result{job.ticket, compile(job.request, worker, stop), job.begun,
                  std::chrono::steady_clock::now()};
      if (stop.stop_requested()) return;
      finish(std::move(result), job.round);
    } catch (const std::exception& error) {
      return give_up(error.what());
    }
  }
}

CompileResult CompilePool::compile(const CompileRequest& request, CompileWorker& worker,
                                   const std::stop_token& stop) const {
  const std::string key = cache_ ? cache_key(request,
                                             request.compiler.empty() ? options_.compiler_version
                                                                      : options_.other_compiler,
                                             options_.headers)
                                 : std::string();
  if (cache_)
    if (auto found = cache_->find(key)) return *std::move(found);
  CompileResult result = worker.compile(request, stop);
  // The cache keeps only the compiler's own verdict. A crash has no compile time, and another run
  // may raise a limit.
  const bool answered = result.milliseconds > 0 && result.outcome != Outcome::compile_timed_out;
  if (cache_ && answered && !stop.stop_requested()) cache_->store(key, result);
  return result;
}

void CompilePool::finish(Done result, int of_round) {
  {
    const std::lock_guard lock(mutex_);
    if (of_round != round_) return;
    running_.erase(running_.find(result.begun));
    done_.push_back(std::move(result));
  }
  result_came_.notify_all();
}

void CompilePool::give_up(std::string why) {
  {
    const std::lock_guard lock(mutex_);
    broken_ = std::move(why);
  }
  result_came_.notify_all();
}

CompilePool::CompilePool(CompilePoolOptions options, std::shared_ptr<CubinCache> cache)
    : options_(std::move(options)), cache_(std::move(cache)) {
  const int wanted = options_.processes > 0 ? options_.processes : available_cores();
  for (int i = 0; i < wanted; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

CompilePool::~CompilePool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void CompilePool::submit(std::size_t ticket, CompileRequest request) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({ticket, std::move(request), round_});
    ++waiting_;
  }
  job_came_.notify_one();
}

std::optional<CompilePool::Done> CompilePool::next(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (waiting_ == 0) return std::nullopt;
  result_came_.wait_for(lock, limit, [&] { return !done_.empty() || !broken_.empty(); });
  if (!done_.empty()) {
    Done result = std::move(done_.front());
    done_.pop_front();
    --waiting_;
    return result;
  }
  if (!broken_.empty()) throw MachineError(broken_);
  return std::nullopt;
}

std::vector<CompilePool::Moment> CompilePool::withdraw() {
  const std::lock_guard lock(mutex_);
  ++round_;
  waiting_ = 0;
  jobs_.clear();
  done_.clear();
  std::vector<Moment> begun(running_.begin(), running_.end());
  running_.clear();
  return begun;
}

std::size_t CompilePool::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace tilewright
