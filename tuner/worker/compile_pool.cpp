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
      if (!job_came_.wait(lock, stop, [&] { return line_to_serve() != nullptr; })) return;
      if (stop.stop_requested()) return;
      job = take(*line_to_serve());
    }
    try {
      Done result{job.ticket, compile(job.request, worker, stop), job.begun,
                  std::chrono::steady_clock::now()};
      if (stop.stop_requested()) return;
      finish(std::move(result), job);
    } catch (const std::exception& error) {
      return give_up(error.what());
    }
  }
}

// Of the lines with jobs, the one that has the fewest processes now.
CompilePool::Line* CompilePool::line_to_serve() {
  Line* best = nullptr;
  for (auto& [number, line] : lines_)
    if (!line.jobs.empty() && (best == nullptr || line.running.size() < best->running.size()))
      best = &line;
  return best;
}

CompilePool::Job CompilePool::take(Line& line) {
  Job job = std::move(line.jobs.front());
  line.jobs.pop_front();
  job.begun = *line.running.insert(std::chrono::steady_clock::now());
  return job;
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
  // The cache keeps only the compiler's own verdict. A crash has no compile time.
  const bool answered = result.milliseconds > 0;
  if (cache_ && answered && !stop.stop_requested()) cache_->store(key, result);
  return result;
}

void CompilePool::finish(Done result, const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    Line& line = lines_[job.line];
    if (job.round != line.round) return;
    line.running.erase(line.running.find(result.begun));
    line.done.push_back(std::move(result));
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

void CompilePool::submit(std::size_t ticket, CompileRequest request, int line) {
  {
    const std::lock_guard lock(mutex_);
    Line& own = lines_[line];
    own.jobs.push_back({ticket, std::move(request), line, own.round});
    ++own.waiting;
  }
  job_came_.notify_one();
}

std::optional<CompilePool::Done> CompilePool::next(std::chrono::milliseconds limit, int line) {
  std::unique_lock lock(mutex_);
  Line& own = lines_[line];
  if (own.waiting == 0) return std::nullopt;
  result_came_.wait_for(lock, limit, [&] { return !own.done.empty() || !broken_.empty(); });
  if (!own.done.empty()) {
    Done result = std::move(own.done.front());
    own.done.pop_front();
    --own.waiting;
    return result;
  }
  if (!broken_.empty()) throw MachineError(broken_);
  return std::nullopt;
}

std::vector<CompilePool::Moment> CompilePool::withdraw(int line) {
  const std::lock_guard lock(mutex_);
  Line& own = lines_[line];
  std::vector<Moment> begun(own.running.begin(), own.running.end());
  const int round = own.round + 1;
  own = Line();
  own.round = round;
  return begun;
}

std::size_t CompilePool::waiting(int line) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(line);
  return found == lines_.end() ? 0 : found->second.waiting;
}

}  // namespace tilewright
