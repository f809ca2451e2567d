#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/scanner.hpp"
#include "definition/text/suggest.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/hook_header.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostRegistersPerThread = 255;

// A negative number is in parentheses, because `- -3` must not become `--3`.
std::string number_text(std::int64_t number) {
  return number < 0 ? fmt::format("({})", number) : std::to_string(number);
}

[[noreturn]] void fail_missing(const char* what, const std::string& name) {
  throw bad_input("the {} has no '{}'", what, name);
}

class Macros {
 public:
  void number(const std::string& name, std::int64_t value) { values_[name] = number_text(value); }

  // Defines NAME_LABEL as the label's index, for every label.
  void labels(const std::string& name, const std::vector<std::string>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      number(label_macro(name, labels[i]), static_cast<std::int64_t>(i));
  }

  // Those of its choices. The code is the same whoever prepares an input.
  void labels(const Operation& operation) {
    const Choice* const preparation = preparation_of(operation);
    for (const Choice& choice : operation.choices)
      if (&choice != preparation) labels(choice.name, choice.labels);
  }

  void value(const std::string& name, const Value& value, const std::vector<std::string>& labels) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return number(name, *integer);
    const auto found = std::find(labels.begin(), labels.end(), std::get<std::string>(value));
    if (found == labels.end()) throw bad_input("{} has no value '{}'", name, to_text(value));
    number(name, found - labels.begin());
  }

  // PROBLEM_NAME, and the type's own macro for a choice that holds types.
  void problem_value(const Operation& operation, const Problem& problem, const std::string& name) {
    const auto found = find_value(operation, problem, name);
    if (!found) fail_missing("problem", name);
    const Choice* const choice = find_named(operation.choices, name);
    value(problem_macro(name), *found,
          choice == nullptr ? std::vector<std::string>() : choice->labels);
    if (choice != nullptr && holds_types(*choice))
      values_[type_macro(name)] = facts_of(type_named(to_text(*found)).value()).cuda;
  }

  std::vector<std::string> options() const {
    std::vector<std::string> options;
    for (const auto& [name, value] : values_)
      options.push_back(fmt::format("-D{}={}", name, value));
    return options;
  }

 private:
  std::map<std::string, std::string> values_;
};

// A look-up asks this for each kernel that it considers, so the text of an error is put together
// only if there is one. Throws InputError that begins with `what` and the name.
bool holds(const Expression& condition, const Scope& scope, const char* what,
           const std::string& name) try {
  return condition.is_true(scope);
} catch (const ExpressionError&) {
  return evaluate(condition, scope, fmt::format("{} '{}'", what, name)) != 0;
}

bool is_compiled_in(const CompiledIn& item, const Scope& scope) {
  return holds(item.when, scope, "when of compiled_in", item.name);
}

// Whether a launch can take part in a call of this code. It can if `when` holds for this problem.
// It also can if `when` depends on a name that is not compiled in, because other problems are
// verified with the same code.
bool may_be_launched(const Launch& launch, const Implementation& implementation,
                     const Operation& operation, const Problem& problem, const Scope& scope) {
  if (holds(launch.when, scope, "when of launch", launch.entry)) return true;
  std::set<std::string> fixed;
  for (const CompiledIn& item : implementation.compiled_in)
    if (is_compiled_in(item, scope)) fixed.insert(item.name);
  const std::set<std::string> names = launch.when.names();
  return std::ranges::any_of(names, [&](const std::string& name) {
    const bool is_of_problem =
        problem.values.contains(name) || find_named(operation.choices, name) != nullptr;
    return is_of_problem && !fixed.contains(name);
  });
}

// The options for the compiler's limit, of which 0 is none. Throws InputError for an impossible
// one.
std::vector<std::string> register_options(const Expression& max_registers, const Scope& scope,
                                          const std::string& owner) {
  const std::string what = "max_registers of " + owner;
  const std::int64_t most = evaluate(max_registers, scope, what);
  if (most < 0 || most > kMostRegistersPerThread)
    throw bad_input("{} is {}; it must be 1 to {}, or 0 for no limit", what, most,
                    kMostRegistersPerThread);
  if (most == 0) return {};
  return {fmt::format("--maxrregcount={}", most)};
}

std::string name_of(const SourceUnit& unit, const Implementation& implementation) {
  return fmt::format("the unit '{}' of {}", unit.name, implementation.full_name());
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// The macros of a further unit, beside those of the implementation.
std::vector<std::string> further_macros(const SourceUnit& unit,
                                        const Implementation& implementation, const Scope& scope) {
  const std::string owner = name_of(unit, implementation);
  Macros macros;
  for (const auto& [name, value] : unit.macros)
    macros.number(name, evaluate(value, scope, fmt::format("the macro {} of {}", name, owner)));
  return macros.options();
}

// Those of the launches of one unit; empty name: of the implementation's own.
std::vector<std::string> entries_of(const std::string& unit, const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Scope& scope) {
  std::vector<std::string> entries;
  for (const Launch& launch : implementation.launches) {
    if (launch.unit != unit) continue;
    if (!is_among(launch.entry, entries) &&
        may_be_launched(launch, implementation, operation, problem, scope))
      entries.push_back(launch.entry);
  }
  for (std::string& entry : entries) entry = entry_of(entry, operation, scope);
  return entries;
}

// The variables of one unit that launches fill.
std::vector<std::string> constants_of(const std::string& unit, const Implementation& implementation,
                                      const Operation& operation, const Scope& scope) {
  std::vector<std::string> constants;
  for (const ConstantSymbol& constant : implementation.constants) {
    const Argument* const from = find_named(operation.arguments, constant.from);
    if (is_of_unit(constant, unit) && from != nullptr && is_present(*from, scope) &&
        holds(constant.when, scope, "when of constant", constant.symbol))
      constants.push_back(constant.symbol);
  }
  return constants;
}

// One request for the units. Throws InputError if two of them have an entry.
CompileRequest in_one(std::vector<CompileRequest> units, const Implementation& implementation) {
  std::map<std::string, const CompileRequest*> owners;
  for (const CompileRequest& unit : units)
    for (const std::string& entry : unit.entries)
      if (owners.emplace(entry_key(entry, unit.unit), &unit).first->second != &unit)
        throw bad_input("{}: two units have the entry '{}'", implementation.full_name(), entry);
  CompileRequest request = std::move(units.front());
  request.units.assign(std::make_move_iterator(units.begin() + 1),
                       std::make_move_iterator(units.end()));
  return request;
}

// Comments count too, because a folder too many does no harm.
bool may_include_others(std::string_view text) {
  constexpr std::string_view kInclude = "include";
  for (std::size_t at = text.find(kInclude); at != std::string_view::npos;
       at = text.find(kInclude, at + 1)) {
    const std::size_t before = text.substr(0, at).find_last_not_of(" \t");
    const std::size_t behind = text.find_first_not_of(" \t", at + kInclude.size());
    if (before == std::string_view::npos || behind == std::string_view::npos) continue;
    if (text[before] == '#' && text[behind] != '"') return true;
    if (text.substr(0, at).ends_with("__has_")) return true;
  }
  return false;
}

}  // namespace

bool includes_others(const CompileRequest& request) {
  const auto may = [&](const std::string& text) {
    return may_include_others(text) ||
           std::ranges::any_of(includes_of(text), [&](const IncludeLine& include) {
             return include.is_quoted && !request.headers.contains(include.name);
           });
  };
  return may(request.source) || std::ranges::any_of(request.headers, [&](const auto& header) {
           return may(header.second);
         });
}

std::vector<std::string> macro_options(const Implementation& implementation,
                                       const Operation& operation, const Problem& problem,
                                       const Configuration& configuration, const Scope& scope) {
  Macros macros;
  macros.labels(operation);
  for (const Parameter& parameter : implementation.parameters) {
    const std::vector<std::string> labels = labels_of(parameter);
    macros.labels(parameter.name, labels);
    if (!holds(parameter.compiled_in, scope, "compiled_in of parameter", parameter.name)) continue;
    const Value* const value = find_value(configuration, parameter);
    if (value == nullptr) fail_missing("configuration", parameter.name);
    macros.value(parameter.name, *value, labels);
  }
  for (const CompiledIn& item : implementation.compiled_in) {
    if (!is_compiled_in(item, scope)) continue;
    if (item.term)
      macros.number(macro_of(item),
                    evaluate(*item.term, scope, fmt::format("the term '{}'", item.name)));
    else
      macros.problem_value(operation, problem, item.name);
  }
  return macros.options();
}

std::vector<UnitMacros> unit_macros(const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Scope& scope) {
  std::vector<UnitMacros> units;
  const auto add = [&](const std::string& name, std::vector<std::string> macros) {
    std::vector<std::string> entries = entries_of(name, implementation, operation, problem, scope);
    if (!entries.empty()) units.push_back({name, std::move(entries), std::move(macros)});
  };
  add("", {});
  for (const SourceUnit& unit : implementation.units)
    add(unit.name, further_macros(unit, implementation, scope));
  return units;
}

bool have_same_macros(const std::vector<UnitMacros>& units) {
  return std::ranges::all_of(
      units, [&](const UnitMacros& unit) { return unit.macros == units.front().macros; });
}

std::optional<std::vector<std::string>> macros_of_launches(const Implementation& implementation,
                                                           const Operation& operation,
                                                           const Problem& problem,
                                                           const Configuration& configuration,
                                                           const Scope& scope) {
  const std::vector<UnitMacros> units = unit_macros(implementation, operation, problem, scope);
  if (!have_same_macros(units)) return std::nullopt;
  std::vector<std::string> all =
      macro_options(implementation, operation, problem, configuration, scope);
  if (!units.empty()) append(all, units.front().macros);
  return all;
}

std::vector<std::string> reference_options(const Operation& operation, const Reference& reference,
                                           const Problem& problem) {
  Macros macros;
  macros.labels(operation);
  for (const Choice& choice : operation.choices)
    if (names_types(choice)) macros.problem_value(operation, problem, choice.name);
  for (const std::string& name : reference.compiled_in)
    macros.problem_value(operation, problem, name);
  std::vector<std::string> options = macros.options();
  append(options, reference.options);
  return options;
}

std::vector<std::string> folder_options(const KernelSource& source) {
  std::vector<std::string> options;
  for (const std::filesystem::path& folder : source.folders)
    options.push_back("--include-path=" + folder.string());
  // So that code in caches is that of these headers.
  if (!options.empty()) options.push_back("-DTILEWRIGHT_HEADERS_" + source.folder_hash);
  return options;
}

CompileRequest make_compile_request(const KernelSource& source,
                                    const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Configuration& configuration, const Scope& scope,
                                    const std::string& architecture) {
  if (implementation.is_routine()) {
    CompileRequest none;
    none.source_name = implementation.routine;
    none.architecture = architecture;
    none.compiler = kNoCompiler;
    return none;
  }
  std::vector<std::string> options =
      macro_options(implementation, operation, problem, configuration, scope);
  append(options, implementation.options);
  const auto add_unit = [&](std::vector<CompileRequest>& units, const KernelSource& its_source,
                            const std::string& name, std::vector<std::string> entries) {
    CompileRequest& request = units.emplace_back();
    request.source = its_source.text;
    request.source_name = its_source.name;
    request.headers = with_snippets(its_source.headers, operation, [&](const Hook& hook) {
      return std::string(facts_of(type_of(hook.type, scope)).cuda);
    });
    request.options = options;
    for (const std::string& unused : unused_parameters(its_source, implementation, operation))
      std::erase_if(request.options, [define = "-D" + unused + '='](const std::string& option) {
        return option.starts_with(define);
      });
    append(request.options, folder_options(its_source));
    request.architecture = architecture;
    request.entries = std::move(entries);
    request.constants = constants_of(name, implementation, operation, scope);
    request.unit = name;
    if (implementation.compiler == DeviceCompiler::nvcc) request.compiler = "nvcc";
  };
  std::vector<CompileRequest> units;
  const auto entries = [&](const std::string& unit) {
    return entries_of(unit, implementation, operation, problem, scope);
  };
  const auto add_registers = [&](const Expression& most, const std::string& owner) {
    append(units.back().options, register_options(most, scope, owner));
  };
  if (auto own = entries(""); !own.empty() || implementation.units.empty()) {
    add_unit(units, source, "", std::move(own));
    add_registers(implementation.max_registers, implementation.full_name());
  }
  for (std::size_t i = 0; i < implementation.units.size(); ++i) {
    const SourceUnit& unit = implementation.units[i];
    std::vector<std::string> its_entries = entries(unit.name);
    if (its_entries.empty()) continue;
    const KernelSource& its_source = i < source.units.size() ? source.units[i] : source;
    add_unit(units, its_source, unit.name, std::move(its_entries));
    append(units.back().options, further_macros(unit, implementation, scope));
    if (unit.max_registers)
      add_registers(*unit.max_registers, name_of(unit, implementation));
    else
      add_registers(implementation.max_registers, implementation.full_name());
  }
  if (units.empty()) add_unit(units, source, "", {});  // nothing is launched
  return in_one(std::move(units), implementation);
}

}  // namespace tilewright
