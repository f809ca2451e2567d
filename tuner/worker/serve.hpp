#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/backend.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// The loops of tilewright-worker. They answer requests until the end of the input, then return. The
// descriptors are arguments, so that tests can use others than 0 and 1.

// One CompileRequest in, {"result": CompileResult} out, or {"machine_error": text} and return.
void serve_compiler(Compiler& compiler, int input, int output);

// {"verb": "open" | "list" | "load" | "verify" | "sample", "argument": …} in; {"ok": …},
// {"failure": …},
// {"machine_error": text} or {"input_error": text} out. Handlers of signals and alarms that a
// kernel left are undone before each answer (OwnProcess). Returns early after a `faulted` failure:
// the device is lost.
void serve_evaluator(Evaluator& evaluator, int input, int output);

// Tells the other end why this worker cannot work at all.
void send_machine_error(int output, const std::string& text);

// What a worker process does. Its command line, which only this file writes and reads, says it.
struct WorkerRole {
  enum class Task { compile, device } task = Task::compile;
  DeviceKind kind = DeviceKind::cuda;
  Toolchain toolchain = {};         // the worker makes its own scratch folder
  EvaluatorCommand evaluator = {};  // empty: a backend does the task
};

// compile KIND [--nvrtc FOLDER]... [--nvcc FILE] [--host-compiler FILE]
// | device KIND [--nvrtc FOLDER]...
// Behind these: --evaluator WORD..., or for one that tilewright times, --callable WORD...
std::vector<std::string> arguments_of(const WorkerRole& role);

// Nothing if the words are no such command line. KIND defaults to cuda.
std::optional<WorkerRole> read_role(const std::vector<std::string>& words);

}  // namespace tilewright
