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

std::vector<Configuration> worth_trying_first(const Implementation& implementation) {
  std::vector<Configuration> configurations = {default_configuration(implementation)};
  for (const Settings& seed : implementation.seeds) {
    Configuration& configuration = configurations.emplace_back(configurations.front());
    for (const auto& [name, value] : seed) configuration.values[name] = value;
  }
  return configurations;
}

std::string hook_argument(const Hook& hook, const Argument& argument) {
  return hook.name + '_' + argument.name;
}

}  // namespace tilewright
