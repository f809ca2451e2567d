#include "bindings/c/handles.hpp"

#include <fmt/format.h>

#include <variant>

#include "bindings/c/request.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bindings {

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
  view->measured_problem = keep(canonical_json(answer.measured_problem.values));
  view->measured_device = keep(answer.measured_device);
  view->policy = keep(is_measured ? to_text(answer.policy) : "");
  view->measured_at = answer.measured_at;
  view->reason = keep(answer.reason);
  view->stale = answer.stale ? 1 : 0;
  view->origin = keep(is_measured ? std::string(to_text(answer.origin)) : "");
  view->passed_over = keep(answer.passed_over);
  return view;
}

}  // namespace tilewright::bindings

using namespace tilewright::bindings;

tw_status tw_answer_value(const tw_answer* answer, const char* parameter, int64_t* value) {
  return guarded([&] {
    require_all("tw_answer_value",
                {{"answer", answer}, {"parameter", parameter}, {"value", value}});
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
