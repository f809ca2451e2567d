// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::host {

struct SessionOptions {
  int threads = 0;  // that share a launch's blocks; 0: one for each core
};

// An Evaluator on this machine's CPU: code of HostCompiler, each block's threads as fibers. A
// kernel's fault is this process's: run it in a worker (tuner/worker). Verifies three times, with
// threads in forward, reverse and shuffled order and shared memory poisoned before each block;
// times warm calls by the clock.
std::unique_ptr<Evaluator> make_session(const SessionOptions& options = {});

}  // namespace tilewright::host
