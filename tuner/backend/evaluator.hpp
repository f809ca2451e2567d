// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/launch_plan.hpp"

namespace tilewright {

// Why a step of a trial did not succeed. A value, not an exception.
struct Failure {
  Outcome outcome = Outcome::launch_failed;
  std::string message;
  // outside: somebody killed the process that it ran in, which says nothing of the configuration.
  enum class Cause { configuration, outside } cause = Cause::configuration;
};

// A result or the reason that there is none.
template <class T>
class Attempt {
 public:
  Attempt(T value) : state_(std::move(value)) {}            // NOLINT: implicit on purpose
  Attempt(Failure failure) : state_(std::move(failure)) {}  // NOLINT: implicit on purpose
  bool ok() const { return std::holds_alternative<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  const Failure& failure() const { return std::get<Failure>(state_); }

 private:
  std::variant<T, Failure> state_;
};

// How right answers are known, worked out for one problem. Exactly one of `given`, `builtin` and
// `launches` is used, the first that there is.
struct ReferencePlan {
  std::string builtin;
  std::vector<std::uint8_t> code;              // compiled reference kernel
  std::map<std::string, std::string> symbols;  // entry → symbol in `code`
  LaunchPlan launches;
  bool reduced = false;
  std::int64_t reduction = 1;
  double scale = 1;
  std::map<int, std::string> given = {};  // argument → file of its right elements, every output's
};

// One problem that a session verifies on and may time. Operand sets beyond the first are
// allocated only if timing asks for them.
struct SessionProblem {
  Problem problem;
  std::vector<PlannedBuffer> buffers;
  ReferencePlan reference;
};

// How much of a problem's outputs is compared with a reference.
struct CheckLimits {
  std::int64_t outputs = 1 << 20;        // elements of each; of more a sample, edges always in it
  std::int64_t multiply_adds = 1 << 30;  // that a built-in reference takes for all of them
};

// What a worker needs to be ready for trials; replayed to a new worker after a fault.
struct SessionPlan {
  int device_index = 0;
  std::vector<SessionProblem> problems;  // [0] is the tuned one, the others are checks
  CachePolicy cache = CachePolicy::warm;
  std::uint64_t seed = 1;
  CheckLimits check_limits;              // of each problem
  std::vector<std::uint8_t> probe_code;  // a session's own kernels; empty: clocks not known
};

// A configuration's code and its launches, one plan for each problem of the session; a plan
// without launches skips that problem.
struct KernelPlan {
  std::vector<std::uint8_t> code;
  std::map<std::string, std::string> symbols;  // entry → symbol in `code`
  std::vector<LaunchPlan> launches;            // by problem
};

// Gives a measurement up once it has this many samples with a median above the limit.
struct Gate {
  int samples = 0;
  double over_us = 0;
};

// How long to measure. A sample is one graph of several calls.
struct SampleRequest {
  int minimum_samples = 5;
  int maximum_samples = 20;
  double sample_us = 300;    // calls per sample are chosen to reach about this
  double budget_us = 20000;  // stop here once the minimum is taken
  // A call of more than this has samples of one call each, of which none is discarded, two are
  // enough and the first is held against the gates.
  double long_us = 20000;
  std::vector<Gate> gates;  // in the order of their samples
};

// The device side of a sweep: one session, one kernel loaded at a time. A step that fails
// returns its Failure and leaves the session usable. Not thread-safe.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // Prepares inputs and references. Throws MachineError: no device, out of memory.
  virtual void open(const SessionPlan& plan) = 0;

  // Replaces the loaded kernel. The loader's truth about the first problem's launches.
  virtual Attempt<Resources> load(const KernelPlan& kernel) = 0;

  // Runs the loaded kernel on every problem, on poisoned outputs between guard zones.
  virtual Attempt<Verification> verify() = 0;

  // Times the loaded kernel on problem 0.
  virtual Attempt<Timing> sample(const SampleRequest& request) = 0;

  virtual void unload() = 0;

  // How often the device side had to be started again after a fault.
  virtual int restarts() const { return 0; }
};

}  // namespace tilewright
