#include "tuner/host/session/session.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/error.hpp"
#include "tuner/host/compile/sanitizers.hpp"
#include "tuner/host/launch/launcher.hpp"
#include "tuner/host/session/operands.hpp"
#include "tuner/measure/sampling.hpp"

namespace tilewright::host {
namespace {

// Without guard zones the sanitizer finds every access beyond a buffer.
constexpr std::int64_t kGuard = kSanitized ? 0 : kGuardBytes;

struct Loaded {
  std::vector<LaunchPlan> plans;  // by problem
  Kernels kernels;
  GuardedBuffer workspace;
  GuardedBuffer prepared;
};

// Runs kernels that are not under trial, as checked_problem() wants it.
struct RunHelper {
  Launcher& launcher;

  void operator()(const Operands& operands, std::span<const std::uint8_t> code,
                  const std::map<std::string, std::string>& symbols,
                  const LaunchPlan& launches) const {
    const Kernels kernels(code, symbols, launcher);
    const LaunchPlan plan = Kernels::ready(launches);
    const GuardedBuffer workspace(plan.workspace_bytes, 0);
    std::ranges::fill(workspace.bytes(), std::uint8_t{0});
    operands.prepare();
    const CallOperands call = operands.call({workspace.data()});
    kernels.check_launches(plan, call);
    kernels.fill_constants(plan, call);
    kernels.call(plan, call, {});
  }
};

constexpr std::pair<ThreadOrder, const char*> kOrders[] = {
    {ThreadOrder::forward, ""},
    {ThreadOrder::reverse, " (threads in reverse order)"},
    {ThreadOrder::shuffled, " (threads in shuffled order)"}};

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

// Runs loaded kernels on a problem in every order of threads, and checks what each run left in
// memory. Adds to `sum`. Every failure is a TrialError; the problem's operands are then restored.
void verify(const CheckedProblem<Operands>& problem, const LaunchPlan& plan, const Kernels& kernels,
            const GuardedBuffer& workspace, const GuardedBuffer& prepared, Verification& sum) {
  const CallOperands call = problem.operands.call({workspace.data(), prepared.data()});
  for (const auto& [order, name] : kOrders) {
    const RunMode mode{order, RunMode::Shared::poisoned};
    Verification run;
    try {
      std::ranges::fill(workspace.bytes(), filling_of_workspace(plan));
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

// Runs a step of a trial. A TrialError becomes its Failure.
template <class T>
Attempt<T> attempt(const auto& step) {
  try {
    return step();
  } catch (const TrialError& error) {
    return error.failure();
  } catch (const std::bad_alloc&) {
    return Failure{Outcome::machine_failed, "not enough memory"};
  }
}

// The number of threads of the largest block. A CPU has no registers or occupancy to report.
Resources resources_of(const LaunchPlan& plan) {
  Resources resources;
  for (const PlannedLaunch& launch : plan.launches)
    resources.threads = std::max(resources.threads, static_cast<int>(volume(launch.block)));
  return resources;
}

class Session final : public Evaluator {
 public:
  explicit Session(Callable* callable) : callable_(callable) {}

  void open(const SessionPlan& plan) override {
    loaded_.reset();
    problems_.clear();
    if (plan.problems.empty()) throw InputError("a session needs a problem");
    seed_ = plan.seed;
    if (callable_ != nullptr) callable_->open(plan);
    try {
      for (const SessionProblem& problem : plan.problems)
        problems_.push_back(checked_problem(problems_.size(), problem,
                                            Operands(problem.buffers, plan.seed, kGuard), plan,
                                            RunHelper{launcher_}));
    } catch (const std::bad_alloc&) {
      problems_.clear();
      throw MachineError("not enough memory for the operands");
    } catch (...) {
      problems_.clear();
      throw;
    }
  }

  Attempt<Resources> load(const KernelPlan& kernel) override {
    loaded_.reset();
    return attempt<Resources>([&] {
      if (problems_.empty()) refuse_launch("the session is not open");
      std::vector<LaunchPlan> plans = kernel.launches;
      plans.resize(problems_.size());
      std::optional<Resources> prepared_function;
      if (callable_ != nullptr) prepared_function = prepare(*callable_, kernel, plans);
      for (LaunchPlan& plan : plans) plan = Kernels::ready(std::move(plan));
      Kernels kernels = callable_ != nullptr ? Kernels(*callable_, launcher_)
                                             : Kernels(kernel.code, kernel.symbols, launcher_);
      const auto room_for = [&plans](std::int64_t LaunchPlan::*bytes) {
        return GuardedBuffer(std::ranges::max(plans, {}, bytes).*bytes, kGuard);
      };
      GuardedBuffer workspace = room_for(&LaunchPlan::workspace_bytes);
      GuardedBuffer prepared = room_for(&LaunchPlan::prepared_bytes);
      for (std::size_t i = 0; i < plans.size(); ++i)
        kernels.check_launches(plans[i],
                               problems_[i].operands.call({workspace.data(), prepared.data()}));
      const Resources resources = prepared_function.value_or(resources_of(plans.front()));
      loaded_.emplace(
          Loaded{std::move(plans), std::move(kernels), std::move(workspace), std::move(prepared)});
      return resources;
    });
  }

  Attempt<Verification> verify() override {
    return attempt<Verification>([&] {
      const Loaded& kernel = loaded();
      Verification sum;
      sum.seed = seed_;
      for (std::size_t i = 0; i < problems_.size(); ++i)
        if (!kernel.plans[i].is_empty())
          host::verify(problems_[i], kernel.plans[i], kernel.kernels, kernel.workspace,
                       kernel.prepared, sum);
      return sum;
    });
  }

  Attempt<Timing> sample(const SampleRequest& request) override {
    return attempt<Timing>([&] { return time(request); });
  }

  std::vector<SimpleAnswer> simple_answers() override { return simple_answers_of(problems_); }

 private:
  const Loaded& loaded() const {
    if (!loaded_) refuse_launch("no kernel is loaded");
    return *loaded_;
  }

  Timing time(const SampleRequest& request) const {
    const Loaded& kernel = loaded();
    const Operands& operands = problems_.front().operands;
    operands.restore_inouts();
    std::ranges::fill(kernel.workspace.bytes(), std::uint8_t{0});
    const CallOperands call = operands.call({kernel.workspace.data(), kernel.prepared.data()});
    kernel.kernels.fill_constants(kernel.plans.front(), call);
    kernel.kernels.call(kernel.plans.front(), call, {}, CallPart::preparation);
    const auto run = [&](int calls) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) kernel.kernels.call(kernel.plans.front(), call, {});
      return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
          .count();
    };
    const double first_us = run(1);  // warms up
    const int calls =
        first_us > request.long_us ? 1 : calls_per_sample(run(1), request.sample_us, 1);
    return take_samples(request, calls, [&] { return run(calls); });
  }

  Callable* callable_;  // null: there is code
  Launcher launcher_;
  std::uint64_t seed_ = 0;
  std::vector<CheckedProblem<Operands>> problems_;
  std::optional<Loaded> loaded_;
};

}  // namespace

std::unique_ptr<Evaluator> make_session(Callable* callable) {
  return std::make_unique<Session>(callable);
}

}  // namespace tilewright::host
