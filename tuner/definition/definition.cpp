// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/definition/definition.hpp"

#include <stdexcept>

namespace tilewright {

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

std::string to_text(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return "float32";
    case ElementType::float64:
      return "float64";
    case ElementType::int32:
      return "int32";
    case ElementType::uint32:
      return "uint32";
    case ElementType::int64:
      return "int64";
    case ElementType::uint64:
      return "uint64";
    case ElementType::uint8:
      return "uint8";
  }
  throw std::invalid_argument("unknown element type");
}

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return 1;
    case ElementType::float32:
    case ElementType::int32:
    case ElementType::uint32:
      return 4;
    case ElementType::float64:
    case ElementType::int64:
    case ElementType::uint64:
      return 8;
  }
  throw std::invalid_argument("unknown element type");
}

}  // namespace tilewright
