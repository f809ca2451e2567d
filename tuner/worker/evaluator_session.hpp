#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// What a worker serves in place of a backend's compiler and session, if the implementation is an
// evaluator: the requests go on to a process of that command (EvaluatorProcess). Both take what
// compile_request() and plan_session() make of such an implementation, in which code is the
// configuration as JSON.

// Its process prepares configurations ahead of the other one. Throws MachineError as
// EvaluatorProcess::begin() does.
std::unique_ptr<Compiler> make_evaluator_compiler(std::vector<std::string> command,
                                                  DeviceKind kind);

// Its process prepares, checks and times.
std::unique_ptr<Evaluator> make_evaluator_session(std::vector<std::string> command,
                                                  DeviceKind kind);

}  // namespace tilewright
