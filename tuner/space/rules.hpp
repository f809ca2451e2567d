#pragma once

#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tuner/space/bindings.hpp"

namespace tilewright {

// One condition on combinations, its names resolved.
struct Rule {
  std::string name;  // as Cut::rule
  std::string what;  // for messages: "constraint 'A < B'"
  Expression condition{1};
  std::optional<std::size_t> inactive;  // this parameter's default is always accepted
  std::size_t depth = 0;  // of the last parameter that it mentions; 0: it mentions none
  std::vector<std::pair<std::string, const Value*>> values;  // that the condition mentions
};

// The rules in the order in which they count (see Cut): by depth, then `active` conditions,
// constraints, `where`. Throws InputError for an unknown name.
std::vector<Rule> make_rules(const Implementation& implementation,
                             const std::optional<Expression>& where, const Bindings& bindings);

// Throws ExpressionError.
bool accepts(const Rule& rule, const Implementation& implementation, const Bindings& bindings);

// The values that the rule rejects: "A=2 B=0".
std::string rejected_values(const Rule& rule, const Implementation& implementation,
                            const Bindings& bindings);

// The same with the rule's condition.
std::string describe_broken(const Rule& rule, const Implementation& implementation,
                            const Bindings& bindings);

}  // namespace tilewright
