#include <variant>

#include "bindings/c/call.hpp"

namespace tilewright::bindings {
namespace {

static_assert(static_cast<int>(ArgumentKind::array) == TW_ARRAY);
static_assert(static_cast<int>(ArgumentRole::inout) == TW_INOUT);

// Runs `read`. Puts the kernel's name in front of an InputError's text, as a launch does.
template <class Read>
auto named(const Kernel& kernel, Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", kernel.answer().implementation, error.what()));
  }
}

void launch(const Kernel& kernel, void* stream, const tw_operand* given, std::size_t count,
            const tw_scratch* scratch) {
  const std::vector<Operand> operands = named(kernel, [&] { return operands_of(given, count); });
  kernel.launch(stream, operands, named(kernel, [&] { return scratch_of(kernel, scratch); }));
}

}  // namespace

std::unique_ptr<AnswerView> answer_view(const Answer& answer) {
  auto view = std::make_unique<AnswerView>();
  const auto keep = [&](std::string text) {
    return view->texts.emplace_front(std::move(text)).c_str();
  };
  const bool is_measured = !answer.measured_problem.values.empty();
  view->source = &answer;
  view->values = answer.configuration.values;
  view->implementation = keep(answer.implementation);
  view->configuration = keep(canonical_json(answer.configuration.values));
  view->problem = keep(canonical_json(answer.problem.values));
  view->rung = static_cast<int>(answer.rung);
  view->rung_name = keep(to_text(answer.rung));
  view->distance = answer.distance;
  view->median_us = answer.median_us;
  view->warm_median_us = answer.warm_median_us;
  view->measured_problem = keep(canonical_json(answer.measured_problem.values));
  view->measured_device = keep(answer.measured_device);
  view->policy = keep(is_measured ? to_text(answer.policy) : "");
  view->measured_at = answer.measured_at;
  view->reason = keep(answer.reason);
  view->stale = answer.stale ? 1 : 0;
  view->origin = keep(is_measured ? std::string(to_text(answer.origin)) : "");
  view->passed_over = keep(answer.passed_over);
  view->why_stale = keep(answer.why_stale);
  view->power_limit_w = answer.power_limit_w.value_or(0);
  return view;
}

}  // namespace tilewright::bindings

using namespace tilewright::bindings;

const tw_answer* tw_kernel::answer() const noexcept {
  const tilewright::Answer& now = kernel.answer();
  if (first_->is_of(now)) return first_.get();
  try {
    const std::lock_guard lock(mutex_);
    if (!other_) other_ = answer_view(now);
    return other_.get();
  } catch (...) {  // out of memory
    return first_.get();
  }
}

tw_status tw_answer_value(const tw_answer* answer, const char* parameter, int64_t* value) {
  return guarded(__func__, {{"answer", answer}, {"parameter", parameter}, {"value", value}}, [&] {
    const auto& view = *static_cast<const AnswerView*>(answer);
    const auto found = view.values.find(parameter);
    if (found == view.values.end())
      throw tilewright::InputError(fmt::format("{} has no parameter '{}'; its configuration is {}",
                                               view.implementation, parameter,
                                               tilewright::to_text(view.values)));
    const auto* number = std::get_if<std::int64_t>(&found->second);
    if (number == nullptr)
      throw tilewright::InputError(
          fmt::format("parameter '{}' of {} is the label '{}', not an integer", parameter,
                      view.implementation, tilewright::to_text(found->second)));
    *value = *number;
  });
}

void tw_answer_destroy(tw_answer* answer) {
  delete static_cast<AnswerView*>(answer);
}

void tw_kernel_destroy(tw_kernel* kernel) {
  delete kernel;
}

const tw_answer* tw_kernel_answer(const tw_kernel* kernel) {
  return asked_of(__func__, "kernel", kernel, [](const auto& one) { return one.answer(); });
}

const char* tw_kernel_device_kind(const tw_kernel* kernel) {
  return asked_of(__func__, "kernel", kernel,
                  [](const auto& one) { return to_text(one.kernel.device().kind).data(); });
}

const char* tw_kernel_device_name(const tw_kernel* kernel) {
  return asked_of(__func__, "kernel", kernel,
                  [](const auto& one) { return one.kernel.device().name.c_str(); });
}

tw_status tw_kernel_prepare(const tw_kernel* kernel) {
  return guarded(__func__, {{"kernel", kernel}}, [&] { kernel->kernel.prepare(); });
}

int64_t tw_kernel_workspace_bytes(const tw_kernel* kernel) {
  return asked_of(__func__, "kernel", kernel,
                  [](const auto& one) { return one.kernel.workspace_bytes(); });
}

size_t tw_kernel_argument_count(const tw_kernel* kernel) {
  return asked_of(__func__, "kernel", kernel,
                  [](const auto& one) { return one.kernel.arguments().size(); });
}

tw_status tw_kernel_argument(const tw_kernel* kernel, size_t index, tw_argument* argument) {
  return guarded(__func__, {{"kernel", kernel}, {"argument", argument}}, [&] {
    const auto& arguments = kernel->kernel.arguments();
    if (index >= arguments.size())
      throw tilewright::InputError(
          fmt::format("tw_kernel_argument: {} has {} arguments, counted from 0; {} was asked for",
                      kernel->kernel.answer().implementation, arguments.size(), index));
    const tilewright::KernelArgument& from = arguments[index];
    const tw_argument told = {sizeof told,
                              from.name.c_str(),
                              static_cast<tw_kind>(from.kind),
                              static_cast<tw_type>(from.type),
                              static_cast<tw_role>(from.role),
                              from.count,
                              from.by_value ? 1 : 0,
                              from.prepared ? 1 : 0};
    write_sized("tw_kernel_argument", kSized<tw_argument>, &told, argument, sizeof told);
  });
}

tw_status tw_kernel_prepare_input(const tw_kernel* kernel, void* stream, const tw_operand* input,
                                  tw_prepared** prepared) {
  return guarded(__func__, {{"kernel", kernel}, {"input", input}, {"prepared", prepared}}, [&] {
    const std::vector<tilewright::Operand> operand =
        named(kernel->kernel, [&] { return operands_of(input, 1); });
    *prepared = new tw_prepared{kernel->kernel.prepare_input(stream, operand.front())};
  });
}

tw_status tw_prepared_again(const tw_prepared* prepared, void* stream) {
  return guarded(__func__, {{"prepared", prepared}},
                 [&] { prepared->input.prepare_again(stream); });
}

int64_t tw_prepared_bytes(const tw_prepared* prepared) {
  return asked_of(__func__, "prepared", prepared,
                  [](const auto& one) { return one.input.bytes(); });
}

void tw_prepared_destroy(tw_prepared* prepared) {
  delete prepared;
}

tw_status tw_kernel_launch(const tw_kernel* kernel, void* stream, const tw_operand* operands,
                           size_t count, const tw_scratch* scratch) {
  return guarded(__func__, {{"kernel", kernel}}, [&] {
    if (count > 0) require("tw_kernel_launch", {{"operands", operands}});
    launch(kernel->kernel, stream, operands, count, scratch);
  });
}
