#include "bench/peers/rivals/own_kernel.hpp"

#include <fmt/format.h>

#include <utility>

#include "db/ladder/ladder.hpp"
#include "tools/print/text.hpp"
#include "tuner/cuda/launch/kernels.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::bench {
namespace {

class OwnKernel final : public Entrant {
 public:
  OwnKernel(const KernelPlan& plan, std::shared_ptr<const Field> field, int device, std::string how)
      : field_(std::move(field)),
        how_(std::move(how)),
        kernels_(plan.code, plan.symbols, {&plan.launches.front(), 1}, device),
        plan_(kernels_.ready(plan.launches.front())) {
    if (plan_.workspace_bytes > 0) workspace_ = cuda::GuardedBuffer(plan_.workspace_bytes, 0);
    if (plan_.prepared_bytes > 0) prepared_ = cuda::GuardedBuffer(plan_.prepared_bytes, 0);
    kernels_.check_launches(plan_, own_call());
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    if (!is_ready_) make_ready(stream);
    const CallOperands own = own_call();
    std::vector<CallArgument> arguments(own.arguments.begin(), own.arguments.end());
    for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].memory = operands[i];
    kernels_.call(plan_, {arguments, own.memory}, stream);
  }
  std::string how() const override { return how_; }

 private:
  CallOperands own_call() const {
    return field_->operands().call({workspace_.data(), prepared_.data()});
  }

  // Clears a workspace that every call leaves as the next one needs it, and prepares an input.
  void make_ready(cudaStream_t stream) {
    is_ready_ = true;
    kernels_.call(plan_, own_call(), stream, CallPart::preparation);
    if (workspace_.size() > 0)
      cuda::check_trial(cudaMemsetAsync(workspace_.data(), 0,
                                        static_cast<std::size_t>(workspace_.size()), stream),
                        "clearing the workspace");
  }

  std::shared_ptr<const Field> field_;
  std::string how_;
  cuda::Kernels kernels_;
  LaunchPlan plan_;
  cuda::GuardedBuffer workspace_;
  cuda::GuardedBuffer prepared_;
  bool is_ready_ = false;
};

void require_fit(const SweepRequest& request, const Choice& choice) {
  if (!fits(*choice.implementation, choice.configuration, request.problem, request.device))
    throw CannotCompete(fmt::format("{} does not fit {}", choice.implementation->full_name(),
                                    tools::problem_text(*request.operation, request.problem)));
}

}  // namespace

Choice stored_winner(const Arena& arena, const SweepRequest& request) {
  LadderQuestion question{request.operation, request.implementations, request.problem,
                          request.device, request.policy.cache};
  const auto answer =
      climb(question,
            arena.store().best({request.operation->name, {}, request.problem, request.device, {}}));
  if (!answer || !answer->row)
    throw CannotCompete("not tuned: " + (answer ? answer->reason : "nothing fits"));
  Choice choice{answer->implementation, answer->configuration, ""};
  if (answer->rung == Rung::other_policy)
    choice.note = "tuned " + to_text(answer->row->policy.cache);
  return choice;
}

Choice default_choice(const SweepRequest& request, const std::string& implementation) {
  for (const Implementation* item : request.implementations) {
    if (item->name != implementation) continue;
    Choice choice{item, default_configuration(*item), "default"};
    require_fit(request, choice);
    return choice;
  }
  throw CannotCompete(
      fmt::format("{} has no implementation {}", request.operation->name, implementation));
}

std::unique_ptr<Entrant> make_own_kernel(Arena& arena, const SweepRequest& request,
                                         const Choice& choice,
                                         const std::shared_ptr<const Field>& field) {
  require_fit(request, choice);
  const Implementation& implementation = *choice.implementation;
  const CompileResult code = arena.compile(compile_request(
      request, read_source(implementation), {&implementation, choice.configuration}));
  if (!code.ok()) throw CannotCompete(fmt::format("{}: {}", to_text(code.outcome), code.log));
  const KernelPlan plan =
      plan_kernel(request, implementation, choice.configuration, {request.problem}, code);
  if (const auto missing = missing_entry_failure(plan.launches.front(), code))
    throw CannotCompete(missing->message);
  std::string how = implementation.full_name() + " " + to_text(choice.configuration.values);
  if (!choice.note.empty()) how += " (" + choice.note + ")";
  return std::make_unique<OwnKernel>(plan, field, arena.report().index, std::move(how));
}

}  // namespace tilewright::bench
