#pragma once

#include <forward_list>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "tilewright/bundle.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/runtime.hpp"
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
char* text_for_c(const std::string& text);

}  // namespace tilewright::bindings

// The contents of C's opaque handles.

struct tw_options {
  tilewright::RuntimeOptions options;
};

struct tw_runtime {
  explicit tw_runtime(const tilewright::RuntimeOptions& given)
      : options(given), catalog(given.catalog), runtime(given) {}

  const tilewright::RuntimeOptions options;
  const tilewright::Catalog catalog;  // follows the database, which `runtime` does not
  const tilewright::Runtime runtime;
};

struct tw_bundle {
  const tilewright::Bundle bundle;
};

struct tw_prepared {
  const tilewright::PreparedInput input;
};

struct tw_kernel {
  explicit tw_kernel(tilewright::Kernel of)
      : kernel(std::move(of)), first_(tilewright::bindings::answer_view(kernel.answer())) {}

  // The answer in use. It differs from the first if preparing had to use another one.
  const tw_answer* answer() const noexcept;

  const tilewright::Kernel kernel;

 private:
  const std::unique_ptr<const tilewright::bindings::AnswerView> first_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const tilewright::bindings::AnswerView> other_;
};
