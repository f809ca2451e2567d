#include "tuner/sweep/prepare/services.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/hook_header.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright {

namespace {

// What `real` is in a snippet of the hook, for kernels and, as the last one, for the reference.
std::vector<std::string> reals_of(const Hook& hook, const Problem& problem) {
  const ElementType type = type_of(hook.type, scope_over({&problem.values}));
  if (is_integer(type)) return {std::string(facts_of(type).cuda)};
  return {"float", "double"};
}

constexpr std::size_t kProbeTicket = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kReferenceTicket = kProbeTicket - 1;
constexpr std::size_t kSnippetTicket = kReferenceTicket - 1;
constexpr std::size_t kFirstFillTicket = kSnippetTicket - 1;  // and those below it

bool needs_reference_kernel(const SweepRequest& request) {
  const bool is_builtin = !request.operation->reference.builtin.empty();
  if (is_builtin || !has_reference(*request.operation)) return false;
  return request.given.expected.empty() || problems_to_verify(request).size() > 1;
}

// A kernel of the author besides implementations: the reference, or one that fills.
CompileRequest request_of(const SweepRequest& request, const Reference& reference) {
  const KernelSource source = read_source(reference);
  CompileRequest compile;
  compile.source = source.text;
  compile.source_name = source.name;
  compile.headers = with_snippets(source.headers, *request.operation, [&](const Hook& hook) {
    return reals_of(hook, request.problem).back();
  });
  compile.architecture = request.backend.architecture;
  compile.options = reference_options(*request.operation, reference, request.problem);
  std::ranges::move(folder_options(source), std::back_inserter(compile.options));
  const Scope scope = scope_over({&request.problem.values});
  for (const Launch& launch : reference.launches)
    compile.entries.push_back(entry_of(launch.entry, *request.operation, scope));
  for (const ConstantSymbol& constant : reference.constants)
    compile.constants.push_back(constant.symbol);
  return compile;
}

std::vector<std::pair<std::size_t, CompileRequest>> service_requests(const SweepRequest& request) {
  std::vector<std::pair<std::size_t, CompileRequest>> requests;  // by ticket
  if (request.evaluator.is_timed_by_author()) return requests;
  if (request.backend.probe) requests.emplace_back(kProbeTicket, *request.backend.probe);
  if (needs_reference_kernel(request))
    requests.emplace_back(kReferenceTicket, reference_request(request));
  std::size_t ticket = kFirstFillTicket;
  for (auto& [argument, fill] : fill_requests(request)) requests.emplace_back(ticket--, fill);
  return requests;
}

// Throws InputError unless the author's kernels take what their launches pass.
void check_parameters(const SweepRequest& request, const Reference& reference,
                      const CompileResult& code, const std::string& what) {
  const Scope scope = full_scope(request.problem, request.device);
  const LaunchPlan plan = plan_launches(*request.operation, reference, scope);
  if (const auto failure = parameters_failure(request, plan, code))
    throw InputError(what + ": " + failure->message);
}

// Whether the problem has the argument.
bool has_argument(const SweepRequest& request, const std::string& argument) {
  return is_present(*find_named(request.operation->arguments, argument),
                    scope_over({&request.problem.values}));
}

// Waits for the code. False once `stop` is set. Throws an Error that begins with `what` if it does
// not compile.
template <class Error>
bool wait_for(CompileAhead& compilers, std::size_t ticket, const std::atomic<bool>& stop,
              const std::string& what, CompileResult& code) {
  auto result = compilers.wait_for(ticket, stop);
  if (!result) return false;
  if (!result->ok()) throw Error(what + ":\n" + result->log);
  code = *std::move(result);
  return true;
}

// Compiles each snippet of the operation alone, as kernels and as the reference use it. A mistake
// in a snippet then gives one message instead of a sweep full of failures. False once `stop` is
// set. Throws InputError with the compiler's log.
bool check_snippets(const SweepRequest& request, CompileAhead& compilers,
                    const std::atomic<bool>& stop) {
  CompileResult code;
  for (const Hook& hook : request.operation->hooks)
    for (const std::string& real : reals_of(hook, request.problem)) {
      if (!hook.snippet) continue;
      compilers.submit(kSnippetTicket, snippet_request(hook, real, request.backend.architecture));
      if (!wait_for<InputError>(compilers, kSnippetTicket, stop,
                                hook.snippet->file.string() + ": the snippet '" +
                                    hook.snippet->name + "' does not compile, with real as " + real,
                                code))
        return false;
    }
  return !stop;
}

}  // namespace

CompileRequest reference_request(const SweepRequest& request) {
  return request_of(request, request.operation->reference);
}

std::map<std::string, CompileRequest> fill_requests(const SweepRequest& request) {
  std::map<std::string, CompileRequest> requests;
  for (const auto& [argument, fill] : request.operation->kernel_fills)
    requests.emplace(argument, request_of(request, fill));
  return requests;
}

void submit_services(const SweepRequest& request, CompileAhead& compilers) {
  for (auto& [ticket, compile] : service_requests(request))
    compilers.submit(ticket, std::move(compile));
}

std::optional<Services> wait_for_services(const SweepRequest& request, CompileAhead& compilers,
                                          const std::atomic<bool>& stop) {
  if (request.evaluator.is_timed_by_author())
    return stop ? std::nullopt : std::optional(Services{});
  if (!check_snippets(request, compilers, stop)) return std::nullopt;
  Services services;
  const Reference& reference = request.operation->reference;
  if (needs_reference_kernel(request)) {
    const std::string what = "the reference kernel " + reference.source.string();
    if (!wait_for<InputError>(compilers, kReferenceTicket, stop, what + " does not compile",
                              services.reference))
      return std::nullopt;
    check_parameters(request, reference, services.reference, what);
  }
  std::size_t ticket = kFirstFillTicket;
  for (const auto& [argument, fill] : request.operation->kernel_fills) {
    const std::string what = "the kernel that fills '" + argument + "', " + fill.source.string();
    if (!wait_for<InputError>(compilers, ticket--, stop, what + ", does not compile",
                              services.fills[argument]))
      return std::nullopt;
    if (has_argument(request, argument))
      check_parameters(request, fill, services.fills[argument], what);
  }
  if (request.backend.probe &&
      !wait_for<MachineError>(compilers, kProbeTicket, stop, "the clock probe does not compile",
                              services.probe))
    return std::nullopt;
  if (stop) return std::nullopt;
  return services;
}

void open_session(const SweepRequest& request, const Services& services, std::uint64_t seed,
                  const SweepDevice& device) {
  SessionPlan plan = plan_session(request, problems_to_verify(request), services.reference,
                                  services.probe.code, services.fills);
  plan.device_index = device.device_index;
  plan.seed = seed;
  device.evaluator->open(plan);
}

std::vector<CompileRequest> first_compiles(const SweepRequest& request,
                                           const std::vector<Space>& spaces, std::size_t most) {
  Candidates candidates;
  std::map<const Implementation*, KernelSource> sources;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const Implementation& implementation = *request.implementations[i];
    candidates.add(implementation, spaces[i].legal);
    sources[&implementation] = read_source(implementation);
  }
  std::vector<CompileRequest> compiles;
  if (candidates.size() == 0) return compiles;
  for (auto& [ticket, compile] : service_requests(request)) compiles.push_back(std::move(compile));
  for (const std::size_t index : make_search(request, candidates)->propose(most)) {
    const Candidate candidate = candidates[index];
    if (has_architecture(request, *candidate.implementation))
      compiles.push_back(compile_request(request, sources.at(candidate.implementation), candidate));
  }
  return compiles;
}

}  // namespace tilewright
