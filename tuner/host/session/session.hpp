#pragma once

#include <cstdint>
#include <memory>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::host {

struct SessionOptions {
  int threads = 0;  // of the CPU, which run a launch's blocks; 0: one for each core
};

// An Evaluator on this machine's CPU. It runs code of HostCompiler, each block's threads as fibers.
// A fault of a kernel kills this process, so run it in a worker (tuner/worker). It verifies three
// times, with threads in forward, reverse and shuffled order, and poisons shared memory before each
// block. It times warm calls by the clock.
std::unique_ptr<Evaluator> make_session(const SessionOptions& options = {});

}  // namespace tilewright::host
