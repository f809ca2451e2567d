// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/compile_queue.hpp"

#include <utility>

#include "tilewright/error.hpp"
#include "tools/paths.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright::tools {
namespace {

constexpr std::uint64_t kMostJobs = 1024;

int process_count(const Arguments& arguments) {
  const auto jobs = arguments.number("jobs");
  if (jobs && (*jobs == 0 || *jobs > kMostJobs))
    throw InputError("--jobs '" + std::to_string(*jobs) + "': give a number from 1 to 1024");
  if (jobs) return static_cast<int>(*jobs);
  return available_cores();
}

}  // namespace

PoolQueue::PoolQueue(const Arguments& arguments, CompilerKind kind)
    : processes_(process_count(arguments)) {
  compiler_version_ = tools::compiler_version(kind);
  CompilePoolOptions options;
  options.worker = worker_program();
  options.arguments = compile_arguments(kind);
  options.processes = processes_;
  options.compiler_version = compiler_version_;
  if (const auto limit = arguments.milliseconds("compile-limit")) options.time_limit = *limit;
  if (const auto limit = arguments.bytes("compile-memory")) options.memory_limit_bytes = *limit;
  pool_ =
      std::make_unique<CompilePool>(options, std::make_shared<CubinCache>(cache_folder(arguments)));
}

void PoolQueue::submit(std::size_t ticket, CompileRequest request) {
  pool_->submit(ticket, std::move(request));
}

std::optional<CompileQueue::Done> PoolQueue::next(std::chrono::milliseconds limit) {
  auto done = pool_->next(limit);
  if (!done) return std::nullopt;
  return Done{done->ticket, std::move(done->result), {done->begun, done->ended}};
}

}  // namespace tilewright::tools
