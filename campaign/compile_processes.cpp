// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "campaign/compile_processes.hpp"

#include <utility>

#include "tuner/worker/process.hpp"

namespace tilewright {

CompileProcesses::CompileProcesses(CompilePoolOptions options, const std::filesystem::path& cache)
    : compiler_version_(options.compiler_version),
      processes_(options.processes > 0 ? options.processes : available_cores()) {
  options.processes = processes_;
  pool_ = std::make_unique<CompilePool>(std::move(options), std::make_shared<CubinCache>(cache));
}

void CompileProcesses::submit(std::size_t ticket, CompileRequest request) {
  pool_->submit(ticket, std::move(request));
}

std::optional<CompileQueue::Done> CompileProcesses::next(std::chrono::milliseconds limit) {
  auto done = pool_->next(limit);
  if (!done) return std::nullopt;
  return Done{done->ticket, std::move(done->result), {done->begun, done->ended}};
}

}  // namespace tilewright
