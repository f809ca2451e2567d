#pragma once

#include <forward_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tilewright/catalog.hpp"
#include "tilewright/tilewright.h"

namespace tilewright::bindings {

// An answer as C sees it. The pointers of its tw_answer point into `texts`.
struct AnswerView : tw_answer {
  AnswerView() : tw_answer{} {}
  AnswerView(const AnswerView&) = delete;
  AnswerView& operator=(const AnswerView&) = delete;

  // Whether it was made from this very object.
  bool is_of(const Answer& answer) const { return source == &answer; }

  const Answer* source = nullptr;
  Settings values;  // of the configuration
  std::forward_list<std::string> texts;
};

std::unique_ptr<AnswerView> answer_view(const Answer& answer);

// The JSON as text, to be freed with tw_text_free().
char* text_for_c(const nlohmann::ordered_json& json);

}  // namespace tilewright::bindings
