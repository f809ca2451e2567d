#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tools/show/subject.hpp"
#include "tuner/space/rules.hpp"

namespace tilewright::tools {
namespace {

const Parameter& parameter_named(const Implementation& implementation, const std::string& name) {
  std::vector<std::string> known;
  for (const Parameter& parameter : implementation.parameters) {
    if (parameter.name == name) return parameter;
    known.push_back(parameter.name);
  }
  throw InputError(fmt::format("--config: {} has no parameter '{}'{}", implementation.full_name(),
                               name, suggestion(name, known)));
}

std::string list_of(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + to_text(value);
  return text;
}

const Value& value_of(const Parameter& parameter, const std::string& text) {
  const auto found =
      std::ranges::find(parameter.values, text, [](const Value& value) { return to_text(value); });
  if (found == parameter.values.end())
    throw InputError(fmt::format("--config: {} = '{}' is none of its values: {}", parameter.name,
                                 text, list_of(parameter.values)));
  return *found;
}

// Throws InputError unless the configuration has a listed value for each parameter and no other.
void check_values(const std::string& what, const Implementation& implementation,
                  const Configuration& configuration) {
  for (const Parameter& parameter : implementation.parameters) {
    const auto value = configuration.values.find(parameter.name);
    if (value == configuration.values.end())
      throw InputError(fmt::format("{} has no value of {}, a parameter of {} now", what,
                                   parameter.name, implementation.full_name()));
    if (std::ranges::find(parameter.values, value->second) == parameter.values.end())
      throw InputError(fmt::format("{} has {}={}, which is none of its values now: {}", what,
                                   parameter.name, to_text(value->second),
                                   list_of(parameter.values)));
  }
  if (configuration.values.size() > implementation.parameters.size())
    throw InputError(
        fmt::format("{} has a parameter that {} does not have", what, implementation.full_name()));
}

}  // namespace

Configuration read_configuration(const std::string& text, const Implementation& implementation) {
  Configuration configuration = default_configuration(implementation);
  std::set<std::string> given;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--config: '{}' is not NAME=VALUE", word));
    const std::string name = word.substr(0, equals);
    const Parameter& parameter = parameter_named(implementation, name);
    if (!given.insert(name).second)
      throw InputError(fmt::format("--config: {} is given twice", name));
    configuration.values[name] = value_of(parameter, word.substr(equals + 1));
  }
  return configuration;
}

void check_configuration(const std::string& what, const Implementation& implementation,
                         const Configuration& configuration, const Problem& problem,
                         const Device& device) {
  check_values(what, implementation, configuration);
  Bindings bindings(implementation, problem, device);
  for (std::size_t i = 0; i < implementation.parameters.size(); ++i)
    bindings.bind(i, configuration.values.at(implementation.parameters[i].name));
  for (const Rule& rule : make_rules(implementation, {}, bindings)) {
    bool is_accepted = false;
    try {
      is_accepted = accepts(rule, implementation, bindings);
    } catch (const ExpressionError& error) {
      throw InputError(fmt::format("{}: {}: {}", what, rule.what, error.what()));
    }
    if (is_accepted) continue;
    const std::string why = rule.inactive ? "an inactive parameter has its default" : rule.name;
    throw InputError(
        fmt::format("{}: {}: {}", what, describe_broken(rule, implementation, bindings), why));
  }
}

}  // namespace tilewright::tools
