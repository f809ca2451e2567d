// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/sweep/sweep.hpp"
#include "tuner/worker/compile_pool.hpp"

namespace tilewright {

// The compile processes as a sweep sees them.
class CompileProcesses : public CompileQueue {
 public:
  // `cache`: the folder of compiled code; empty: none.
  CompileProcesses(CompilePoolOptions options, const std::filesystem::path& cache);

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

}  // namespace tilewright
