#include "campaign/workers.hpp"

#include <utility>

#include "tuner/worker/device_client.hpp"
#include "tuner/worker/process.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright {
namespace {

CompilePoolOptions pool_options(const WorkerOptions& workers, DeviceKind kind, int processes) {
  CompilePoolOptions options = workers.compile;
  options.processes = processes;
  if (!workers.evaluator.empty()) {
    options.arguments =
        arguments_of({WorkerRole::Task::compile, kind, workers.toolchain, workers.evaluator});
    options.memory_limit_bytes =
        0;  // libraries of GPUs reserve more addresses than there is memory
    options.counts = TimeLimit::wall_time;
    return options;
  }
  const auto compiler = backend_of(kind).make_compiler(workers.toolchain);
  options.compiler_version = compiler->version();
  options.headers = compiler->headers();
  options.other_compiler = compiler->other_compiler();
  options.arguments = arguments_of({WorkerRole::Task::compile, kind, workers.toolchain});
  return options;
}

// Each process of an evaluator may hold memory of the device.
int processes_for(const WorkerOptions& options) {
  if (options.compile.processes > 0) return options.compile.processes;
  return options.evaluator.empty() ? available_cores() : 1;
}

// What an evaluator has prepared is known to it alone, so its answers are not kept.
std::filesystem::path cache_for(const WorkerOptions& options) {
  return options.evaluator.empty() ? options.cache : std::filesystem::path();
}

}  // namespace

CompileProcesses::CompileProcesses(const WorkerOptions& options, DeviceKind kind)
    : processes_(processes_for(options)),
      pool_(std::make_shared<CompilePool>(pool_options(options, kind, processes_),
                                          cache_for(options))) {}

CompileProcesses CompileProcesses::shared_by(int sweeps, int line) const {
  CompileProcesses share = *this;
  share.processes_ = (processes_ + sweeps - 1) / sweeps;
  share.line_ = line;
  return share;
}

std::unique_ptr<Evaluator> device_process(const WorkerOptions& options, const Device& device,
                                          const std::atomic<bool>& stop) {
  DeviceClientOptions client;
  client.worker = options.compile.worker;
  client.arguments =
      arguments_of({WorkerRole::Task::device, device.kind, options.toolchain, options.evaluator});
  client.limits = step_limits_for(device.kind);
  if (!options.evaluator.empty()) {
    client.limits.counts = TimeLimit::wall_time;
    client.limits.load = StepLimit::fixed_at(options.compile.time_limit);  // it prepares again
  }
  client.stop = &stop;
  client.skips = options.skips;
  if (options.load_limit) client.limits.load = StepLimit::fixed_at(*options.load_limit);
  if (options.verify_limit) client.limits.verify = StepLimit::fixed_at(*options.verify_limit);
  if (options.sample_limit) client.limits.sample = StepLimit::fixed_at(*options.sample_limit);
  return make_device_client(std::move(client));
}

}  // namespace tilewright
