// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "tilewright/tilewright.h"

namespace tilewright::bindings {

// Keeps `text` for tw_error_text() of this thread. Returns `status`.
tw_status failed(tw_status status, const char* text) noexcept;

// The status of the exception that is being handled; its text is kept. Only within a catch block.
tw_status status_of_exception() noexcept;

// Where C ends: whatever `work` throws becomes a status.
template <class Work>
tw_status guarded(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return TW_OK;
  } catch (...) {
    return status_of_exception();
  }
}

// Throws InputError that names what is NULL: "tw_best: request is NULL".
void require(const void* pointer, const char* what);

}  // namespace tilewright::bindings
