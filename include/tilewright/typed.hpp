// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tilewright/runtime.hpp"

namespace tilewright {

// The tuned kernels of one operation, such as Gemm (tilewright/gemm.hpp), for calls of any size and
// type. Each size has its own best kernel, which is looked up once and then found without a lock.
// Safe to use from many threads. May outlive the runtime. Copies share their kernels.
template <class Call, class Options>
class Typed {
 public:
  // Throws as Runtime::resolve, and InputError for options that do not go together.
  explicit Typed(const Runtime& runtime, const Options& options = {});

  // The kernel for the call's sizes, types and choices, and for whether it has the values of inputs
  // in host memory. Where its other pointers point, its factors, but for whether beta is 0, and the
  // epilogue's arguments do not matter. Use it to prepare() before a capture and to learn the size
  // of the workspace. Lives as long as this. Throws as Runtime::kernel, InputError also for a type
  // that the operation does not have.
  const Kernel& kernel(const Call& call) const;

  // Prepares the filter of calls of these sizes and types that then have `prepared_filter`
  // (tilewright/convolution.hpp): image, output and beta do not matter, but for their types and for
  // whether beta is 0. Throws as Kernel::prepare_input and Runtime::kernel.
  template <class Same = Call>
  requires requires { &Same::prepared_filter; }
  PreparedInput prepare_filter(void* stream, const Call& call) const;

  // Throws as Kernel::launch and Runtime::kernel.
  void launch(void* stream, const Call& call, Scratch scratch = {}) const;

 private:
  class State;
  std::shared_ptr<const State> state_;
};

}  // namespace tilewright
