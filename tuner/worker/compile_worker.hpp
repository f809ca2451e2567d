#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "tuner/worker/compile_pool.hpp"
#include "tuner/worker/deadline.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

// One compile process of a pool. It starts at its first request, and again after it was lost.
class CompileWorker {
 public:
  explicit CompileWorker(const CompilePoolOptions& options) : options_(options) {}

  // Tries again if the process dies, by itself once and killed from outside once. Its second death
  // of either kind is a result, unless a signal that asks it to end was the cause: that is a
  // MachineError, as if the program cannot run or has no compiler.
  // If `stop` is requested, it ends early with a meaningless result.
  CompileResult compile(const CompileRequest& request, const std::stop_token& stop);

 private:
  // Nothing if the process died.
  std::optional<CompileResult> try_once(const CompileRequest& request, const std::stop_token& stop);
  std::string about_a_small_limit() const;
  void send(const CompileRequest& request);
  CompileResult lose_to_limit(const Deadline& deadline);
  ExitStatus lose_to_death();
  CompileResult result_of(const ExitStatus& death) const;

  const CompilePoolOptions& options_;
  std::optional<Process> process_;
};

}  // namespace tilewright
