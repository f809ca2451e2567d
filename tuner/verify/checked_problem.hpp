#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backend/executable.hpp"
#include "tuner/verify/compare.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {

// The arguments of one problem as they are before a call, and where a backend has the memory that a
// call works on. Arrays and scalars need no memory. Indexed as Operation::arguments.
class OperandData {
 public:
  const std::vector<PlannedBuffer>& plan() const { return plan_; }
  const ArgumentData& before() const { return before_; }  // outputs are empty

  bool is_buffer(std::size_t index) const { return plan_[index].kind == ArgumentKind::buffer; }
  // An output or inout buffer.
  bool is_written(std::size_t index) const {
    return is_buffer(index) && plan_[index].role != ArgumentRole::input;
  }
  bool is_input(std::size_t index) const { return is_buffer(index) && !is_written(index); }
  bool has_role(std::size_t index, ArgumentRole role) const {
    return is_buffer(index) && plan_[index].role == role;
  }
  std::int64_t bytes_of(std::size_t index) const {  // of a buffer
    return plan_[index].count * static_cast<std::int64_t>(size_of(plan_[index].type));
  }

  // Without textures.
  CallOperands call(CallMemory memory) const { return {arguments_, memory}; }

 protected:
  // Throws InputError for a file that does not fit.
  OperandData(std::vector<PlannedBuffer> buffers, std::uint64_t seed);
  OperandData(OperandData&&) = default;  // what the arguments point to stays where it is

  void set_memory(std::size_t index, void* memory) { arguments_[index].memory = memory; }
  // What a buffer holds before a call from now on.
  void set_before(std::size_t index, std::vector<std::uint8_t> bytes);

 private:
  std::vector<PlannedBuffer> plan_;
  ArgumentData before_;
  std::vector<std::vector<std::uint8_t>> values_;  // as a kernel takes them by value
  std::vector<CallArgument> arguments_;
};

// What the outputs of a problem are checked against.
struct RightAnswers {
  PlannedComparison comparison;
  std::vector<Expected> outputs;
};

// A problem of a session. `Operands` is a backend's OperandData.
template <class Operands>
struct CheckedProblem {
  std::string label;  // for messages: " on M=37 N=53"; empty for the tuned problem
  Operands operands;
  RightAnswers answers;
};
// The label of the session's problem `number`.
std::string label_of(std::size_t number, const SessionProblem& problem);

// The bytes of a buffer on the host. They are needed until the next call.
using BytesOf = std::function<std::span<const std::uint8_t>(std::size_t argument)>;

// Runs the kernels that make contents of arguments, one after another, and lets `keep` note what
// each has made. Throws MachineError if `run` throws TrialError.
void run_fills(const SessionProblem& problem, const std::function<void(const FillPlan&)>& run,
               const std::function<void(std::size_t argument)>& keep);

// Right answers for every compared output of a problem, in the order of its arguments. They come
// from given files, from the built-in reference for as many elements as the limits allow, or from
// the definition's reference kernel, which `from_kernel` runs. Throws MachineError if that throws
// TrialError.
RightAnswers right_answers(const SessionProblem& problem, const OperandData& operands,
                           const CheckLimits& limits, std::uint64_t seed,
                           const std::function<std::vector<Expected>()>& from_kernel);

// What a reference kernel has left in the outputs: at most `most` elements of each.
std::vector<Expected> kernel_answers(const OperandData& operands, const BytesOf& bytes_of,
                                     std::int64_t most, std::uint64_t seed);

// The same for a backend's operands. `run(operands, code, symbols, launches)` runs launches of a
// kernel that is not under trial: once, on prepared operands and a workspace of zeros. It waits for
// them. A reference kernel gives at most kMostCompared elements of each output, or all if outputs
// are compared reduced. Afterwards the operands are as they were.
template <std::derived_from<OperandData> Operands>
RightAnswers right_answers(const SessionProblem& problem, const Operands& operands,
                           const SessionPlan& plan, const auto& run) {
  const ReferencePlan& reference = problem.reference;
  return right_answers(problem, operands, plan.check_limits, plan.seed, [&] {
    run(operands, reference.code, reference.symbols, reference.launches);
    const std::int64_t most =
        reference.comparison.reduced ? std::numeric_limits<std::int64_t>::max() : kMostCompared;
    std::vector<Expected> answers = kernel_answers(operands, operands.bytes(), most, plan.seed);
    operands.restore();
    return answers;
  });
}

// The session's problem `number` with these operands, in which its kernels that fill have run.
template <std::derived_from<OperandData> Operands>
CheckedProblem<Operands> checked_problem(std::size_t number, const SessionProblem& problem,
                                         Operands operands, const SessionPlan& plan,
                                         const auto& run) {
  run_fills(
      problem, [&](const FillPlan& fill) { run(operands, fill.code, fill.symbols, fill.launches); },
      [&](std::size_t argument) {
        operands.keep(argument);
        operands.restore();  // what else it wrote does not count
      });
  RightAnswers answers = right_answers(problem, operands, plan, run);
  return {label_of(number, problem), std::move(operands), std::move(answers)};
}

// Those below throw TrialError for what a kernel must not do. The label ends each message.

// A guard zone as a kernel left it.
struct GuardZone {
  std::string buffer;
  std::int64_t offset = 0;  // of its first byte from the buffer's first
  std::int64_t buffer_bytes = 0;
  std::span<const std::uint8_t> bytes;
};
void judge_guard(const GuardZone& guard, const std::string& label);

// An input must be as it was before.
void judge_input(const OperandData& operands, std::size_t argument,
                 std::span<const std::uint8_t> after, const std::string& label);

// Compares the outputs with the right answers. Adds to `sum`, whatever it finds.
void judge_outputs(const OperandData& operands, const RightAnswers& answers,
                   const BytesOf& bytes_of, const std::string& label, Verification& sum);

// Keeps the larger errors of both in `sum`.
void keep_worst(Verification& sum, const Verification& run);

// What a workspace is filled with before a verified call: poison, so that a kernel that reads what
// it never wrote gives wrong answers. One that the plan clears once is clear; one that it clears
// each time, the call clears.
inline std::uint8_t filling_of_workspace(const LaunchPlan& plan) {
  return plan.workspace_zero == Workspace::Fill::once ? std::uint8_t{0} : kPoison;
}

// Calls `run(sum)` with a workspace in which a first call has left what it leaves: that must be
// good for the next call. So must a prepared input.
void run_on_used_workspace(const LaunchPlan& plan, Verification& sum, const auto& run) {
  if (plan.workspace_bytes > 0 || plan.prepared_bytes > 0) {
    Verification first;
    run(first);
    keep_worst(sum, first);
  }
  run(sum);
}

// Adds what the rules say of simple wrong answers for one output of the session's problem number
// `problem`: zeros, each input that has the output's type and count, a hundredth of the elements
// without a term, and 1.01 times the right answer. `data` are the arguments before a call. A
// missing term is modelled as the `reduction`-th part of an element, of an integer at least 1. A
// type with steps of over 1 % is not scaled. Adds nothing if all elements may be wrong.
void add_simple_answers(std::size_t problem, const std::vector<PlannedBuffer>& buffers,
                        const ArgumentData& data, const Expected& expected,
                        const PlannedComparison& rules, std::vector<SimpleAnswer>& all);

// The same for all problems of a session.
template <class Operands>
std::vector<SimpleAnswer> simple_answers_of(const std::vector<CheckedProblem<Operands>>& problems) {
  std::vector<SimpleAnswer> all;
  for (std::size_t i = 0; i < problems.size(); ++i)
    for (const Expected& expected : problems[i].answers.outputs)
      add_simple_answers(i, problems[i].operands.plan(), problems[i].operands.before(), expected,
                         problems[i].answers.comparison, all);
  return all;
}

}  // namespace tilewright
