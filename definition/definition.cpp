#include "definition/definition.hpp"

namespace tilewright {
namespace {

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

std::string label_macro(const std::string& name, const std::string& label) {
  return upper(name + '_' + label);
}

std::string problem_macro(const std::string& name) {
  return upper("problem_" + name);
}

Configuration default_configuration(const Implementation& implementation) {
  Configuration configuration;
  for (const Parameter& parameter : implementation.parameters)
    configuration.values[parameter.name] = parameter.default_value;
  return configuration;
}

namespace {

std::vector<Configuration> default_and(const Implementation& implementation,
                                       const std::vector<Settings>& others) {
  std::vector<Configuration> configurations = {default_configuration(implementation)};
  for (const Settings& other : others) {
    Configuration configuration = configurations.front();
    for (const auto& [name, value] : other) configuration.values[name] = value;
    configurations.push_back(std::move(configuration));
  }
  return configurations;
}

}  // namespace

std::vector<Configuration> general_configurations(const Implementation& implementation) {
  return default_and(implementation, implementation.general);
}

std::vector<Configuration> worth_trying_first(const Implementation& implementation) {
  return default_and(implementation, implementation.seeds);
}

std::string hook_argument(const Hook& hook, const Argument& argument) {
  return hook.name + '_' + argument.name;
}

}  // namespace tilewright
