#include "tuner/host/session/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/backend/reference_note.hpp"

namespace tilewright::host {
namespace {

constexpr std::pair<ThreadOrder, const char*> kOrders[] = {
    {ThreadOrder::forward, ""},
    {ThreadOrder::reverse, " (threads in reverse order)"},
    {ThreadOrder::shuffled, " (threads in shuffled order)"}};

constexpr RunMode poisoned(ThreadOrder order) {
  return {order, RunMode::Shared::poisoned};
}

// Poisons the workspace, so that a kernel that reads what it never wrote gives wrong answers. A
// workspace that the plan clears once is cleared here; one that it clears each time, by the call.
void prepare_workspace(const LaunchPlan& plan, const GuardedBuffer& workspace) {
  const bool is_cleared = plan.workspace_zero == Workspace::Fill::once;
  std::ranges::fill(workspace.bytes(), is_cleared ? std::uint8_t{0} : kPoison);
}

void judge_guards(const GuardedBuffer& buffer, const std::string& name) {
  const auto judge = [&](std::span<const std::uint8_t> guard, std::int64_t offset) {
    if (const auto damage = first_damage(guard))
      throw TrialError(
          Outcome::wrote_out_of_bounds,
          fmt::format("wrote outside {}: changed the byte at offset {} of its {} bytes", name,
                      offset + *damage, buffer.size()));
  };
  const auto before = buffer.guard_before();
  judge(before, -static_cast<std::int64_t>(before.size()));
  judge(buffer.guard_after(), buffer.size());
}

void judge_memory(const Operands& operands, const GuardedBuffer& workspace) {
  for (std::size_t i = 0; i < operands.plan().size(); ++i) {
    if (!operands.is_buffer(i)) continue;
    const std::string& name = operands.plan()[i].name;
    judge_guards(operands.buffer(i), name);
    if (operands.is_written(i)) continue;
    const std::vector<std::uint8_t>& before = operands.before()[i];
    const auto differs = std::ranges::mismatch(before, operands.buffer(i).bytes());
    if (differs.in1 != before.end())
      throw TrialError(
          Outcome::wrote_out_of_bounds,
          fmt::format("changed the input {} at byte {}", name, differs.in1 - before.begin()));
  }
  judge_guards(workspace, "the workspace");
}

void judge_outputs(const CheckedProblem& problem, Verification& sum) {
  for (const Expected& expected : problem.answers) {
    const auto index = static_cast<std::size_t>(expected.argument);
    const PlannedBuffer& buffer = problem.operands.plan()[index];
    const OutputComparison comparison = compare_output(problem.operands.buffer(index).bytes(),
                                                       buffer, expected, problem.rules.comparison);
    sum.outputs_checked += comparison.checked;
    sum.outputs_total += buffer.count;
    sum.worst_error = std::max(sum.worst_error, comparison.worst_error);
    sum.worst_ratio = std::max(sum.worst_ratio, comparison.worst_ratio);
    if (!comparison.message.empty()) throw TrialError(Outcome::wrong_answer, comparison.message);
  }
}

std::vector<Expected> from_kernel(const SessionProblem& problem, const Operands& operands,
                                  Launcher& launcher) {
  const ReferencePlan& reference = problem.reference;
  const Kernels kernels(reference.code, reference.symbols, launcher);
  const LaunchPlan plan = Kernels::ready(reference.launches);
  const GuardedBuffer workspace(plan.workspace_bytes, 0);
  std::ranges::fill(workspace.bytes(), std::uint8_t{0});
  const CallOperands call = operands.call(workspace.data());
  kernels.check_launches(plan, call);
  operands.prepare();
  kernels.fill_constants(plan, call);
  kernels.call(plan, call, {});
  std::vector<Expected> answers;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    if (!operands.is_written(i)) continue;
    const PlannedBuffer& buffer = problem.buffers[i];
    answers.push_back(expected_from(operands.buffer(i).bytes(), buffer, static_cast<int>(i),
                                    elements_to_check(buffer.count, buffer.count, 0)));
  }
  operands.repair();
  return answers;
}

void call_and_judge(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
                    const GuardedBuffer& workspace, ThreadOrder order, Verification& sum) {
  problem.operands.prepare();
  const CallOperands call = problem.operands.call(workspace.data());
  kernels.fill_constants(plan, call);
  kernels.call(plan, call, poisoned(order));
  judge_memory(problem.operands, workspace);
  judge_outputs(problem, sum);
}

void run_and_judge(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
                   const GuardedBuffer& workspace, ThreadOrder order, Verification& sum) {
  prepare_workspace(plan, workspace);
  if (plan.workspace_bytes > 0) {  // what it leaves there must be good for the next call
    Verification first;
    call_and_judge(problem, plan, kernels, workspace, order, first);
    sum.worst_error = std::max(sum.worst_error, first.worst_error);
    sum.worst_ratio = std::max(sum.worst_ratio, first.worst_ratio);
  }
  call_and_judge(problem, plan, kernels, workspace, order, sum);
}

}  // namespace

void run_fills(const SessionProblem& problem, Operands& operands, Launcher& launcher) {
  for (const FillPlan& fill : problem.fills) {
    const auto index = static_cast<std::size_t>(fill.argument);
    try {
      const Kernels kernels(fill.code, fill.symbols, launcher);
      const LaunchPlan plan = Kernels::ready(fill.launches);
      const CallOperands call = operands.call(nullptr);
      kernels.check_launches(plan, call);
      kernels.fill_constants(plan, call);
      kernels.call(plan, call, {});
    } catch (const TrialError& error) {
      throw MachineError(fmt::format("the kernel that fills '{}' of {} failed ({}): {}",
                                     problem.buffers[index].name, problem.problem.operation,
                                     to_text(problem.problem.values), error.failure().message));
    }
    operands.keep(index);
    operands.repair();  // what else it wrote does not count
    operands.prepare();
  }
}

std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed,
                                    Launcher& launcher) {
  if (!problem.reference.given.empty()) return given_answers(problem, seed);
  if (!problem.reference.builtin.empty())
    return builtin_answers(problem, operands.before(), limits, seed);
  try {
    return from_kernel(problem, operands, launcher);
  } catch (const TrialError& error) {
    throw MachineError(fmt::format("the reference kernel of {} failed ({}): {}{}",
                                   problem.problem.operation, to_text(problem.problem.values),
                                   error.failure().message, integer_fill_note(problem)));
  }
}

void verify(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
            const GuardedBuffer& workspace, Verification& sum) {
  for (const auto& [order, name] : kOrders) {
    Verification run;
    try {
      run_and_judge(problem, plan, kernels, workspace, order, run);
    } catch (const TrialError& error) {
      problem.operands.repair();
      workspace.fill_guards();
      Failure failure = error.failure();
      failure.message += problem.label + name;
      throw TrialError(std::move(failure));
    }
    sum.worst_error = std::max(sum.worst_error, run.worst_error);
    sum.worst_ratio = std::max(sum.worst_ratio, run.worst_ratio);
    if (order != ThreadOrder::forward) continue;
    sum.outputs_checked += run.outputs_checked;
    sum.outputs_total += run.outputs_total;
  }
}

}  // namespace tilewright::host
