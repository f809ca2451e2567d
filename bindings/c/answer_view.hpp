#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tilewright/catalog.hpp"
#include "tilewright/tilewright.h"

namespace tilewright::bindings {

// An answer as C sees it. The pointers of its tw_answer point into the texts below.
struct AnswerView : tw_answer {
  AnswerView() : tw_answer{} {}
  AnswerView(const AnswerView&) = delete;
  AnswerView& operator=(const AnswerView&) = delete;

  // Whether it was made from this very object.
  bool is_of(const Answer& answer) const { return source == &answer; }

  const Answer* source = nullptr;
  Answer held;
  std::string configuration_text;
  std::string problem_text;
  std::string rung_text;
  std::string measured_problem_text;
  std::string policy_text;
  std::string origin_text;
};

std::unique_ptr<AnswerView> answer_view(const Answer& answer);

// The JSON as text, to be freed with tw_text_free().
char* text_for_c(const nlohmann::ordered_json& json);

}  // namespace tilewright::bindings
