#include "runtime/launch/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/ladder/ladder.hpp"
#include "definition/architecture.hpp"
#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/hash.hpp"
#include "tuner/backend/executable.hpp"
#include "tuner/plan/compile_request.hpp"

namespace tilewright {
namespace {

// The sizes that a look-up compares, then the other values that are not the default.
std::string label_of(const ChosenKernel& chosen, const Problem& problem) {
  std::string label = chosen.implementation->full_name();
  const auto add = [&](const std::string& name) {
    label += fmt::format(" {}={}", name, to_text(problem.values.at(name)));
  };
  for (const Dimension& dimension : chosen.operation->dimensions)
    if (dimension.role == ProblemRole::distance) add(dimension.name);
  for (const Choice& choice : chosen.operation->choices)
    if (const auto value = problem.values.find(choice.name);
        value != problem.values.end() && to_text(value->second) != choice.default_label)
      add(choice.name);
  for (const Hook& hook : chosen.operation->hooks)
    if (hook.snippet) add(hook.name);
  return label;
}

RecipeArgument recipe_argument(const PlannedBuffer& buffer) {
  RecipeArgument argument;
  const bool is_scalar = buffer.kind == ArgumentKind::scalar;
  argument.asked = {
      buffer.name, buffer.kind, buffer.type, buffer.role, is_scalar ? 1 : buffer.count, false};
  argument.capacity = buffer.capacity;
  if (buffer.has_value) argument.value = value_bytes(buffer);
  return argument;
}

void mark_by_value(Recipe& recipe) {
  for (const PlannedLaunch& launch : recipe.launches.launches)
    for (const PlannedArgument& planned : launch.arguments)
      if (planned.kind == PlannedArgument::Kind::by_value)
        recipe.arguments.at(static_cast<std::size_t>(planned.index)).asked.by_value = true;
}

}  // namespace

std::int64_t RecipeArgument::parameter_bytes() const {
  if (asked.kind == ArgumentKind::buffer) return sizeof(void*);
  const std::int64_t elements = asked.kind == ArgumentKind::array ? capacity : 1;
  return elements * static_cast<std::int64_t>(size_of(asked.type));
}

std::vector<KernelArgument> asked_arguments(const Recipe& recipe) {
  std::vector<KernelArgument> arguments;
  for (const RecipeArgument& argument : recipe.arguments)
    if (argument.value.empty()) arguments.push_back(argument.asked);
  return arguments;
}

std::string name_of_value_input(const Recipe& recipe) {
  for (const RecipeArgument& argument : recipe.arguments)
    if (argument.asked.by_value) return argument.asked.name;
  return {};
}

Recipe plan_recipe(const ChosenKernel& chosen, const Answer& answer, const Device& device) {
  Recipe recipe;
  recipe.answer = answer;
  recipe.label = label_of(chosen, answer.problem);
  recipe.device = device;
  const Implementation& implementation = *chosen.implementation;
  require_kernel(implementation, "cannot be launched from here; ask for the answer alone");
  if (const std::string why = why_not_on(implementation, device); !why.empty())
    throw MachineError(why);
  recipe.architecture = architecture_for(implementation, architecture_of(device)).value();
  const Scope scope = full_scope(answer.problem, answer.configuration, device);
  for (const PlannedBuffer& buffer : plan_buffers(*chosen.operation, scope))
    recipe.arguments.push_back(recipe_argument(buffer));
  if (recipe.arguments.size() > kMostCallArguments)
    throw bad_input("{} has {} arguments; at most {} can be launched with", chosen.operation->name,
                    recipe.arguments.size(), kMostCallArguments);
  recipe.launches = plan_launches(*chosen.operation, implementation, scope);
  mark_by_value(recipe);
  if (const auto prepared = prepared_input(*chosen.operation, scope))
    recipe.arguments.at(static_cast<std::size_t>(*prepared)).asked.prepared = true;
  return recipe;
}

bool reads_memory(const ChosenKernel& chosen, const Problem& problem,
                  const Configuration& configuration, const Device& device) {
  Answer answer;
  answer.problem = problem;
  answer.configuration = configuration;
  return name_of_value_input(plan_recipe(chosen, answer, device)).empty();
}

std::optional<Configuration> reading_memory(const ChosenKernel& chosen, const Problem& problem,
                                            const Configuration& configuration,
                                            const Device& device) {
  if (reads_memory(chosen, problem, configuration, device)) return configuration;
  for (const Parameter& parameter : chosen.implementation->parameters)
    for (const Value& value : parameter.values) {
      Configuration other = configuration;
      set(other, parameter, value);
      if (fits(*chosen.implementation, other, problem, device) &&
          reads_memory(chosen, problem, other, device))
        return other;
    }
  return std::nullopt;
}

CompileRequest compile_request(const ChosenKernel& chosen, const Recipe& recipe) {
  const Implementation& implementation = *chosen.implementation;
  const Problem& problem = recipe.answer.problem;
  const Configuration& configuration = recipe.answer.configuration;
  const Scope scope = full_scope(problem, configuration, recipe.device);
  const KernelSource source = read_source(implementation);
  return make_compile_request(source, implementation, *chosen.operation, problem, configuration,
                              scope, recipe.architecture);
}

std::optional<std::string> build_key(const ChosenKernel& chosen, const Problem& problem,
                                     const Configuration& configuration, const Device& device) {
  const Implementation& implementation = *chosen.implementation;
  const auto architecture = architecture_for(implementation, architecture_of(device));
  if (!architecture) return std::nullopt;
  const CompileRequest request =
      make_compile_request({}, implementation, *chosen.operation, problem, configuration,
                           full_scope(problem, configuration, device), *architecture);
  std::string all = fmt::format("{} {} {}", implementation.full_name(), implementation.epoch,
                                request.architecture);
  const auto add = [&all](const CompileRequest& unit) {
    for (const std::string& option : unit.options) all += '\n' + option;
    for (const std::string& entry : unit.entries) all += '\n' + entry;
    for (const std::string& constant : unit.constants) all += "\n&" + constant;
  };
  if (!request.unit.empty()) all += "\nunit " + request.unit;
  add(request);
  for (const CompileRequest& unit : request.units) {
    all += "\nunit " + unit.unit;
    add(unit);
  }
  const Scope scope = scope_over({&problem.values});
  for (const Hook& hook : chosen.operation->hooks) {
    if (!hook.snippet) continue;
    all += '\n' + hook.name + ' ' + hook.snippet->label();
    const ElementType real = type_of(hook.type, scope);  // keys of float stay those of before
    if (real != ElementType::float32) all += ' ' + to_text(real);
  }
  return hex_hash(all);
}

std::set<std::string> defaulted_names(const Operation& operation, const Problem& problem,
                                      const Device& device) {
  std::set<std::string> names;
  for (const auto& [name, value] : problem.values) {
    if (std::ranges::count(operation.hooks, name, &Hook::name) > 0) {
      if (value == Value(kNoSnippet)) names.insert(name);
      continue;
    }
    Settings others = problem.values;
    others.erase(name);
    try {
      if (make_problem(operation, others, device) == problem) names.insert(name);
    } catch (const InputError&) {  // its default does not fit the other values
    }
  }
  return names;
}

Settings omitted_values(const Operation& operation, const Problem& problem) {
  Settings omitted;
  for (const Choice& choice : operation.choices)
    if (!choice.absent.empty() && !problem.values.contains(choice.name))
      omitted.emplace(choice.name, choice.absent);
  return omitted;
}

std::map<std::string, std::string> snippet_names(const Operation& operation) {
  std::map<std::string, std::string> names;
  for (const Hook& hook : operation.hooks)
    if (hook.snippet) names[hook.snippet->label()] = hook.snippet->name;
  return names;
}

}  // namespace tilewright
