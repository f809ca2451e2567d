// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

#include "bindings/c/answer_view.hpp"
#include "tilewright/bundle.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/runtime.hpp"
#include "tilewright/tilewright.h"

// What C's opaque handles hold.

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
  explicit tw_bundle(const char* file) : bundle(file) {}

  const tilewright::Bundle bundle;
};

struct tw_kernel {
  explicit tw_kernel(tilewright::Kernel of)
      : kernel(std::move(of)), answer(tilewright::bindings::answer_view(kernel.answer())) {}

  const tilewright::Kernel kernel;
  const std::unique_ptr<const tilewright::bindings::AnswerView> answer;
};
