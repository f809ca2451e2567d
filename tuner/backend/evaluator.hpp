#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/plan/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {

// Where the right answers of one problem come from. Exactly one of `given`, `builtin` and
// `launches` is used: the first that is not empty.
struct ReferencePlan {
  std::string builtin;
  std::vector<std::uint8_t> code;              // compiled reference kernel
  std::map<std::string, std::string> symbols;  // entry → symbol in `code`
  LaunchPlan launches;
  PlannedComparison comparison;
  std::map<int, std::string> given = {};  // output argument → file of right elements
};

// A kernel that makes the contents of one argument from those of others, before anything else runs.
struct FillPlan {
  int argument = 0;
  std::vector<std::uint8_t> code;
  std::map<std::string, std::string> symbols;  // entry → symbol in `code`
  LaunchPlan launches;
};

// One problem that a session verifies and may time. It allocates operand sets beyond the first only
// if timing needs them.
struct SessionProblem {
  Problem problem;
  std::vector<PlannedBuffer> buffers;
  ReferencePlan reference;
  std::vector<FillPlan> fills = {};  // in the order in which they run
};

// How much of a problem's outputs is compared with the reference.
struct CheckLimits {
  std::int64_t outputs = 1 << 20;  // elements of each output; of more, a sample with the edges
  std::int64_t multiply_adds = 1 << 30;  // of a built-in reference, for all outputs
};

// What a worker needs before its first trial. After a fault, a new worker gets it again.
struct SessionPlan {
  int device_index = 0;
  std::vector<SessionProblem> problems;   // [0] is tuned, the others are checks
  CachePolicy cache = CachePolicy::warm;  // warm or cold: how many operand sets there are
  std::uint64_t seed = 1;
  CheckLimits check_limits;              // of each problem
  std::vector<std::uint8_t> probe_code;  // the session's own kernels; empty: clocks are unknown
};

// A configuration's code and its launches: one plan for each problem of the session. A plan without
// launches skips that problem.
struct KernelPlan {
  std::vector<std::uint8_t> code;
  std::map<std::string, std::string> symbols;  // entry → symbol in `code`
  std::vector<LaunchPlan> launches;            // by problem
};

// What a library lists as the configurations of a routine for one problem.
struct RoutineList {
  // Values of parameters, first of those that the library expects to be fastest.
  std::vector<std::map<std::string, std::int64_t>> configurations = {};
  std::string why = {};  // if there are none
};

// A measurement stops once it has this many samples and their median is above the limit.
struct Gate {
  int samples = 0;
  double over_us = 0;
};

// How long to measure. A sample is one graph of several calls.
struct SampleRequest {
  int minimum_samples = 5;
  int maximum_samples = 20;
  double sample_us = 300;    // a sample gets enough calls to last about this long
  double budget_us = 20000;  // stop after this time if the minimum is taken
  // A call is long if it takes more than this. Then each sample is one call, none is discarded,
  // two are enough, and the first is already compared with the gates.
  double long_us = 20000;
  std::vector<Gate> gates = {};  // by ascending samples
  // warm: only the first of the session's operand sets, even if it is cold.
  CachePolicy cache = CachePolicy::cold;
  // Calls run for this long before the first sample, unless they are long. It does not count for
  // the budget.
  double lead_in_us = 0;
};

// A wrong answer that is easily given, compared with the right ones of one output.
struct SimpleAnswer {
  std::size_t problem = 0;  // of the session's
  std::string output;       // the argument
  // missing_term: a hundredth of the elements lack one of their terms. scaled: 1.01 times the right
  // answer.
  enum class Kind { zeros, input, missing_term, scaled } kind = Kind::zeros;
  std::string input;         // the argument whose elements it has
  std::int64_t altered = 0;  // compared elements that it has otherwise; 0: it is the right answer
  std::int64_t told = 0;     // of these, those that the comparison calls wrong
  bool passes = false;       // the comparison as a whole calls it right

  bool counts() const { return altered > 0; }
};

// The device can no longer measure. What else the sweep needs may be in order.
class DeviceLost : public MachineError {
 public:
  using MachineError::MachineError;
};

// The device side of a sweep: one session, with one kernel loaded at a time. A step that fails
// returns its Failure, and the session stays usable. Not thread-safe.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // Prepares inputs and references. Throws MachineError if there is no device or too little memory.
  virtual void open(const SessionPlan& plan) = 0;

  // Asks the library on that device, before or after open().
  virtual RoutineList list([[maybe_unused]] int device_index,
                           [[maybe_unused]] const PlannedRoutine& routine) {
    return {{}, "this kind of device calls no libraries"};
  }

  // Replaces the loaded kernel. Returns the resources of the first problem's launches, as the
  // loader reports them.
  virtual Attempt<Resources> load(const KernelPlan& kernel) = 0;

  // Runs the loaded kernel on every problem, with poisoned outputs between guard zones.
  virtual Attempt<Verification> verify() = 0;

  // Times the loaded kernel on problem 0.
  virtual Attempt<Timing> sample(const SampleRequest& request) = 0;

  // Holds the right answers of every problem against simple wrong ones. Nothing is known if there
  // are none, or if the rules let every element be wrong. Throws like open().
  virtual std::vector<SimpleAnswer> simple_answers() { return {}; }

  // How often the device side was restarted after a fault.
  virtual int restarts() const { return 0; }
};

}  // namespace tilewright
