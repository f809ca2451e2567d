// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tilewright/error.hpp"
#include "tools/paths.hpp"
#include "tuner/definition/hook.hpp"
#include "tuner/definition/suggest.hpp"
#include "tuner/measure/sampling.hpp"

namespace tilewright::tools {
namespace {

// Gives the family the snippets that HOOK=VALUE names, and these assignments their labels.
void attach_snippets(Family& family, Target& target) {
  Settings values;
  const auto hook_of = [&](const std::string& assignment) {
    const std::string name = assignment.substr(0, assignment.find('='));
    const auto& hooks = family.operation.hooks;
    const bool is_hook = std::ranges::find(hooks, name, &Hook::name) != hooks.end();
    return is_hook && name.size() + 1 < assignment.size() ? name : std::string();
  };
  for (const std::string& assignment : target.assignments)
    if (const std::string hook = hook_of(assignment); !hook.empty())
      values[hook] = assignment.substr(hook.size() + 1);
  family = with_snippets(std::move(family), values, target.snippets);
  for (std::string& assignment : target.assignments)
    if (const std::string hook = hook_of(assignment); !hook.empty())
      assignment = hook + '=' + to_text(values.at(hook));
}

void choose_all(Target& target) {
  for (const Implementation& implementation : target.family->implementations)
    target.implementations.push_back(&implementation);
  if (target.implementations.empty())
    throw InputError(fmt::format("operation '{}' has no implementation", target.operation().name));
}

// Names that an expression over one implementation may use; `device.*` is left to evaluation.
std::vector<std::string> known_names(const Operation& operation,
                                     const Implementation& implementation) {
  std::vector<std::string> names;
  for (const Parameter& parameter : implementation.parameters) names.push_back(parameter.name);
  for (const Dimension& dimension : operation.dimensions) names.push_back(dimension.name);
  for (const Choice& choice : operation.choices) names.push_back(choice.name);
  for (const Hook& hook : operation.hooks) names.push_back(hook.name);
  return names;
}

// A folder of that name does not hide an operation.
void refuse_folder(const std::string& name, const Library& library) {
  const std::size_t slash = name.find('/');
  std::error_code error;
  if (!library.families().contains(name.substr(0, slash)) &&
      std::filesystem::is_directory(name, error))
    throw InputError(
        fmt::format("'{}' is a folder; name an operation, OPERATION/IMPLEMENTATION or FILE.toml "
                    "(--kernels {} adds the definitions in it)",
                    name, name));
  if (slash == 0 || slash == name.size() - 1)
    throw InputError(
        fmt::format("'{}' is not OPERATION/IMPLEMENTATION; `tilewright kernels` lists them", name));
}

}  // namespace

Library load_library(const Arguments& arguments) {
  return Library::load(kernel_folders(arguments));
}

Target read_target(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  if (words.empty())
    throw InputError(
        "name an operation, OPERATION/IMPLEMENTATION or FILE.toml; "
        "`tilewright kernels` lists them");
  Target target;
  target.assignments.assign(words.begin() + 1, words.end());
  const std::string& name = words.front();
  const Library library = load_library(arguments);
  target.snippets = library.snippets();
  const bool is_file = name.ends_with(".toml");
  if (!is_file) refuse_folder(name, library);
  const std::size_t slash = is_file ? std::string::npos : name.find('/');
  Family family = is_file ? load_manifest(name, library) : library.family(name.substr(0, slash));
  attach_snippets(family, target);
  target.family = std::make_shared<const Family>(std::move(family));
  if (slash == std::string::npos) {
    choose_all(target);
  } else {
    target.implementations.push_back(&target.family->implementation(name.substr(slash + 1)));
  }
  return target;
}

Target with_assignments(const Target& target, const std::vector<std::string>& more) {
  Target result = target;
  result.assignments.insert(result.assignments.end(), more.begin(), more.end());
  Family family = *target.family;
  attach_snippets(family, result);
  result.family = std::make_shared<const Family>(std::move(family));
  result.implementations.clear();
  for (const Implementation* implementation : target.implementations)
    result.implementations.push_back(&result.family->implementation(implementation->name));
  return result;
}

std::optional<Expression> read_where(const Arguments& arguments, const Target& target) {
  const auto text = arguments.text("where");
  if (!text) return std::nullopt;
  std::optional<Expression> where;
  try {
    where = Expression::parse(*text);
  } catch (const ExpressionError& error) {
    throw InputError(
        fmt::format("--where '{}', column {}: {}", *text, error.position() + 1, error.what()));
  }
  for (const std::string& name : where->names()) {
    if (name.starts_with("device.")) continue;
    for (const Implementation* implementation : target.implementations) {
      const std::vector<std::string> known = known_names(target.operation(), *implementation);
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InputError(fmt::format("--where uses '{}', which {} does not have{}", name,
                                     implementation->full_name(), suggestion(name, known)));
    }
  }
  return where;
}

ResourceFloor read_floor(const Arguments& arguments) {
  ResourceFloor floor;
  if (const auto occupancy = arguments.fraction("occupancy-floor")) floor.occupancy = *occupancy;
  if (const auto bytes = arguments.bytes("max-spill")) floor.spill_bytes = *bytes;
  return floor;
}

}  // namespace tilewright::tools
