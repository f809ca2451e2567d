// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"
#include "tuner/worker/cubin_cache.hpp"

namespace tilewright {

struct CompilePoolOptions {
  std::filesystem::path worker;  // the tilewright-worker program
  std::vector<std::string> arguments = {"compile"};
  int processes = 0;                             // 0: one for each core that may be used
  std::chrono::milliseconds time_limit{60'000};  // per compile
  std::int64_t memory_limit_bytes = 8LL << 30;   // address space of a process
  std::string compiler_version;                  // for the cache's key
};

// Compiles in worker processes, as many at once as there are processes, first come first
// served. A compile that outlives its limits of time or memory (compile_timed_out), or whose
// process crashes (compile_failed), is a result like any other with the reason as its log, and
// costs only that process. Submit and next may be called from one thread each.
class CompilePool {
 public:
  CompilePool(CompilePoolOptions options, std::shared_ptr<CubinCache> cache);
  ~CompilePool();  // kills what is running

  using Moment = std::chrono::steady_clock::time_point;

  // `ticket` comes back with the result.
  void submit(std::size_t ticket, CompileRequest request);

  struct Done {
    std::size_t ticket = 0;
    CompileResult result;
    Moment begun = {};  // by a process
    Moment ended = {};
  };
  // The next result in the order they finish; waits up to `limit`. Nothing if none came, or if
  // nothing was submitted. Throws MachineError, once the results are taken, if the worker
  // program cannot run at all or has no compiler.
  std::optional<Done> next(std::chrono::milliseconds limit);

  // Lets go of all that was submitted: what no process has begun is not begun, and the rest gives
  // no result. When those were begun that go on.
  std::vector<Moment> withdraw();

  std::size_t waiting() const;  // submitted, not yet returned by next()

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
