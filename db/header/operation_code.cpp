#include "db/header/operation_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/header/cpp_code.hpp"
#include "definition/architecture.hpp"
#include "definition/general.hpp"
#include "definition/library/hook.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

OperationCode::OperationCode(const HeaderPart& part) : part_(part) {
  std::size_t place = 0;
  for (const Dimension& dimension : operation().dimensions) places_[dimension.name] = place++;
  for (const Choice& choice : operation().choices) places_[choice.name] = place++;
  for (const Hook& hook : operation().hooks) places_[hook.name] = place++;
  for (const Hook& hook : operation().hooks) add_snippets(hook);
}

// Skips snippets that do not fit this operation, because they belong to another one.
void OperationCode::add_snippets(const Hook& hook) {
  for (const Snippet& snippet : part_.snippets) {
    if (snippet.hook != hook.name) continue;
    try {
      known_.push_back(
          {hook.name, snippet.name, snippet.label(), with_snippet(part_.family, snippet)});
    } catch (const InputError&) {
      continue;
    }
  }
}

const Family* OperationCode::family_for(const Problem& problem) const {
  const Family* found = &part_.family;
  for (const Hook& hook : operation().hooks) {
    const auto value = problem.values.find(hook.name);
    if (value == problem.values.end()) return nullptr;
    if (value->second == Value{kNoSnippet}) continue;
    const auto known = std::ranges::find_if(known_, [&](const Known& one) {
      return one.hook == hook.name && value->second == Value{one.label};
    });
    if (known == known_.end() || found != &part_.family) return nullptr;
    found = &known->family;
  }
  return found;
}

std::vector<std::int64_t> OperationCode::values_of(const Problem& problem) {
  Settings whole = problem.values;
  for (const Choice& choice : operation().choices)
    if (const auto value = find_value(problem, choice)) whole.emplace(choice.name, *value);
  if (whole.size() != places_.size()) return {};
  std::vector<std::int64_t> values(places_.size());
  for (const auto& [name, place] : places_) {
    const auto value = whole.find(name);
    if (value == whole.end()) return {};
    values[place] = labels_.number_for(value->second);
  }
  return values;
}

std::string OperationCode::value_code(const std::string& name) const {
  return fmt::format("q[{}]", places_.at(name));
}

std::string OperationCode::device_code(const std::string& name) {
  const std::string property = name.substr(std::string("device.").size());
  if (property == "kind")
    return fmt::format("(d.is_host ? {} : {})",
                       number_literal(labels_.number_of(std::string(to_text(DeviceKind::host)))),
                       number_literal(labels_.number_of(std::string(to_text(DeviceKind::cuda)))));
  if (property == "compute_capability") return "static_cast<long long>(d.compute_capability)";
  return "d." + property;
}

NameCode OperationCode::names(const Implementation* implementation) {
  return [this, implementation](const std::string& name) -> std::string {
    if (places_.contains(name)) return value_code(name);
    if (name.starts_with("device.")) return device_code(name);
    if (implementation != nullptr)
      for (std::size_t i = 0; i < implementation->parameters.size(); ++i)
        if (implementation->parameters[i].name == name) return fmt::format("p[{}]", i);
    return "e.fail()";
  };
}

std::string OperationCode::code(const Expression& expression,
                                const Implementation* implementation) {
  return expression_code(expression.root(), names(implementation), labels_);
}

std::string OperationCode::choice_text(const std::string& name,
                                       const std::vector<Enumerator>& known) {
  std::string text = fmt::format("enum class {}_choice : long long {{", name);
  for (const auto& [shown, label] : known)
    text += fmt::format("\n  {} = {},{}", cpp_name(shown), number_literal(labels_.number_of(label)),
                        shown == label ? "" : "  " + cpp_comment(label));
  return text + "\n};\n";
}

std::string OperationCode::problem_text() {
  std::string choices;
  std::string members;
  for (const Dimension& dimension : operation().dimensions)
    members += fmt::format("  long long {} = unset;{}\n", cpp_name(dimension.name),
                           dimension.about.empty() ? "" : "  " + cpp_comment(dimension.about));
  const auto add = [&](const std::string& name, const std::vector<Enumerator>& known,
                       const std::string& usual) {
    choices += choice_text(name, known);
    members += fmt::format("  {}_choice {} = {};\n", name, cpp_name(name), usual);
  };
  const auto enumerator = [](const std::string& name, const std::string& label) {
    return fmt::format("{}_choice::{}", name, cpp_name(label));
  };
  for (const Choice& choice : operation().choices) {
    std::vector<Enumerator> known;
    for (const std::string& label : choice.labels) known.push_back({label, label});
    add(choice.name, known,
        choice.computed_default ? fmt::format("static_cast<{}_choice>(unset)", choice.name)
                                : enumerator(choice.name, choice.default_label));
  }
  for (const Hook& hook : operation().hooks) {
    std::vector<Enumerator> known = {{kNoSnippet, kNoSnippet}};
    for (const Known& one : known_)
      if (one.hook == hook.name) known.push_back({one.name, one.label});
    add(hook.name, known, enumerator(hook.name, kNoSnippet));
  }
  return fmt::format("namespace {} {{\n\n{}\n{}\nstruct Problem {{\n{}}};\n\n}}\n",
                     cpp_name(operation().name), choices, cpp_comment(operation().about), members);
}

std::string OperationCode::default_text(const Dimension& dimension) {
  std::string usual = number_literal(dimension.default_value);
  if (dimension.computed_default) {
    usual = code(*dimension.computed_default);
  } else if (dimension.host_default != dimension.default_value) {
    usual = fmt::format("(d.is_host ? {} : {})", number_literal(dimension.host_default), usual);
  }
  return fmt::format("    {0} = problem.{1} == unset ? {2} : problem.{1};\n",
                     value_code(dimension.name), cpp_name(dimension.name), usual);
}

std::string OperationCode::minimum_text(const Dimension& dimension) {
  const std::string value = value_code(dimension.name);
  std::string text =
      fmt::format("    if ({0} < {1} || {0} > {2}) return false;\n", value,
                  number_literal(dimension.minimum), number_literal(dimension.maximum));
  if (dimension.computed_minimum)
    text += fmt::format("    if ({} < {} || !e.ok) return false;\n", value,
                        code(*dimension.computed_minimum));
  return text;
}

std::string OperationCode::count_text(const Argument& argument) {
  if (argument.kind == ArgumentKind::scalar) return "";
  const bool is_buffer = argument.kind == ArgumentKind::buffer;
  const bool is_always = argument.when.text() == Expression{1}.text();
  return fmt::format(
      "    count = {};\n    if (!e.ok || count < 0 || count > {}) return false;\n",
      is_always ? code(argument.count)
                : fmt::format("{} != 0 ? {} : 0LL", code(argument.when), code(argument.count)),
      number_literal(is_buffer ? kMostBufferElements : argument.capacity));
}

std::string OperationCode::complete_text() {
  std::string text = fmt::format(
      "  static constexpr bool complete(const {}::Problem& problem, const Device& d,\n"
      "                                 long long* q) {{\n"
      "    Arithmetic e;\n    (void)d;\n    long long count = 0;\n    (void)count;\n",
      cpp_name(operation().name));
  const auto add = [&](const std::string& name) {
    text += fmt::format("    {} = static_cast<long long>(problem.{});\n", value_code(name),
                        cpp_name(name));
  };
  for (const Choice& choice : operation().choices) {
    add(choice.name);
    if (choice.computed_default)
      text += fmt::format("    if ({0} == unset) {0} = {1};\n", value_code(choice.name),
                          code(*choice.computed_default));
  }
  for (const Hook& hook : operation().hooks) add(hook.name);
  for (const Dimension& dimension : operation().dimensions) text += default_text(dimension);
  text += "    if (!e.ok) return false;\n";
  for (const Dimension& dimension : operation().dimensions) text += minimum_text(dimension);
  for (const Argument& argument : operation().arguments) text += count_text(argument);
  for (const Known& known : known_) {
    const auto& arguments = known.family.operation.arguments;
    text += fmt::format("    if ({} == {}) {{\n", value_code(known.hook),
                        number_literal(labels_.number_of(known.label)));
    for (std::size_t i = operation().arguments.size(); i < arguments.size(); ++i)
      text += count_text(arguments[i]);
    text += "    }\n";
  }
  return text + "    return true;\n  }\n";
}

std::string OperationCode::classes_text() {
  std::string text =
      "  static bool classes(const long long* q, const Device& d, long long* out) {\n"
      "    Arithmetic e;\n    (void)q;\n    (void)d;\n    (void)out;\n";
  std::size_t at = 0;
  for (const Dimension& dimension : operation().dimensions)
    if (dimension.role == ProblemRole::same)
      text += fmt::format("    out[{}] = {};\n", at++, value_code(dimension.name));
  for (const Choice& choice : operation().choices)
    if (choice.role == ProblemRole::same)
      text += fmt::format("    out[{}] = {};\n", at++, value_code(choice.name));
  for (const Expression& expression : operation().classes)
    text += fmt::format("    out[{}] = {};  {}\n", at++, code(expression),
                        cpp_comment(expression.text()));
  return text + "    return e.ok;\n  }\n";
}

// Of a member about a configuration of the implementation.
std::string OperationCode::member_begin(const Member& member, std::size_t implementation) {
  return fmt::format(
      "  static {} {}_{}({} p, const long long* q, const Device& d) {{\n"
      "    Arithmetic e;\n    (void)p;\n    (void)q;\n    (void)d;\n    (void)e;\n",
      member.type, member.name, implementation, member.values);
}

// As architecture_for().
std::string OperationCode::architecture_text(const std::string& required) {
  if (required.empty()) return "";
  const bool is_exact = std::isalpha(static_cast<unsigned char>(required.back())) != 0;
  return fmt::format("    if (!d.is_host && d.compute_capability {} {}) return false;  {}\n",
                     is_exact ? "!=" : "<", capability_of(required), cpp_comment(required));
}

// As fits() of the ladder. A snippet's constraints hold for problems without a snippet too, so all
// are joined.
std::string OperationCode::fits_text(std::size_t implementation) {
  const Implementation& one = part_.family.implementations[implementation];
  std::vector<Constraint> constraints = one.constraints;
  std::set<std::string> hooks;
  for (const Known& known : known_) {
    if (!hooks.insert(known.hook).second) continue;
    const auto& all = known.family.implementations[implementation].constraints;
    constraints.insert(constraints.end(),
                       all.begin() + static_cast<std::ptrdiff_t>(one.constraints.size()),
                       all.end());
  }
  std::string text =
      fmt::format("  {}\n{}{}", cpp_comment(one.full_name()), member_begin(kFits, implementation),
                  architecture_text(one.requires_architecture));
  for (const Constraint& constraint : constraints)
    text += fmt::format("    {}\n    if ({} == 0 || !e.ok) return false;\n",
                        cpp_comment(constraint.why), code(constraint.require, &one));
  const Expression& shared = one.estimate.shared_bytes;
  if (shared.text() != Expression{0}.text())
    text += fmt::format(
        "    const long long shared_bytes = {};\n"
        "    const long long most = d.shared_bytes_per_block;\n"
        "    if (!e.ok || (most > 0 && shared_bytes > most)) return false;\n",
        code(shared, &one));
  return text + "    return true;\n  }\n";
}

std::string OperationCode::settle_text(std::size_t implementation) {
  const Implementation& one = part_.family.implementations[implementation];
  std::string text = member_begin(kSettle, implementation);
  for (std::size_t i = 0; i < one.parameters.size(); ++i) {
    const Parameter& parameter = one.parameters[i];
    const auto settled = settled_value(parameter);
    if (!settled) continue;
    text += fmt::format("    p[{}] = {};\n", i, code(*settled, &one));
    if (!parameter.follows) continue;
    std::vector<std::string> known;
    for (const Value& value : parameter.values)
      known.push_back(fmt::format("p[{}] == {}", i, number_literal(labels_.number_for(value))));
    text += fmt::format("    if (!({})) return false;\n", fmt::join(known, " || "));
  }
  return text + "    return e.ok;\n  }\n";
}

std::string OperationCode::cycles_text(std::size_t implementation) {
  const Implementation& one = part_.family.implementations[implementation];
  std::string text = member_begin(kCycles, implementation);
  if (!one.cost) return text + "    return no_cost;\n  }\n";
  std::vector<std::string> values;
  for (const CostFormula& formula : kCostFormulas)
    values.push_back(code(*one.cost.*formula.member, &one));
  return text + fmt::format("    const Cost cost{{{}}};\n", fmt::join(values, ", ")) +
         "    return e.ok ? cycles_of(cost) : no_cost;\n  }\n";
}

std::string OperationCode::functions_text() {
  std::string text = complete_text() + classes_text();
  for (std::size_t i = 0; i < part_.family.implementations.size(); ++i)
    text += fits_text(i) + settle_text(i) + cycles_text(i);
  for (const Member& member : {kFits, kSettle, kCycles}) {
    std::string cases;
    for (std::size_t i = 0; i < part_.family.implementations.size(); ++i)
      cases += fmt::format("      case {0}:\n        return {1}_{0}(p, q, d);\n", i, member.name);
    text += fmt::format(
        "  static {} {}(int implementation, {} p, const long long* q,\n"
        "      const Device& d) {{\n    switch (implementation) {{\n{}      default:\n        "
        "return {};\n    }}\n  }}\n",
        member.type, member.name, member.values, cases, member.otherwise);
  }
  return text;
}

}  // namespace tilewright
