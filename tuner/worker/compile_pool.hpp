#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tuner/backend/compiler.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/cubin_cache.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

struct CompilePoolOptions {
  std::filesystem::path worker;  // the tilewright-worker program
  std::vector<std::string> arguments = {"compile"};
  int processes = 0;                             // 0: one for each usable core
  std::chrono::milliseconds time_limit{60'000};  // per compile (Deadline)
  // What the limit counts. An evaluator may sleep, or wait for a process that it did not start.
  TimeLimit counts = TimeLimit::processor_time;
  std::int64_t memory_limit_bytes = 8LL << 30;  // address space of a process
  std::string compiler_version;                 // for the cache's key
  std::string other_compiler = {};              // the same of what requests name instead
  std::string headers;                          // Compiler::headers(), for it too
};

// One compile process of a pool. It starts at its first request, and again after it was lost.
class CompileWorker {
 public:
  explicit CompileWorker(const CompilePoolOptions& options) : options_(options) {}

  // Tries again if the process dies, by itself once and killed from outside once, or says something
  // wrong (BadAnswer), which counts as a death by itself. Its second death
  // of either kind is a result, unless a signal that asks it to end was the cause: that is a
  // MachineError, as if the program cannot run or has no compiler.
  // If `stop` is requested, it ends early with a meaningless result.
  CompileResult compile(const CompileRequest& request, const std::stop_token& stop);

 private:
  // Nothing if the process died. Throws BadAnswer.
  std::optional<CompileResult> try_once(const CompileRequest& request, const std::stop_token& stop);
  std::string about_a_small_limit() const;
  void send(const CompileRequest& request);
  ExitStatus lose_to_death();
  CompileResult result_of(const ExitStatus& death) const;

  const CompilePoolOptions& options_;
  std::optional<Process> process_;
};

// Compiles in worker processes, in the order of submission. A compile that exceeds its limit of
// time or memory (compile_timed_out), or whose process crashes (compile_failed), gives a normal
// result with the reason as its log. Only that process is lost. Sweeps that run at the same time
// share the processes evenly: each has a line of its own, where its tickets and results are. What
// is submitted twice is compiled once. Any threads may call submit() and next().
class CompilePool {
 public:
  // `cache` is the folder of a CubinCache; empty: none.
  CompilePool(CompilePoolOptions options, std::filesystem::path cache);
  ~CompilePool() {  // kills what is running
    for (std::jthread& thread : threads_) thread.request_stop();
  }

  using Done = CompileQueue::Done;
  using Moment = CompileQueue::Moment;

  // `ticket` comes back with the result, in the same line.
  void submit(std::size_t ticket, CompileRequest request, int line = 0);

  // The line's next result, in the order in which they finish. Waits up to `limit`. Nothing if none
  // came or nothing was submitted. If the worker program cannot run or has no compiler, throws
  // MachineError after all results are taken.
  std::optional<Done> next(std::chrono::milliseconds limit, int line = 0);

  // Drops everything that was submitted to the line. Waiting compiles do not begin, and running
  // ones give no result. Returns at which moments the running ones began.
  std::vector<Moment> withdraw(int line = 0);

  std::size_t waiting(int line = 0) const;  // submitted, not yet returned by next()

 private:
  struct Job {
    std::size_t ticket = 0;
    CompileRequest request;
    int line = 0;
    int round = 0;
    Moment begun = {};
  };
  struct Line {
    std::deque<Job> jobs;
    std::deque<Done> done;
    std::size_t waiting = 0;
    int round = 0;                  // of submissions; a withdrawal ends it
    std::multiset<Moment> running;  // of this round: when they began
  };

  void run(const std::stop_token& stop);
  // Whether nobody compiles this key now. Otherwise the job gets that result, as from the cache.
  bool is_first_of(const std::string& key, Job& job);
  CompileResult compile(const std::string& key, const CompileRequest& request,
                        CompileWorker& worker, const std::stop_token& stop);
  Line* line_to_serve();  // REQUIRES the mutex, as the next two do
  void stops_running(const Job& job);
  void add_done(const Job& job, const CompileResult& result, Moment ended);
  void finish(CompileResult result, const Job& job, const std::string& key);

  CompilePoolOptions options_;
  CubinCache cache_;

  mutable std::mutex mutex_;  // guards everything below except the threads
  std::condition_variable_any job_came_;
  std::condition_variable result_came_;
  std::map<int, Line> lines_;
  std::map<std::string, std::vector<Job>> compiling_;  // what else waits for the result of a key
  std::string broken_;  // why no process can compile; empty if they can

  std::vector<std::jthread> threads_;  // last, because they use the others
};

}  // namespace tilewright
