#include "tuner/sweep/services.hpp"

#include <limits>

#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kProbeTicket = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kReferenceTicket = kProbeTicket - 1;
constexpr std::size_t kSnippetTicket = kReferenceTicket - 1;

bool needs_reference_kernel(const SweepRequest& request) {
  const bool is_builtin = !request.operation->reference.builtin.empty();
  if (is_builtin || !has_reference(*request.operation)) return false;
  return request.given.expected.empty() || problems_to_verify(request).size() > 1;
}

std::optional<CompileResult> wait_for_reference(const SweepRequest& request,
                                                CompileAhead& compilers,
                                                const std::atomic<bool>& stop) {
  auto result = compilers.wait_for(kReferenceTicket, stop);
  if (result && !result->ok())
    throw InputError("the reference kernel " + request.operation->reference.source.string() +
                     " does not compile:\n" + result->log);
  return result;
}

}  // namespace

bool check_snippets(const Operation& operation, const std::string& architecture,
                    CompileAhead& compilers, const std::atomic<bool>& stop) {
  for (const Hook& hook : operation.hooks)
    for (const char* real : {"float", "double"}) {
      if (!hook.snippet) continue;
      compilers.submit(kSnippetTicket, snippet_request(hook, real, architecture));
      const auto result = compilers.wait_for(kSnippetTicket, stop);
      if (!result) return false;
      if (!result->ok())
        throw InputError(hook.snippet->file.string() + ": the snippet '" + hook.snippet->name +
                         "' does not compile, with real as " + real + ":\n" + result->log);
    }
  return !stop;
}

CompileRequest reference_request(const SweepRequest& request) {
  const Reference& reference = request.operation->reference;
  const KernelSource source = read_source(reference.source, {});
  CompileRequest compile;
  compile.source = source.text;
  compile.source_name = source.name;
  compile.headers = with_snippets(source.headers, *request.operation, "double");
  compile.architecture = request.backend.architecture;
  for (const Launch& launch : reference.launches) compile.entries.push_back(launch.entry);
  return compile;
}

void submit_services(const SweepRequest& request, CompileAhead& compilers) {
  if (request.backend.probe) compilers.submit(kProbeTicket, *request.backend.probe);
  if (needs_reference_kernel(request))
    compilers.submit(kReferenceTicket, reference_request(request));
}

std::optional<Services> wait_for_services(const SweepRequest& request, CompileAhead& compilers,
                                          const std::atomic<bool>& stop) {
  if (!check_snippets(*request.operation, request.backend.architecture, compilers, stop))
    return std::nullopt;
  Services services;
  if (needs_reference_kernel(request)) {
    auto reference = wait_for_reference(request, compilers, stop);
    if (!reference) return std::nullopt;
    services.reference = *std::move(reference);
  }
  if (request.backend.probe) {
    auto probe = compilers.wait_for(kProbeTicket, stop);
    if (!probe) return std::nullopt;
    if (!probe->ok()) throw MachineError("the clock probe does not compile:\n" + probe->log);
    services.probe = *std::move(probe);
  }
  if (stop) return std::nullopt;
  return services;
}

void open_session(const SweepRequest& request, const Services& services, std::uint64_t seed,
                  Evaluator& evaluator) {
  SessionPlan plan =
      plan_session(request, problems_to_verify(request), services.reference, services.probe.code);
  plan.seed = seed;
  evaluator.open(plan);
}

bool has_architecture(const SweepRequest& request, const Implementation& implementation) {
  return architecture_for(implementation.requires_architecture, request.backend.architecture)
      .has_value();
}

CompileRequest compile_request(const SweepRequest& request, const KernelSource& source,
                               const Candidate& candidate) {
  const Implementation& implementation = *candidate.implementation;
  const Scope scope = full_scope(request.problem, candidate.configuration, request.device);
  const auto architecture =
      architecture_for(implementation.requires_architecture, request.backend.architecture);
  return make_compile_request(source, implementation, *request.operation, request.problem,
                              candidate.configuration, scope, architecture.value());
}

Trial unsupported_trial(const SweepRequest& request, const Candidate& candidate) {
  Trial trial;
  trial.implementation = candidate.implementation->full_name();
  trial.configuration = candidate.configuration;
  trial.outcome = Outcome::unsupported;
  trial.message = "needs " + candidate.implementation->requires_architecture + "; the device is " +
                  request.backend.architecture;
  return trial;
}

}  // namespace tilewright
