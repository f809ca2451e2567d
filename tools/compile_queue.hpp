// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tools/machine.hpp"
#include "tools/options.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/worker/compile_pool.hpp"

namespace tilewright::tools {

// The compile processes as a sweep sees them.
class PoolQueue final : public CompileQueue {
 public:
  // Reads --jobs, --cache, --compile-limit and --compile-memory. Throws InputError, and
  // MachineError where there is no compiler.
  PoolQueue(const Arguments& arguments, CompilerKind kind);

  void submit(std::size_t ticket, CompileRequest request) override;
  std::optional<Done> next(std::chrono::milliseconds limit) override;
  std::vector<Moment> withdraw() override { return pool_->withdraw(); }
  int processes() const override { return processes_; }

  const std::string& compiler_version() const { return compiler_version_; }

 private:
  std::string compiler_version_;
  int processes_ = 1;
  std::unique_ptr<CompilePool> pool_;
};

}  // namespace tilewright::tools
