// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <stop_token>

#include "tuner/worker/compile_pool.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

// One compile process of a pool, started when it is first needed and again after it was lost.
class CompileWorker {
 public:
  explicit CompileWorker(const CompilePoolOptions& options) : options_(options) {}

  // Ends early, with a meaningless result, when `stop` is requested. Throws MachineError if the
  // program cannot run or has no compiler.
  CompileResult compile(const CompileRequest& request, const std::stop_token& stop);

 private:
  void send(const CompileRequest& request);
  CompileResult lose_to_limit();
  CompileResult lose_to_death();

  const CompilePoolOptions& options_;
  std::optional<Process> process_;
};

}  // namespace tilewright
