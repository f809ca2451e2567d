// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "bindings/c/handles.hpp"
#include "bindings/c/operands.hpp"
#include "bindings/c/request.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/typed.h"

// What the handles of typed.h have alike. Each has `typed`, the helper in C++, and `call_of`, which
// turns a call in C and the snippet's arguments into one in C++.
namespace tilewright::bindings {

template <class Options, class Given>
Options common_options(const Given& given) {
  Options options;
  options.device = selector_of(given.device);
  if (given.epilogue != nullptr) options.epilogue = given.epilogue;
  if (given.implementation != nullptr) options.implementation = given.implementation;
  options.cache = cache_of(given.cache);
  options.require = require_of(given.require);
  return options;
}

// Of 0 or 1. Throws InputError that names it.
bool is_set(std::int32_t flag, const char* name);

// Throws InputError for the first that is null: "tw_gemm_open: runtime is NULL".
using NamedPointer = std::pair<const char*, const void*>;
void require_all(const char* function, std::initializer_list<NamedPointer> pointers);

template <class Handle, class Options>
tw_status open_typed(const char* function, const tw_runtime* runtime, const Options* options,
                     Handle** handle) {
  return guarded([&] {
    require_all(function, {{"runtime", runtime}, {"where the handle goes", handle}});
    *handle = new Handle(runtime->runtime, options == nullptr ? Options{} : *options);
  });
}

template <class Handle, class Call>
tw_status kernel_of_typed(const char* function, const Handle* handle, const Call* call,
                          tw_kernel** kernel) {
  return guarded([&] {
    require_all(function, {{"the handle", handle}, {"call", call}, {"kernel", kernel}});
    *kernel = new tw_kernel(handle->typed.kernel(Handle::call_of(*call, {})));
  });
}

template <class Handle, class Call>
tw_status launch_typed(const char* function, const Handle* handle, void* stream, const Call* call,
                       const tw_scratch* scratch) {
  return guarded([&] {
    require_all(function, {{"the handle", handle}, {"call", call}});
    if (call->epilogue_count > 0) require_all(function, {{"call->epilogue", call->epilogue}});
    const std::vector<Operand> epilogue = operands_of(call->epilogue, call->epilogue_count);
    const auto plain = Handle::call_of(*call, epilogue);
    const Kernel& kernel = handle->typed.kernel(plain);
    handle->typed.launch(stream, plain, scratch_of(kernel, scratch));
  });
}

}  // namespace tilewright::bindings
