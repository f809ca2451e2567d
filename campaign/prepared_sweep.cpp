#include "campaign/prepared_sweep.hpp"

#include <fmt/format.h>

#include <utility>

#include "campaign/texts.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tuner/measure/sampling.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kDefaultBudget = 500;

void check_memory(const Policy& policy, std::int64_t bytes, const DeviceReport& report) {
  const int sets = operand_sets(policy.cache, bytes, report.device.l2_bytes);
  if (report.memory_bytes == 0 || bytes <= report.memory_bytes / sets) return;
  throw InputError(
      fmt::format("the problem does not fit: {} of operands{}, and {} has {}", bytes_text(bytes),
                  sets > 1 ? fmt::format(" in {} sets (policy warm needs one)", sets) : "",
                  report.device.name, bytes_text(report.memory_bytes)));
}

void choose_budget(const SearchOptions& options, PreparedSweep& setup) {
  SweepRequest& request = setup.request;
  if (options.budget) {
    request.budget = *options.budget;
  } else if (options.strategy != "exhaustive" && setup.legal > kDefaultBudget) {
    request.budget = kDefaultBudget;
    setup.budget_was_chosen = true;
    request.plateau = PlateauRule{};
  }
  if (request.budget >= setup.legal) request.budget = 0;
  request.strategy = options.strategy;
  if (options.strategy.empty()) request.strategy = request.budget == 0 ? "exhaustive" : "model";
}

void check_reference(const Operation& operation, const GivenData& given) {
  if (!has_reference(operation) && given.expected.empty())
    throw InputError(
        fmt::format("operation '{}' has no reference: add [operation.reference] to its "
                    "manifest, or give tilewright::tune() a reference",
                    operation.name));
}

SweepRequest request_of(const Target& target, const Problem& problem, const DeviceReport& report,
                        const SearchOptions& options) {
  SweepRequest request =
      request_for(target.operation(), problem, report.device,
                  choose_policy(target.operation(), problem, options.cache, report));
  request.implementations = target.implementations;
  request.device_index = report.index;
  request.where = options.where;
  request.time_limit_s = options.time_limit_s;
  request.target_us = options.target_us;
  request.seed = options.seed;
  request.floor = options.floor;
  request.given = options.given;
  return request;
}

}  // namespace

Policy choose_policy(const Operation& operation, const Problem& problem,
                     std::optional<CachePolicy> cache, const DeviceReport& device) {
  const bool is_on_cpu = runs_on_cpu(device.device.kind);
  if (is_on_cpu && cache == CachePolicy::cold)
    throw InputError("policy cold: the host device is measured warm only");
  const std::int64_t bytes = operand_bytes(operation, problem);
  Policy policy;
  if (is_on_cpu) policy.submission = "call";
  policy.cache = cache.value_or(default_cache_policy(bytes, device.device));
  check_memory(policy, bytes, device);
  return policy;
}

SweepRequest request_for(const Operation& operation, const Problem& problem, const Device& device,
                         const Policy& policy) {
  SweepRequest request;
  request.operation = &operation;
  request.problem = problem;
  request.device = device;
  request.backend = backend_of(device.kind).facts(device);
  request.policy = policy;
  return request;
}

PreparedSweep prepare_sweep(Target target, const Problem& problem, const DeviceReport& device,
                            const SearchOptions& options, const Toolchain& toolchain) {
  PreparedSweep setup;
  setup.target = std::move(target);
  setup.device = device;
  setup.priors = options.priors;
  setup.request = request_of(setup.target, problem, device, options);
  const SweepRequest& request = setup.request;
  check_reference(*request.operation, request.given);
  setup.spaces = build_spaces(request);
  for (const Space& space : setup.spaces) setup.legal += space.legal.size();
  choose_budget(options, setup);
  setup.environment = environment_of(device, toolchain);
  setup.key = key_of(request, options.priors);
  return setup;
}

}  // namespace tilewright
