// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::cuda {

// An Evaluator on a CUDA device of this process. A fault leaves the device unusable for the
// process: run it in a worker (tuner/worker). Verifies on poisoned outputs between guard zones,
// times by captured graphs (docs/measurement.md).
std::unique_ptr<Evaluator> make_session();

// Source of the clock probe; compiled once per sweep for the device's architecture. Entry
// "tilewright_clock_probe".
const char* probe_source();

}  // namespace tilewright::cuda
