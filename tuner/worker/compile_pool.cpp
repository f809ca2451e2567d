#include "tuner/worker/compile_pool.hpp"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "definition/text/errors.hpp"
#include "tuner/backend/parallel.hpp"
#include "tuner/worker/answers.hpp"

namespace tilewright {
namespace {

// How long a process that has closed its output may take to end.
constexpr std::chrono::milliseconds kCompilerGrace{1000};

// The exit status of a worker that cannot work here, and that of the dynamic linker.
constexpr int kCannotWork = 3;
constexpr int kCannotStart = 127;

// A crash and a wrong answer are two failures.
constexpr const char* kFailedTwice = "the compiler process failed twice, the last time with ";

}  // namespace

// This thread drives one process.
void CompilePool::run(const std::stop_token& stop) {
  CompileWorker worker(options_);
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!job_came_.wait(lock, stop, [&] { return line_to_serve() != nullptr; })) return;
      if (stop.stop_requested()) return;
      Line& line = *line_to_serve();
      job = std::move(line.jobs.front());
      line.jobs.pop_front();
      job.begun = *line.running.insert(std::chrono::steady_clock::now());
    }
    try {
      const bool is_usual = job.request.compiler.empty();
      const std::string key =
          cache_key(job.request, is_usual ? options_.compiler_version : options_.other_compiler,
                    options_.headers);
      if (!is_first_of(key, job)) continue;
      CompileResult result = compile(key, job.request, worker, stop);
      if (stop.stop_requested()) return;
      finish(std::move(result), job, key);
    } catch (const std::exception& error) {
      std::unique_lock lock(mutex_);
      broken_ = error.what();
      lock.unlock();
      return result_came_.notify_all();
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

bool CompilePool::is_first_of(const std::string& key, Job& job) {
  const std::lock_guard lock(mutex_);
  const auto [same, is_first] = compiling_.try_emplace(key);
  if (!is_first) {
    stops_running(job);
    same->second.push_back(std::move(job));
  }
  return is_first;
}

CompileResult CompilePool::compile(const std::string& key, const CompileRequest& request,
                                   CompileWorker& worker, const std::stop_token& stop) {
  if (auto found = cache_.find(key)) return *std::move(found);
  CompileResult result = worker.compile(request, stop);
  // The cache keeps only the compiler's own verdict. A crash has no compile time.
  const bool answered = result.milliseconds > 0;
  if (answered && !stop.stop_requested()) cache_.store(key, result);
  return result;
}

void CompilePool::finish(CompileResult result, const Job& job, const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    stops_running(job);
    add_done(job, result, std::chrono::steady_clock::now());
    result.milliseconds = 0;
    result.from_cache = true;
    const auto others = compiling_.extract(key);
    for (const Job& same : others.mapped()) add_done(same, result, same.begun);
  }
  result_came_.notify_all();
}

void CompilePool::add_done(const Job& job, const CompileResult& result, Moment ended) {
  Line& line = lines_[job.line];
  if (job.round == line.round) line.done.push_back({job.ticket, result, job.begun, ended});
}

void CompilePool::stops_running(const Job& job) {
  Line& line = lines_[job.line];
  if (job.round == line.round) line.running.erase(line.running.find(job.begun));
}

CompilePool::CompilePool(CompilePoolOptions options, std::filesystem::path cache)
    : options_(std::move(options)), cache_(std::move(cache)) {
  const int wanted = options_.processes > 0 ? options_.processes : available_cores();
  for (int i = 0; i < wanted; ++i)
    threads_.push_back(start_thread([this](const std::stop_token& stop) { run(stop); }));
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

CompileResult CompileWorker::compile(const CompileRequest& request, const std::stop_token& stop) {
  int ended_itself = 0, was_killed = 0;
  for (;;) {
    try {
      if (auto result = try_once(request, stop)) return *std::move(result);
    } catch (const BadAnswer& error) {
      process_.reset();
      if (++ended_itself < 2) continue;
      return {.outcome = Outcome::compile_failed,
              .log = fmt::format("{}a wrong answer: {}", kFailedTwice, error.what())};
    }
    const ExitStatus death = lose_to_death();
    int& deaths = was_killed_from_outside(death) ? was_killed : ended_itself;
    if (++deaths == 2) return result_of(death);
  }
}

std::optional<CompileResult> CompileWorker::try_once(const CompileRequest& request,
                                                     const std::stop_token& stop) {
  send(request);
  nlohmann::json reply;
  Deadline deadline = Deadline::of_child(options_.time_limit, options_.counts, process_->id());
  ReadStatus status = ReadStatus::end_of_file;
  {
    // The process is reaped only after this scope, so the id still belongs to it.
    const std::stop_callback interrupt(stop, [id = process_->id()] { ::kill(id, SIGKILL); });
    status = read_message(process_->output(), reply, deadline);
  }
  if (stop.stop_requested()) return CompileResult{Outcome::compile_timed_out, "interrupted"};
  if (status == ReadStatus::timed_out) {
    process_.reset();
    return CompileResult{
        Outcome::compile_timed_out,
        fmt::format("the compile took longer than its limit of {}", deadline.text())};
  }
  if (status == ReadStatus::malformed) throw BadAnswer(kDamaged);
  if (status != ReadStatus::message) return std::nullopt;
  if (reply.contains("machine_error"))
    throw MachineError(checked_field<std::string>(reply, "machine_error") + about_a_small_limit());
  auto result = checked_field<CompileResult>(reply, "result");
  if (result.outcome == Outcome::compile_timed_out)  // reported by the compiler itself
    result.log = fmt::format("the compile needs more memory than its limit of {} MiB\n{}",
                             options_.memory_limit_bytes >> 20, result.log);
  return result;
}

// Where too little is left to load a compiler's libraries, they seem to be missing.
std::string CompileWorker::about_a_small_limit() const {
  const std::int64_t limit = options_.memory_limit_bytes;
  if (limit <= 0 || limit >= std::int64_t{1} << 30) return "";
  return fmt::format("; a compile's memory limit of {} MiB may be too small for it", limit >> 20);
}

// If a process was lost while idle, the request gets a new one.
void CompileWorker::send(const CompileRequest& request) {
  const nlohmann::json message = request;
  const bool was_idle = process_.has_value();
  if (!process_)
    process_.emplace(
        ProcessOptions{options_.worker, options_.arguments, options_.memory_limit_bytes});
  if (write_message(process_->input(), message, options_.time_limit) || !was_idle) return;
  process_.reset();
  send(request);
}

ExitStatus CompileWorker::lose_to_death() {
  const ExitStatus status = process_->stop(kCompilerGrace);
  process_.reset();
  if (status.signal == 0 && (status.code == kCannotWork || status.code == kCannotStart))
    throw broken_machine("{} cannot run on this machine: {}", options_.worker.string(),
                         to_text(status));
  return status;
}

CompileResult CompileWorker::result_of(const ExitStatus& death) const {
  const std::string text = kFailedTwice + to_text(death);
  const bool was_killed = was_killed_from_outside(death);
  // Compilers abort when memory runs out, and the system kills processes that use too much.
  if (death.signal == SIGABRT || (was_killed && death.signal == SIGKILL))
    return {.outcome = Outcome::compile_timed_out,
            .log = fmt::format("{}; most likely over its memory limit of {} MiB{}", text,
                               options_.memory_limit_bytes >> 20,
                               was_killed ? " or that of the system" : "")};
  if (was_killed) throw MachineError(text + "; something on this machine ends compilers");
  return {.outcome = Outcome::compile_failed, .log = text};
}

}  // namespace tilewright
