#include "tuner/sweep/prepare/services.hpp"

#include <limits>
#include <vector>

#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tuner/plan/hook_header.hpp"
#include "tuner/plan/macros.hpp"
#include "tuner/sweep/prepare/checks.hpp"

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
  const Scope scope = scope_over({&request.problem.values});
  for (const Launch& launch : reference.launches)
    compile.entries.push_back(entry_of(launch.entry, *request.operation, scope));
  for (const ConstantSymbol& constant : reference.constants)
    compile.constants.push_back(constant.symbol);
  return compile;
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

bool check_snippets(const Operation& operation, const Problem& problem,
                    const std::string& architecture, CompileAhead& compilers,
                    const std::atomic<bool>& stop) {
  for (const Hook& hook : operation.hooks)
    for (const std::string& real : reals_of(hook, problem)) {
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
  return request_of(request, request.operation->reference);
}

std::map<std::string, CompileRequest> fill_requests(const SweepRequest& request) {
  std::map<std::string, CompileRequest> requests;
  for (const auto& [argument, fill] : request.operation->kernel_fills)
    requests.emplace(argument, request_of(request, fill));
  return requests;
}

void submit_services(const SweepRequest& request, CompileAhead& compilers) {
  if (request.backend.probe) compilers.submit(kProbeTicket, *request.backend.probe);
  if (needs_reference_kernel(request))
    compilers.submit(kReferenceTicket, reference_request(request));
  std::size_t ticket = kFirstFillTicket;
  for (auto& [argument, fill] : fill_requests(request)) compilers.submit(ticket--, fill);
}

std::optional<Services> wait_for_services(const SweepRequest& request, CompileAhead& compilers,
                                          const std::atomic<bool>& stop) {
  if (!check_snippets(*request.operation, request.problem, request.backend.architecture, compilers,
                      stop))
    return std::nullopt;
  Services services;
  if (needs_reference_kernel(request)) {
    auto reference = wait_for_reference(request, compilers, stop);
    if (!reference) return std::nullopt;
    services.reference = *std::move(reference);
  }
  std::size_t ticket = kFirstFillTicket;
  for (const auto& [argument, fill] : request.operation->kernel_fills) {
    auto code = compilers.wait_for(ticket--, stop);
    if (!code) return std::nullopt;
    if (!code->ok())
      throw InputError("the kernel that fills '" + argument + "', " + fill.source.string() +
                       ", does not compile:\n" + code->log);
    services.fills.emplace(argument, *std::move(code));
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
                  const Bench& bench) {
  SessionPlan plan = plan_session(request, problems_to_verify(request), services.reference,
                                  services.probe.code, services.fills);
  plan.device_index = bench.device_index;
  plan.seed = seed;
  bench.evaluator->open(plan);
}

}  // namespace tilewright
