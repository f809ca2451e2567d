// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tilewright/device.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// An Evaluator in this process, as Isolation::caller asks for. While it lives the calling thread's
// current device may change; then it is the caller's again. Throws MachineError where this build
// has no such backend.
std::unique_ptr<Evaluator> make_own_context(const Device& device);

// The session, but once a kernel has faulted, opening it or loading another kernel throws
// MachineError: the context that it ran in is lost.
std::unique_ptr<Evaluator> until_context_is_lost(std::unique_ptr<Evaluator> session);

}  // namespace tilewright
