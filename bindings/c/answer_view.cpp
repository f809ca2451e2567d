#include "bindings/c/answer_view.hpp"

#include <fmt/format.h>

#include <variant>

#include "bindings/c/request.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bindings {

std::unique_ptr<AnswerView> answer_view(const Answer& answer) {
  auto view = std::make_unique<AnswerView>();
  view->source = &answer;
  view->held = answer;
  view->configuration_text = canonical_json(answer.configuration.values);
  view->problem_text = canonical_json(answer.problem.values);
  view->rung_text = to_text(answer.rung);
  view->measured_problem_text = canonical_json(answer.measured_problem.values);
  if (!answer.measured_problem.values.empty()) view->policy_text = to_text(answer.policy);
  if (!answer.measured_problem.values.empty()) view->origin_text = to_text(answer.origin);
  view->implementation = view->held.implementation.c_str();
  view->configuration = view->configuration_text.c_str();
  view->problem = view->problem_text.c_str();
  view->rung = static_cast<int>(answer.rung);
  view->rung_name = view->rung_text.c_str();
  view->distance = answer.distance;
  view->median_us = answer.median_us;
  view->measured_problem = view->measured_problem_text.c_str();
  view->measured_device = view->held.measured_device.c_str();
  view->policy = view->policy_text.c_str();
  view->measured_at = answer.measured_at;
  view->reason = view->held.reason.c_str();
  view->stale = answer.stale ? 1 : 0;
  view->origin = view->origin_text.c_str();
  view->passed_over = view->held.passed_over.c_str();
  return view;
}

}  // namespace tilewright::bindings

using namespace tilewright::bindings;

tw_status tw_answer_value(const tw_answer* answer, const char* parameter, int64_t* value) {
  return guarded([&] {
    require_all("tw_answer_value",
                {{"answer", answer}, {"parameter", parameter}, {"value", value}});
    const auto& view = *static_cast<const AnswerView*>(answer);
    const auto& values = view.held.configuration.values;
    const auto found = values.find(parameter);
    if (found == values.end())
      throw tilewright::InputError(fmt::format("{} has no parameter '{}'; its configuration is {}",
                                               view.implementation, parameter,
                                               tilewright::to_text(values)));
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
