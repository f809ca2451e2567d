// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <utility>

#include "bindings/c/device_name.hpp"
#include "bindings/c/handles.hpp"
#include "bindings/c/request.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bindings {
namespace {

std::string why_nothing(const Answer& answer, const tw_request& request) {
  return fmt::format(
      "{} {}: nothing on record that require={} accepts: {}", request.operation,
      request.problem == nullptr ? "" : request.problem, request.require,
      answer.reason.empty() ? "the answer is of rung " + to_text(answer.rung) : answer.reason);
}

DeviceSelector selector_of(const tw_request& request) {
  return request.device == nullptr ? DeviceSelector{} : device_selector(request.device);
}

// Of a device of this machine, or of one with results whose name has the text in it.
Device device_of(const tw_runtime& runtime, const tw_request& request) {
  const std::string text = request.device == nullptr ? "auto" : request.device;
  if (text == "auto" || text == "host" || text.starts_with("cuda"))
    return runtime.runtime.device(device_selector(text));
  std::string names;
  for (const Device& device : runtime.catalog.devices(request.operation)) {
    if (is_in_name(text, device)) return device;
    names += (names.empty() ? "" : ", ") + device.name;
  }
  throw InputError(
      fmt::format("device '{}': give auto, host, cuda:N or a part of the name of a device with "
                  "results of {}: {}",
                  text, request.operation, names.empty() ? "there are none" : names));
}

Answer look_up(const tw_runtime& runtime, const tw_request& request) {
  Question question;
  question.operation = request.operation;
  question.problem = settings_of(request.problem);
  question.cache = cache_of(request.cache);
  question.require = require_of(request.require);
  question.device = device_of(runtime, request);
  Answer answer = runtime.catalog.look_up(question);
  if (answer.rung == Rung::none) throw NothingFound(why_nothing(answer, request));
  return answer;
}

// Here, so that what is too weak can be told from bad input.
Kernel accepted(Kernel kernel, Require required, const tw_request& request) {
  if (accepts(required, kernel.answer().rung)) return kernel;
  throw NothingFound(why_nothing(kernel.answer(), request));
}

Kernel kernel_of(const tw_runtime& runtime, const tw_request& request) {
  const Require required = require_of(request.require);
  Kernel kernel = runtime.runtime.kernel({request.operation, settings_of(request.problem),
                                          selector_of(request), cache_of(request.cache)});
  return accepted(std::move(kernel), required, request);
}

Kernel kernel_of(const Bundle& bundle, const tw_request& request) {
  refuse_cache(request, "tw_bundle_kernel");
  const Require required = require_of(request.require);
  return accepted(
      bundle.kernel({request.operation, settings_of(request.problem), selector_of(request)}),
      required, request);
}

}  // namespace
}  // namespace tilewright::bindings

using namespace tilewright::bindings;

tw_status tw_runtime_open(const tw_options* options, tw_runtime** runtime) {
  return guarded([&] {
    require(runtime, "tw_runtime_open: runtime");
    *runtime = new tw_runtime(options == nullptr ? tilewright::RuntimeOptions{} : options->options);
  });
}

void tw_runtime_close(tw_runtime* runtime) {
  delete runtime;
}

tw_status tw_best(const tw_runtime* runtime, const tw_request* request, tw_answer** answer) {
  return guarded([&] {
    require(runtime, "tw_best: runtime");
    check_request(request, "tw_best");
    require(answer, "tw_best: answer");
    *answer = answer_view(look_up(*runtime, *request)).release();
  });
}

tw_status tw_runtime_kernel(const tw_runtime* runtime, const tw_request* request,
                            tw_kernel** kernel) {
  return guarded([&] {
    require(runtime, "tw_runtime_kernel: runtime");
    check_request(request, "tw_runtime_kernel");
    require(kernel, "tw_runtime_kernel: kernel");
    *kernel = new tw_kernel(kernel_of(*runtime, *request));
  });
}

tw_status tw_bundle_open(const char* file, tw_bundle** bundle) {
  return guarded([&] {
    require(file, "tw_bundle_open: file");
    require(bundle, "tw_bundle_open: bundle");
    *bundle = new tw_bundle(file);
  });
}

tw_status tw_bundle_kernel(const tw_bundle* bundle, const tw_request* request, tw_kernel** kernel) {
  return guarded([&] {
    require(bundle, "tw_bundle_kernel: bundle");
    check_request(request, "tw_bundle_kernel");
    require(kernel, "tw_bundle_kernel: kernel");
    *kernel = new tw_kernel(kernel_of(bundle->bundle, *request));
  });
}

void tw_bundle_close(tw_bundle* bundle) {
  delete bundle;
}
