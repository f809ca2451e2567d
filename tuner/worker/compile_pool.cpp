#include "tuner/worker/compile_pool.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/worker/compile_worker.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

struct CompilePool::State {
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::size_t ticket = 0;
    CompileRequest request;
    int round = 0;
    Moment begun = {};
  };

  CompilePoolOptions options;
  std::shared_ptr<CubinCache> cache;

  mutable std::mutex mutex;  // guards everything below except the threads
  std::condition_variable_any job_came;
  std::condition_variable result_came;
  std::deque<Job> jobs;
  std::deque<Done> done;
  std::size_t waiting = 0;
  int round = 0;                  // of submissions; a withdrawal ends it
  std::multiset<Moment> running;  // of this round: when they began
  std::string broken;             // why no process can compile; empty if they can

  std::vector<std::jthread> threads;  // last, because they use the others

  void run(const std::stop_token& stop);
  CompileResult compile(const CompileRequest& request, CompileWorker& worker,
                        const std::stop_token& stop) const;
  void finish(Done result, int of_round);
  void give_up(std::string why);
};

// This thread drives one process.
void CompilePool::State::run(const std::stop_token& stop) {
  CompileWorker worker(options);
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex);
      if (!job_came.wait(lock, stop, [&] { return !jobs.empty(); })) return;
      if (stop.stop_requested()) return;
      job = std::move(jobs.front());
      jobs.pop_front();
      job.begun = *running.insert(Clock::now());
    }
    try {
      Done result{job.ticket, compile(job.request, worker, stop), job.begun, Clock::now()};
      if (stop.stop_requested()) return;
      finish(std::move(result), job.round);
    } catch (const std::exception& error) {
      return give_up(error.what());
    }
  }
}

CompileResult CompilePool::State::compile(const CompileRequest& request, CompileWorker& worker,
                                          const std::stop_token& stop) const {
  const std::string key = cache ? cache_key(request, options.compiler_version) : std::string();
  if (cache)
    if (auto found = cache->find(key)) return *std::move(found);
  CompileResult result = worker.compile(request, stop);
  // The cache keeps only the compiler's own verdict. A crash has no compile time, and another run
  // may raise a limit.
  const bool answered = result.milliseconds > 0 && result.outcome != Outcome::compile_timed_out;
  if (cache && answered && !stop.stop_requested()) cache->store(key, result);
  return result;
}

void CompilePool::State::finish(Done result, int of_round) {
  {
    const std::lock_guard lock(mutex);
    if (of_round != round) return;
    running.erase(running.find(result.begun));
    done.push_back(std::move(result));
  }
  result_came.notify_all();
}

void CompilePool::State::give_up(std::string why) {
  {
    const std::lock_guard lock(mutex);
    broken = std::move(why);
  }
  result_came.notify_all();
}

CompilePool::CompilePool(CompilePoolOptions options, std::shared_ptr<CubinCache> cache)
    : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->cache = std::move(cache);
  const int given = state_->options.processes;
  const int wanted = given > 0 ? given : available_cores();
  for (int i = 0; i < wanted; ++i)
    state_->threads.emplace_back(
        [state = state_.get()](const std::stop_token& stop) { state->run(stop); });
}

CompilePool::~CompilePool() {
  for (std::jthread& thread : state_->threads) thread.request_stop();
}

void CompilePool::submit(std::size_t ticket, CompileRequest request) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->jobs.push_back({ticket, std::move(request), state_->round});
    ++state_->waiting;
  }
  state_->job_came.notify_one();
}

std::optional<CompilePool::Done> CompilePool::next(std::chrono::milliseconds limit) {
  std::unique_lock lock(state_->mutex);
  if (state_->waiting == 0) return std::nullopt;
  state_->result_came.wait_for(lock, limit,
                               [&] { return !state_->done.empty() || !state_->broken.empty(); });
  if (!state_->done.empty()) {
    Done result = std::move(state_->done.front());
    state_->done.pop_front();
    --state_->waiting;
    return result;
  }
  if (!state_->broken.empty()) throw MachineError(state_->broken);
  return std::nullopt;
}

std::vector<CompilePool::Moment> CompilePool::withdraw() {
  const std::lock_guard lock(state_->mutex);
  ++state_->round;
  state_->waiting = 0;
  state_->jobs.clear();
  state_->done.clear();
  std::vector<Moment> begun(state_->running.begin(), state_->running.end());
  state_->running.clear();
  return begun;
}

std::size_t CompilePool::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiting;
}

}  // namespace tilewright
