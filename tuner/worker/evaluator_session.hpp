#pragma once

#include <functional>
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
// EvaluatorProcess::begin() does. What is no preparation is compiled by `make_ours()`: the kernels
// of a session that times what was prepared.
std::unique_ptr<Compiler> make_evaluator_compiler(
    std::vector<std::string> command, DeviceKind kind,
    std::function<std::unique_ptr<Compiler>()> make_ours = {});

// Its process prepares, checks and times.
std::unique_ptr<Evaluator> make_evaluator_session(std::vector<std::string> command,
                                                  DeviceKind kind);

}  // namespace tilewright
