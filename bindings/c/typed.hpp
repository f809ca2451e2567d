#pragma once

#include <vector>

#include "bindings/c/handles.hpp"
#include "bindings/c/request.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/typed.h"

// What the handles of typed.h have in common. Each handle has `typed`, the C++ helper, and
// `call_of()`, which turns a C call and the snippet's arguments into a C++ call.
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
