#include "campaign/prepared_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "campaign/texts.hpp"
#include "definition/metric.hpp"
#include "definition/problem.hpp"
#include "definition/text/hash.hpp"
#include "tilewright/error.hpp"
#include "tuner/backend/source.hpp"
#include "tuner/measure/sampling.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kDefaultBudget = 500;

void check_memory(const Policy& policy, std::int64_t bytes, const DeviceReport& report) {
  const int sets = operand_sets(screening_policy(policy.cache), bytes, report.device.l2_bytes);
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

// Whether no constraint that depends only on the problem and the device rules everything out.
bool may_serve(const Implementation& implementation, const Problem& problem, const Device& device) {
  const Configuration none;
  const Scope scope = full_scope(problem, none, device);
  return std::ranges::all_of(implementation.constraints, [&](const Constraint& constraint) {
    const std::set<std::string> names = constraint.require.names();
    const bool uses_parameter = std::ranges::any_of(
        implementation.parameters, [&](const Parameter& one) { return names.contains(one.name); });
    try {
      return uses_parameter || constraint.require.is_true(scope);
    } catch (const ExpressionError&) {
      return true;  // the sweep reports it
    }
  });
}

// All of them if none may serve, so that the sweep says why.
std::vector<const Implementation*> serving(const Target& target, const Problem& problem,
                                           const Device& device) {
  std::vector<const Implementation*> found;
  for (const Implementation* one : target.implementations)
    if (may_serve(*one, problem, device)) found.push_back(one);
  return found.empty() ? target.implementations : found;
}

// Each implementation must have the parameters that the metric uses.
void check_objective(const Metric& metric, const SweepRequest& request) {
  const Configuration none;
  const Scope known = full_scope(request.problem, none, request.device);
  for (const std::string& name : metric.value.needed_names()) {
    if (known(name) || std::ranges::find(kMeasuredNames, name) != kMeasuredNames.end()) continue;
    for (const Implementation* one : request.implementations)
      if (std::ranges::find(one->parameters, name, &Parameter::name) == one->parameters.end())
        throw InputError(
            fmt::format("objective '{}': it uses the parameter '{}', which {} does "
                        "not have",
                        metric.name, name, one->full_name()));
  }
}

SweepRequest request_of(const Target& target, const Problem& problem, const DeviceReport& report,
                        const SearchOptions& options) {
  SweepRequest request =
      request_for(target.operation(), problem, report.device,
                  choose_policy(target.operation(), problem, options.cache, report));
  request.implementations = serving(target, problem, report.device);
  request.device_index = report.index;
  request.where = options.where;
  request.time_limit_s = options.time_limit_s;
  request.target_us = options.target_us;
  request.seed = options.seed;
  request.floor = options.floor;
  request.given = options.given;
  if (!options.objective.empty()) {
    const Metric& metric = metric_named(target.operation(), options.objective);
    check_objective(metric, request);
    request.objective.emplace(metric, target.operation(), problem, report.device);
  }
  return request;
}

// Each field has its length, so that different definitions never give the same text.
class Canonical {
 public:
  void add(const std::string& field) { text_ += fmt::format("{}:{};", field.size(), field); }
  void add(const Expression& expression) { add(expression.text()); }
  void add(const std::array<Expression, 3>& expressions) {
    for (const Expression& expression : expressions) add(expression);
  }
  std::string hash() const { return hex_hash(text_); }

 private:
  std::string text_;
};

void add_tensor_map(Canonical& canonical, const TensorMap& map) {
  for (const auto* numbers : {&map.dims, &map.strides, &map.box}) {
    canonical.add(std::to_string(numbers->size()));
    for (const Expression& number : *numbers) canonical.add(number);
  }
  canonical.add(map.swizzle);
  canonical.add(map.promote);
}

void add_real(Canonical& canonical, const RealValue& real) {
  if (real.number) canonical.add(fmt::format("real={}", *real.number));
  if (real.divisor) canonical.add("divisor=" + real.divisor->text());
}

void add_launch(Canonical& canonical, const Launch& launch) {
  using Kind = LaunchArgument::Kind;
  canonical.add(launch.entry);
  canonical.add(launch.when);
  canonical.add(launch.grid);
  canonical.add(launch.block);
  canonical.add(launch.cluster);
  canonical.add(launch.shared_bytes);
  for (const LaunchArgument& argument : launch.arguments) {
    canonical.add(std::to_string(static_cast<int>(argument.kind)));
    canonical.add(argument.name);
    canonical.add(argument.value);
    canonical.add(to_text(argument.type));
    // Added only if present, so that definitions without them keep their hash.
    add_real(canonical, argument.real);
    if (argument.when.text() != Expression{1}.text()) canonical.add(argument.when);
    if (argument.kind == Kind::tensor_map || argument.kind == Kind::workspace_map)
      add_tensor_map(canonical, argument.map);
    if (argument.kind == Kind::workspace_map) canonical.add(argument.map.type);
    if (argument.kind == Kind::texture) {
      canonical.add(std::to_string(argument.texture.dims.size()));
      for_each_expression(argument.texture, [&](const Expression& one) { canonical.add(one); });
    }
  }
  if (launch.dependent_launch.text() != Expression{}.text()) {
    canonical.add("dependent_launch");
    canonical.add(launch.dependent_launch);
  }
  if (launch.cooperative.text() != Expression{}.text())
    canonical.add("cooperative=" + launch.cooperative.text());
  if (!launch.loop.empty()) canonical.add("loop=" + launch.loop);
  if (!launch.unit.empty()) canonical.add("unit=" + launch.unit);
}

void add_loops(Canonical& canonical, const std::vector<Loop>& loops) {
  for (const Loop& loop : loops) {
    canonical.add(fmt::format("loop={} trips={}", loop.name, loop.trips.text()));
    for (const LaunchArgument& place : loop.swap)
      canonical.add(fmt::format("swap={} {}", place.name, place.value.text()));
  }
}

void add_constants(Canonical& canonical, const std::vector<ConstantSymbol>& constants) {
  for (const ConstantSymbol& constant : constants) {
    canonical.add(fmt::format("constant={} from={}", constant.symbol, constant.from));
    canonical.add(constant.unit);
    canonical.add(constant.when);
  }
}

void add_unit(Canonical& canonical, const SourceUnit& unit) {
  canonical.add("unit=" + unit.name);
  for (const auto& [name, value] : unit.macros) canonical.add(name + '=' + value.text());
  if (unit.max_registers) canonical.add("max_registers=" + unit.max_registers->text());
}

// Everything that decides whether an answer is right: inputs, checks, reference, comparison.
void add_judgement(Canonical& canonical, const Operation& operation) {
  for (const Argument& argument : operation.arguments) {
    canonical.add(argument.name);
    canonical.add(argument.computed_type ? argument.computed_type->text() : to_text(argument.type));
    canonical.add(argument.count);
    if (argument.when.text() != Expression{1}.text()) canonical.add(argument.when);
    if (argument.lanes != 1) canonical.add(fmt::format("lanes={}", argument.lanes));
    canonical.add(argument.read_when);
    canonical.add(argument.value ? argument.value->text() : "");
    add_real(canonical, argument.real);
    canonical.add(fmt::format("{} {} {} {} {}", static_cast<int>(argument.kind),
                              static_cast<int>(argument.role), static_cast<int>(argument.fill.kind),
                              argument.fill.low, argument.fill.high));
    canonical.add(argument.fill.file.string());
    if (argument.fill.kind == Fill::Kind::normal)
      canonical.add(fmt::format("{} {}", argument.fill.mean, argument.fill.deviation));
    for (const FillNumber& one : kFillNumbers)
      if (const auto& number = argument.computed_fill.*one.computed)
        canonical.add(fmt::format("{}={}", one.key, number->text()));
    if (const auto& integers = argument.integer_fill)
      canonical.add(fmt::format("integers={} {}", integers->low, integers->high));
    if (argument.fill.divisor != 1) canonical.add(fmt::format("divided={}", argument.fill.divisor));
    const Fill& fill = argument.fill;
    if (fill.correlation != 1) canonical.add(fmt::format("correlated={}", fill.correlation));
    if (fill.border != 0 || fill.columns != 0)
      canonical.add(fmt::format("image={} {} {}", fill.border, fill.rows, fill.columns));
  }
  for (const auto& [name, fill] : operation.kernel_fills) {
    canonical.add("filled by kernel=" + name + ' ' + read_source(fill).hash);
    for (const std::string& option : fill.options) canonical.add("option=" + option);
    for (const Launch& launch : fill.launches) add_launch(canonical, launch);
  }
  for (const Settings& check : operation.checks) canonical.add(canonical_json(check));
  const Reference& reference = operation.reference;
  canonical.add(reference.builtin);
  if (reference.builtin.empty() && has_reference(operation))
    canonical.add(read_source(reference).hash);
  for (const std::string& option : reference.options) canonical.add("option=" + option);
  for (const std::string& name : reference.compiled_in) canonical.add("compiled_in=" + name);
  for (const Launch& launch : reference.launches) add_launch(canonical, launch);
  add_loops(canonical, reference.loops);
  add_constants(canonical, reference.constants);
  canonical.add(operation.comparison.reduction);
  const Comparison& comparison = operation.comparison;
  canonical.add(fmt::format("{} {}", comparison.reduced, comparison.scale));
  if (comparison.sums) canonical.add("sums=" + comparison.sums->text());
  if (comparison.inputs.text() != Expression{}.text())
    canonical.add("inputs=" + comparison.inputs.text());
  if (comparison.tolerance != 0) canonical.add(fmt::format("tolerance={}", comparison.tolerance));
  if (comparison.mismatches != 0)
    canonical.add(fmt::format("mismatches={}", comparison.mismatches));
}

std::string space_hash(const Implementation& implementation, const Operation& operation) {
  Canonical canonical;
  add_judgement(canonical, operation);
  canonical.add(implementation.requires_architecture);
  for (const Parameter& parameter : implementation.parameters) {
    canonical.add(parameter.name);
    for (const Value& value : parameter.values) canonical.add(tilewright::to_text(value));
    canonical.add(tilewright::to_text(parameter.default_value));
    if (parameter.absent) canonical.add("absent=" + tilewright::to_text(*parameter.absent));
    canonical.add(parameter.active ? parameter.active->text() : "");
    if (parameter.compiled_in.text() != Expression(1).text())
      canonical.add("compiled_in=" + parameter.compiled_in.text());
  }
  for (const Constraint& constraint : implementation.constraints) canonical.add(constraint.require);
  for (const Remark& remark : implementation.remarks)
    for (const std::string& code : remark.codes) canonical.add("remark=" + code);
  if (implementation.architecture_specific) canonical.add("architecture_specific");
  if (implementation.compiler == DeviceCompiler::nvcc) canonical.add("compiler=nvcc");
  if (implementation.max_registers.text() != Expression{}.text())
    canonical.add("max_registers=" + implementation.max_registers.text());
  for (const std::string& option : implementation.options) canonical.add(option);
  for (const CompiledIn& item : implementation.compiled_in) {
    canonical.add(item.name);
    canonical.add(item.when);
  }
  for (const SourceUnit& unit : implementation.units) add_unit(canonical, unit);
  for (const Launch& launch : implementation.launches) add_launch(canonical, launch);
  add_loops(canonical, implementation.loops);
  add_constants(canonical, implementation.constants);
  canonical.add(implementation.workspace.bytes);
  canonical.add(std::to_string(static_cast<int>(implementation.workspace.zero)));
  canonical.add(implementation.estimate.shared_bytes);
  canonical.add(implementation.estimate.registers);
  return canonical.hash();
}

constexpr const char* kObjectiveKey = " objective=";

// A changed formula is another objective.
std::string objective_key(const Metric& metric) {
  const bool is_lower = metric.better == Metric::Better::lower;
  const std::string text = (is_lower ? "lower " : "higher ") + metric.value.text();
  return fmt::format("{}{}:{}", kObjectiveKey, metric.name, hex_hash(text));
}

// Limits that change which configurations are tried make a different sweep.
std::string strategy_key(const SweepRequest& request, PriorUse priors) {
  std::string key = request.strategy;
  if (priors == PriorUse::none && is_learning(key)) key += " no_priors";
  if (request.time_limit_s > 0) key += fmt::format(" time_limit_s={}", request.time_limit_s);
  if (request.target_us > 0) key += fmt::format(" target_us={}", request.target_us);
  if (request.plateau.least > 0) key += " plateau";
  if (request.floor.occupancy > 0)
    key += fmt::format(" occupancy_floor={}", request.floor.occupancy);
  if (request.floor.spill_bytes != ResourceFloor{}.spill_bytes)
    key += fmt::format(" max_spill={}", request.floor.spill_bytes);
  if (!request.given.empty()) key += " given=" + request.given.hash;
  if (request.objective) key += objective_key(request.objective->metric());
  return key;
}

// The words of strategy_key() that say what is compiled, measured and compared, and not what is
// tried.
std::vector<std::string> judging_words(const std::string& strategy) {
  std::istringstream words(strategy);
  std::vector<std::string> judging;
  for (std::string word; words >> word;)
    for (const char* begin : {"occupancy_floor=", "max_spill=", "given=", "objective="})
      if (word.starts_with(begin)) judging.push_back(word);
  return judging;
}

}  // namespace

Policy choose_policy(const Operation& operation, const Problem& problem,
                     std::optional<CachePolicy> cache, const DeviceReport& device) {
  const bool is_on_cpu = runs_on_cpu(device.device.kind);
  if (is_on_cpu && cache.value_or(CachePolicy::warm) != CachePolicy::warm)
    throw InputError(
        fmt::format("policy {}: the host device is measured warm only", to_text(*cache)));
  Policy policy;
  if (is_on_cpu) policy.submission = "call";
  policy.cache = cache.value_or(default_cache_policy(device.device));
  check_memory(policy, operand_bytes(operation, problem), device);
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

bool has_same_trials(const SweepKey& one, const SweepKey& other) {
  SweepKey same = other;
  same.budget = one.budget;
  same.strategy = one.strategy;
  return same == one && judging_words(one.strategy) == judging_words(other.strategy);
}

std::optional<Objective> objective_of(const SweepRecord& record, const Operation& operation) {
  const std::string& key = record.key.strategy;
  for (const Metric& metric : operation.metrics)
    if (key.ends_with(objective_key(metric)))
      return Objective(metric, operation, record.key.problem, record.key.device);
  return std::nullopt;
}

ImplementationKey key_of(const Implementation& implementation, const Operation& operation) {
  ImplementationKey key;
  key.name = implementation.full_name();
  key.epoch = implementation.epoch;
  key.source_hash = read_source(implementation).hash;
  key.space_hash = space_hash(implementation, operation);
  key.default_configuration = default_configuration(implementation);
  return key;
}

SweepKey key_of(const SweepRequest& request, PriorUse priors) {
  SweepKey key;
  key.operation = request.operation->name;
  key.problem = request.problem;
  key.device = request.device;
  key.policy = request.policy;
  for (const Implementation* implementation : request.implementations)
    key.implementations.push_back(key_of(*implementation, *request.operation));
  key.where = request.where ? request.where->text() : "";
  key.strategy = strategy_key(request, priors);
  key.budget = request.budget;
  key.seed = request.seed;
  return key;
}

}  // namespace tilewright
