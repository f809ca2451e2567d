// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "campaign/stored_sweep.hpp"
#include "db/store/store.hpp"
#include "tools/input/command.hpp"
#include "tools/work/compile_queue.hpp"
#include "tools/work/device_lock.hpp"
#include "tools/work/interrupt.hpp"
#include "tools/work/sweep_setup.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {

// What became of one problem.
struct SweepAnswer : StoredSweep {
  ExitStatus status = kDone;  // kDone, kNothing or kInterrupted
};

// Sweeps one problem after another on one device: store, compile processes and the device's process
// are had when they are first needed, and kept. Says on standard error what it does.
class SweepRunner {
 public:
  explicit SweepRunner(const Arguments& arguments) : arguments_(arguments) {}

  // Answers from the store what is finished there, goes on with what was interrupted, unless asked
  // otherwise. Throws MachineError.
  SweepAnswer run(SweepSetup& setup);

 private:
  std::optional<SweepAnswer> finished_before(const SweepSetup& setup);
  bool claim(const DeviceReport& device);
  SweepAnswer measure(SweepSetup& setup);
  CompileQueue& compilers(const Device& device);
  Evaluator& evaluator(const Device& device);

  const Arguments& arguments_;
  std::optional<Store> store_;
  std::optional<InterruptGuard> interrupt_;
  DeviceClaim claim_;
  std::optional<PoolQueue> compilers_;
  std::optional<DeviceClient> evaluator_;
};

}  // namespace tilewright::tools
