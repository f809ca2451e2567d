#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/machine/machine.hpp"
#include "tuner/sweep/run/sweep.hpp"
#include "tuner/worker/compile_pool.hpp"

namespace tilewright {

struct Skips;  // tuner/worker/device_client.hpp

// How to start and limit the processes that compile and measure.
struct WorkerOptions {
  Toolchain toolchain;
  CompilePoolOptions compile;   // the toolchain sets the rest
  std::filesystem::path cache;  // the folder of compiled code; empty: none
  std::optional<std::chrono::milliseconds> load_limit, verify_limit, sample_limit;
  Skips* skips = nullptr;  // DeviceClientOptions::skips
  // The evaluator whose processes prepare and measure; empty: a backend's.
  EvaluatorCommand evaluator = {};
};

// The compile processes as a sweep sees them.
class CompileProcesses final : public CompileQueue {
 public:
  // Throws MachineError if there is no compiler.
  CompileProcesses(const WorkerOptions& options, DeviceKind kind);
  // The same processes for another sweep, one of `sweeps` that run at the same time. Each counts on
  // its share of them. `line` differs for each.
  CompileProcesses shared_by(int sweeps, int line) const;
  void submit(std::size_t ticket, CompileRequest request) override {
    pool_->submit(ticket, std::move(request), line_);
  }
  std::optional<Done> next(std::chrono::milliseconds limit) override {
    return pool_->next(limit, line_);
  }
  std::vector<Moment> withdraw() override { return pool_->withdraw(line_); }
  int processes() const override { return processes_; }

 private:
  int processes_ = 1;
  int line_ = 0;
  std::shared_ptr<CompilePool> pool_;
};

// The process that measures on the device. Setting `stop` ends its start.
std::unique_ptr<Evaluator> device_process(const WorkerOptions& options, const Device& device,
                                          const std::atomic<bool>& stop);

}  // namespace tilewright
