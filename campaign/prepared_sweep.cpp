#include "campaign/prepared_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "campaign/texts.hpp"
#include "definition/metric.hpp"
#include "definition/problem.hpp"
#include "definition/source.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/version.hpp"
#include "tuner/backend/notes.hpp"
#include "tuner/measure/sampling.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/toolchain/compiler_run.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kDefaultBudget = 500;

void check_memory(const Policy& policy, std::int64_t bytes, const DeviceReport& report) {
  const int sets = operand_sets(screening_policy(policy.cache), bytes, report.device.l2_bytes);
  if (report.memory_bytes == 0 || bytes <= report.memory_bytes / sets) return;
  throw bad_input("the problem does not fit: {} of operands{}, and {} has {}", bytes_text(bytes),
                  sets > 1 ? fmt::format(" in {} sets (policy warm needs one)", sets) : "",
                  report.device.name, bytes_text(report.memory_bytes));
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
  const bool is_known = std::ranges::none_of(setup.spaces, &Space::is_open);
  if (is_known && request.budget >= setup.legal) request.budget = 0;
  request.strategy = options.strategy;
  const bool may_be_cut_off =
      setup.legal > kDefaultBudget && (options.time_limit_s > 0 || options.target_us > 0);
  if (options.strategy.empty())
    request.strategy = request.budget == 0 && !may_be_cut_off ? "exhaustive" : "model";
}

void check_reference(const Operation& operation, const GivenData& given) {
  if (!has_reference(operation) && given.expected.empty())
    throw bad_input(
        "operation '{}' has no reference: add [operation.reference] to its manifest, or give "
        "tilewright::tune() a reference",
        operation.name);
}

// The first line that the evaluator's command for it prints to its standard output, as one word.
std::string version_of(const EvaluatorCommand& evaluator) {
  constexpr std::chrono::seconds kLimit{60};
  if (evaluator.version.empty()) return {};
  std::error_code error;  // without a folder, the command says what it lacks
  const CommandResult run =
      run_command("/usr/bin/env", evaluator.version, std::filesystem::temp_directory_path(error),
                  kLimit, StandardError::apart);
  const std::string command = fmt::format("{}", fmt::join(evaluator.version, " "));
  const std::string said = run.errors.empty() ? run.output : run.errors;
  if (run.status != 0)
    throw broken_machine("`{}`, which prints a version, ended with status {}{}{}", command,
                         run.status, said.empty() ? "" : ": ", said.substr(0, said.find('\n')));
  const std::string line = run.output.substr(0, run.output.find('\n'));
  if (line.find_first_not_of(" \t\r") == std::string::npos)
    throw broken_machine(
        "`{}` printed no version: the first line of its standard output must have one", command);
  std::string word = visible_line(beginning_of(line));
  std::ranges::replace(word, ' ', '_');
  return word;
}

// An evaluator's process is the only one of its sweep. It may check and time by itself.
void set_evaluator(const SearchOptions& options, SweepRequest& request) {
  const auto& all = request.implementations;
  const auto found = std::ranges::find_if(all, &Implementation::is_evaluator);
  if (found == all.end()) return;
  const Implementation& one = **found;
  if (all.size() > 1)
    throw bad_input("{0} is an evaluator, and a sweep of one has no other implementation: name {0}",
                    one.full_name());
  request.evaluator = command_of(one);
  request.evaluator_version = version_of(request.evaluator);
  // Nothing is known about the code that it makes.
  request.backend.add_occupancy = {};
  request.backend.kernel_parameters = {};
  if (!request.evaluator.is_timed_by_author()) return;
  if (options.cache.value_or(CachePolicy::warm) != CachePolicy::warm)
    throw bad_input("policy {}: an evaluator times its own calls, which count as warm",
                    to_text(*options.cache));
  if (!options.given.empty())
    throw bad_input("{} is an evaluator, which makes its operands itself: it takes no data",
                    one.full_name());
  request.policy = {CachePolicy::warm, kTimedByAuthor};
  request.backend.probe.reset();
}

// An evaluator's command takes the compiler's place. Throws MachineError if there is no compiler,
// or the driver cannot load its code.
Environment environment_for(const SweepRequest& request, const DeviceReport& device,
                            const Toolchain& toolchain) {
  if (request.evaluator.is_timed_by_author()) {
    Environment environment = device.environment;
    environment.compiler =
        fmt::format("evaluator {}", fmt::join(request.implementations.front()->evaluator, " "));
    environment.tool = kVersion;
    return environment;
  }
  Environment environment = environment_of(device, toolchain);
  if (const std::string note = old_driver_note(device, environment.compiler); !note.empty())
    throw MachineError(note);
  return environment;
}

// Whether no constraint that depends only on the problem and the device rules everything out.
bool may_serve(const Implementation& implementation, const Problem& problem, const Device& device) {
  const Scope scope = full_scope(problem, device);
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
  const Scope known = full_scope(request.problem, request.device);
  for (const std::string& name : metric.value.needed_names()) {
    if (known(name) || is_among(name, kMeasuredNames)) continue;
    for (const Implementation* one : request.implementations)
      if (find_named(one->parameters, name) == nullptr)
        throw bad_input("objective '{}': it uses the parameter '{}', which {} does not have",
                        metric.name, name, one->full_name());
  }
}

// Leaves out routines of libraries that are not here. Notes the versions of the others.
void find_libraries(SweepRequest& request, const Toolchain& toolchain) {
  auto& all = request.implementations;
  if (std::ranges::none_of(all, &Implementation::is_routine)) return;
  std::map<std::string, std::string> why;
  for (const RoutineLibrary& one : backend_of(request.device.kind).libraries(toolchain))
    (one.version.empty() ? why[one.routine] = one.why
                         : request.libraries[one.routine] = one.version);
  const auto is_missing = [&](const Implementation* one) {
    return one->is_routine() && !request.libraries.contains(one->routine);
  };
  if (!std::ranges::all_of(all, is_missing)) {
    std::erase_if(all, is_missing);
    return;
  }
  const Implementation& first = *all.front();
  const auto known = why.find(first.routine);
  if (known == why.end())
    throw bad_input("{}: no library that this device can call has a routine '{}'",
                    first.full_name(), first.routine);
  throw broken_machine("{} cannot run: {}", first.full_name(), known->second);
}

SweepRequest request_of(const Target& target, const Problem& problem, const DeviceReport& report,
                        const SearchOptions& options, const Toolchain& toolchain) {
  const bool is_timed_by_author = command_of(*target.implementations.front()).is_timed_by_author();
  SweepRequest request = request_for(
      target.operation(), problem, report.device,
      is_timed_by_author ? Policy{}
                         : choose_policy(target.operation(), problem, options.cache, report));
  request.implementations = serving(target, problem, report.device);
  find_libraries(request, toolchain);
  request.busy = options.busy;
  request.device_index = report.index;
  request.where = options.where;
  request.time_limit_s = options.time_limit_s;
  request.target_us = options.target_us;
  request.seed = options.seed;
  request.floor = options.floor;
  request.given = options.given;
  set_evaluator(options, request);
  if (!options.objective.empty()) {
    const Metric& metric = metric_named(target.operation(), options.objective);
    check_objective(metric, request);
    request.objective.emplace(metric, target.operation(), problem, report.device);
  }
  return request;
}

constexpr const char* kObjectiveKey = " objective=";

// A changed formula is another objective.
std::string objective_key(const Metric& metric) {
  const bool is_lower = metric.better == Metric::Better::lower;
  const std::string text = (is_lower ? "lower " : "higher ") + metric.value.text();
  return fmt::format("{}{}:{}", kObjectiveKey, metric.name, hex_hash(text));
}

// The words of strategy_key() that say what is compiled, measured and compared, and not what is
// tried.
std::vector<std::string> judging_words(const std::string& strategy) {
  std::istringstream words(strategy);
  std::vector<std::string> judging;
  for (std::string word; words >> word;)
    for (const char* begin : {"occupancy_floor=", "max_spill=", "given=", "version=", "objective="})
      if (word.starts_with(begin)) judging.push_back(word);
  return judging;
}

std::string without_time_limit(std::string strategy) {
  const std::size_t word = strategy.find(" time_limit_s=");
  if (word != std::string::npos) strategy.erase(word, strategy.find(' ', word + 1) - word);
  return strategy;
}

}  // namespace

Policy choose_policy(const Operation& operation, const Problem& problem,
                     std::optional<CachePolicy> cache, const DeviceReport& device) {
  const bool is_on_cpu = runs_on_cpu(device.device.kind);
  if (is_on_cpu && cache.value_or(CachePolicy::warm) != CachePolicy::warm)
    throw bad_input("policy {}: the host device is measured warm only", to_text(*cache));
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
  setup.request = request_of(setup.target, problem, device, options, toolchain);
  const SweepRequest& request = setup.request;
  if (!request.evaluator.is_timed_by_author()) check_reference(*request.operation, request.given);
  setup.spaces = build_spaces(request);
  setup.legal = legal_of(setup.spaces);
  choose_budget(options, setup);
  setup.environment = environment_for(request, device, toolchain);
  setup.key = key_of(request, options.priors);
  return setup;
}

bool has_same_trials(const SweepKey& one, const SweepKey& other) {
  SweepKey same = other;
  same.budget = one.budget;
  same.strategy = one.strategy;
  return same == one && judging_words(one.strategy) == judging_words(other.strategy);
}

bool may_be_part(const SweepKey& part, std::size_t tried, const SweepKey& whole) {
  return whole.budget == 0 || tried < whole.budget ||
         (part.budget == whole.budget &&
          without_time_limit(part.strategy) == without_time_limit(whole.strategy));
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

std::vector<ImplementationKey> keys_of(const std::vector<const Implementation*>& implementations,
                                       const Operation& operation) {
  std::vector<ImplementationKey> keys;
  for (const Implementation* one : implementations) keys.push_back(key_of(*one, operation));
  return keys;
}

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
  if (!request.evaluator_version.empty()) key += " version=" + request.evaluator_version;
  if (request.objective) key += objective_key(request.objective->metric());
  return key;
}

SweepKey key_of(const SweepRequest& request, PriorUse priors) {
  SweepKey key;
  key.operation = request.operation->name;
  key.problem = request.problem;
  key.device = request.device;
  key.policy = request.policy;
  key.implementations = keys_of(request.implementations, *request.operation);
  for (std::size_t i = 0; i < key.implementations.size(); ++i)
    if (const auto library = request.libraries.find(request.implementations[i]->routine);
        library != request.libraries.end())
      key.implementations[i].source_hash = library->second;
  key.where = request.where ? request.where->text() : "";
  key.strategy = strategy_key(request, priors);
  key.budget = request.budget;
  key.seed = request.seed;
  return key;
}

}  // namespace tilewright
