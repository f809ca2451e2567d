#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tuner/space/space.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright {

// The compiled code that the device side needs besides candidates.
struct Services {
  CompileResult probe;      // no code: clocks are unknown
  CompileResult reference;  // no code: the reference is built in
  FillCode fills = {};
};

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

// What a sweep of those spaces compiles before it has measured anything: the services, then the
// first candidates, at most `most`.
std::vector<CompileRequest> first_compiles(const SweepRequest& request,
                                           const std::vector<Space>& spaces, std::size_t most);

}  // namespace tilewright
