#pragma once

#include <memory>

#include "tuner/backend/callable.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright::host {

// An Evaluator on this machine's CPU. It runs code of HostCompiler, each block's threads as fibers.
// A fault of a kernel kills this process, so run it in a worker (tuner/worker). It verifies three
// times, with threads in forward, reverse and shuffled order, and poisons shared memory before each
// block. It times warm calls by the clock. With a callable, which must outlive it, it calls that in
// place of code.
std::unique_ptr<Evaluator> make_session(Callable* callable = nullptr);

}  // namespace tilewright::host
