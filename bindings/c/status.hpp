#pragma once

#include <utility>

#include "tilewright/tilewright.h"

namespace tilewright::bindings {

// Stores `text` for tw_error_text() of this thread and returns `status`.
tw_status failed(tw_status status, const char* text) noexcept;

// The status of the exception that is being handled; stores its text. Only for use in a catch
// block.
tw_status status_of_exception() noexcept;

// Runs `work` and turns any exception into a status, because C cannot catch one.
template <class Work>
tw_status guarded(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return TW_OK;
  } catch (...) {
    return status_of_exception();
  }
}

}  // namespace tilewright::bindings
