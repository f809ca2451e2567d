// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/bindings.hpp"

#include <map>

#include "definition/problem.hpp"

namespace tilewright {

Bindings::Bindings(const Implementation& implementation, const Problem& problem,
                   const Device& device)
    : implementation_(implementation), bound_(implementation.parameters.size()) {
  for (const std::string& name : device_names()) device_[name] = device_value(device, name).value();
  std::map<std::string_view, const Value*> addresses;
  for (const auto& [name, value] : problem.values) addresses.emplace(name, &value);
  for (std::size_t i = 0; i < bound_.size(); ++i)
    addresses.emplace(implementation.parameters[i].name, &bound_[i]);
  for (const auto& [name, value] : device_) addresses.emplace(name, &value);
  addresses_.assign(addresses.begin(), addresses.end());
}

const Value* Bindings::find(std::string_view name) const {
  std::size_t low = 0;
  std::size_t high = addresses_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const int order = addresses_[middle].first.compare(name);
    if (order == 0) return addresses_[middle].second;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return nullptr;
}

std::size_t Bindings::depth_of(std::string_view name) const {
  const Value* const address = find(name);
  for (std::size_t i = 0; i < bound_.size(); ++i)
    if (&bound_[i] == address) return i + 1;
  return 0;
}

std::vector<std::string> Bindings::names() const {
  std::vector<std::string> names;
  for (const auto& [name, address] : addresses_) names.emplace_back(name);
  return names;
}

Configuration Bindings::configuration(std::size_t depth) const {
  Configuration configuration;
  for (std::size_t i = 0; i < depth; ++i)
    configuration.values.emplace(implementation_.parameters[i].name, bound_[i]);
  return configuration;
}

}  // namespace tilewright
