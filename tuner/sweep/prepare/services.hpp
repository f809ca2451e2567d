#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright {

// The compiled code that the device side needs besides candidates.
struct Services {
  CompileResult probe;      // no code: clocks are unknown
  CompileResult reference;  // no code: the reference is built in
  FillCode fills = {};
};

// Compiles each snippet of the operation alone, as kernels and as the reference use it. A mistake
// in a snippet then gives one message instead of a sweep full of failures. False once `stop` is
// set. Throws InputError with the compiler's log.
bool check_snippets(const Operation& operation, const Problem& problem,
                    const std::string& architecture, CompileAhead& compilers,
                    const std::atomic<bool>& stop);

// The author's reference kernel. Requires that the operation has one.
CompileRequest reference_request(const SweepRequest& request);
// The kernels of the operation that fill, by argument.
std::map<std::string, CompileRequest> fill_requests(const SweepRequest& request);

// Starts the compiles of the services.
void submit_services(const SweepRequest& request, CompileAhead& compilers);
// Requires submit_services(). Nothing once `stop` is set. Throws InputError if the author's
// reference kernel or a snippet does not compile.
std::optional<Services> wait_for_services(const SweepRequest& request, CompileAhead& compilers,
                                          const std::atomic<bool>& stop);

// Makes the device ready for the request's problems, with inputs from `seed`.
void open_session(const SweepRequest& request, const Services& services, std::uint64_t seed,
                  const SweepDevice& device);

}  // namespace tilewright
