// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// The loops of tilewright-worker, on descriptors 0 and 1 (given here so that tests can drive
// them): answer requests until end of file, then return.

// One CompileRequest in, one CompileResult out.
void serve_compiler(Compiler& compiler, int input, int output);

// {"verb": "open" | "load" | "verify" | "sample" | "unload", …} in; {"ok": …}, {"failure": …} or
// {"machine_error": …} out. Returns early after a `faulted` failure: the device is lost.
void serve_evaluator(Evaluator& evaluator, int input, int output);

}  // namespace tilewright
