// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/work/compile_queue.hpp"

#include <string>

#include "tilewright/error.hpp"
#include "tools/input/paths.hpp"
#include "tuner/worker/process.hpp"
#include "tuner/worker/role.hpp"

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

CompilePoolOptions pool_options(const Arguments& arguments, DeviceKind kind) {
  CompilePoolOptions options;
  options.processes = process_count(arguments);
  options.compiler_version = compiler_version(kind);
  options.worker = worker_program();
  options.arguments = arguments_of({WorkerRole::Task::compile, kind, toolchain()});
  if (const auto limit = arguments.milliseconds("compile-limit")) options.time_limit = *limit;
  if (const auto limit = arguments.bytes("compile-memory")) options.memory_limit_bytes = *limit;
  return options;
}

}  // namespace

PoolQueue::PoolQueue(const Arguments& arguments, DeviceKind kind)
    : CompileProcesses(pool_options(arguments, kind), cache_folder(arguments)) {}

}  // namespace tilewright::tools
