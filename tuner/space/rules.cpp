#include "tuner/space/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

void resolve(Rule& rule, const std::string& implementation, const Bindings& bindings) {
  const std::set<std::string> needed = rule.condition.needed_names();
  for (const std::string& name : rule.condition.names()) {
    const Value* const address = bindings.find(name);
    if (address == nullptr && needed.contains(name))
      throw bad_input("{}: {}: unknown name '{}'{}", implementation, rule.what, name,
                      suggestion(name, bindings.names()));
    if (address == nullptr) continue;
    rule.values.emplace_back(name, address);
    rule.depth = std::max(rule.depth, bindings.depth_of(name));
  }
  if (rule.inactive) rule.depth = std::max(rule.depth, *rule.inactive + 1);
}

}  // namespace

std::vector<Rule> make_rules(const Implementation& implementation,
                             const std::optional<Expression>& where, const Bindings& bindings) {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < implementation.parameters.size(); ++i) {
    const Parameter& parameter = implementation.parameters[i];
    if (!parameter.active) continue;
    const std::string what =
        fmt::format("active = '{}' of parameter {}", parameter.active->text(), parameter.name);
    rules.push_back({"inactive", what, *parameter.active, i, 0, {}});
  }
  for (const Constraint& constraint : implementation.constraints) {
    const std::string& text = constraint.require.text();
    rules.push_back({constraint.why.empty() ? text : constraint.why,
                     fmt::format("constraint '{}'", text),
                     constraint.require,
                     {},
                     0,
                     {}});
  }
  if (where)
    rules.push_back({"--where", fmt::format("--where '{}'", where->text()), *where, {}, 0, {}});
  for (Rule& rule : rules) resolve(rule, implementation.full_name(), bindings);
  std::ranges::stable_sort(rules, {}, &Rule::depth);
  return rules;
}

bool accepts(const Rule& rule, const Implementation& implementation, const Bindings& bindings) {
  if (rule.inactive) {
    const std::size_t parameter = *rule.inactive;
    if (bindings.bound(parameter) == implementation.parameters[parameter].default_value)
      return true;
  }
  return rule.condition.is_true([&rule](std::string_view name) -> std::optional<Value> {
    for (const auto& [known, address] : rule.values)
      if (known == name) return *address;
    return std::nullopt;
  });
}

std::string rejected_values(const Rule& rule, const Implementation& implementation,
                            const Bindings& bindings) {
  std::string text;
  if (rule.inactive)
    text = fmt::format("{}={}", implementation.parameters[*rule.inactive].name,
                       to_text(bindings.bound(*rule.inactive)));
  for (const auto& [name, address] : rule.values)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(*address));
  return text;
}

std::string describe_broken(const Rule& rule, const Implementation& implementation,
                            const Bindings& bindings) {
  const std::string text = rejected_values(rule, implementation, bindings);
  return fmt::format("{}{}breaks {}", text, text.empty() ? "" : " ", rule.what);
}

}  // namespace tilewright
