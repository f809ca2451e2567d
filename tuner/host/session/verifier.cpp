#include "tuner/host/session/verifier.hpp"

#include <algorithm>
#include <utility>

namespace tilewright::host {
namespace {

constexpr std::pair<ThreadOrder, const char*> kOrders[] = {
    {ThreadOrder::forward, ""},
    {ThreadOrder::reverse, " (threads in reverse order)"},
    {ThreadOrder::shuffled, " (threads in shuffled order)"}};

// Poisons the workspace, so that a kernel that reads what it never wrote gives wrong answers. A
// workspace that the plan clears once is cleared here; one that it clears each time, by the call.
void prepare_workspace(const LaunchPlan& plan, const GuardedBuffer& workspace) {
  const bool is_cleared = plan.workspace_zero == Workspace::Fill::once;
  std::ranges::fill(workspace.bytes(), is_cleared ? std::uint8_t{0} : kPoison);
}

void judge_guards(const GuardedBuffer& buffer, const std::string& name) {
  const auto before = buffer.guard_before();
  judge_guard({name, -static_cast<std::int64_t>(before.size()), buffer.size(), before}, "");
  judge_guard({name, buffer.size(), buffer.size(), buffer.guard_after()}, "");
}

void judge(const CheckedProblem<Operands>& problem, const GuardedBuffer& workspace,
           const GuardedBuffer& prepared, Verification& sum) {
  const Operands& operands = problem.operands;
  for (std::size_t i = 0; i < operands.plan().size(); ++i) {
    if (!operands.is_buffer(i)) continue;
    judge_guards(operands.buffer(i), operands.plan()[i].name);
    if (operands.is_input(i)) judge_input(operands, i, operands.buffer(i).bytes(), "");
  }
  judge_guards(workspace, "the workspace");
  judge_guards(prepared, "the prepared input");
  judge_outputs(operands, problem.answers, operands.bytes(), "", sum);
}

}  // namespace

void RunHelper::operator()(const Operands& operands, std::span<const std::uint8_t> code,
                           const std::map<std::string, std::string>& symbols,
                           const LaunchPlan& launches) const {
  const Kernels kernels(code, symbols, launcher);
  const LaunchPlan plan = Kernels::ready(launches);
  const GuardedBuffer workspace(plan.workspace_bytes, 0);
  std::ranges::fill(workspace.bytes(), std::uint8_t{0});
  operands.prepare();
  const CallOperands call = operands.call(workspace.data());
  kernels.check_launches(plan, call);
  kernels.fill_constants(plan, call);
  kernels.call(plan, call, {});
}

void verify(const CheckedProblem<Operands>& problem, const LaunchPlan& plan, const Kernels& kernels,
            const GuardedBuffer& workspace, const GuardedBuffer& prepared, Verification& sum) {
  const CallOperands call = problem.operands.call({workspace.data(), prepared.data()});
  for (const auto& [order, name] : kOrders) {
    const RunMode mode{order, RunMode::Shared::poisoned};
    Verification run;
    try {
      prepare_workspace(plan, workspace);
      std::ranges::fill(prepared.bytes(), kPoison);
      kernels.call(plan, call, mode, CallPart::preparation);  // no call changes what it makes
      run_on_used_workspace(plan, run, [&](Verification& result) {
        problem.operands.prepare();
        kernels.fill_constants(plan, call);
        kernels.call(plan, call, mode);
        judge(problem, workspace, prepared, result);
      });
    } catch (const TrialError& error) {
      problem.operands.repair();
      workspace.fill_guards();
      prepared.fill_guards();
      Failure failure = error.failure();
      failure.message += problem.label + name;
      throw TrialError(std::move(failure));
    }
    keep_worst(sum, run);
    if (order != ThreadOrder::forward) continue;
    sum.outputs_checked += run.outputs_checked;
    sum.outputs_total += run.outputs_total;
  }
}

}  // namespace tilewright::host
