#include "tuner/space/bindings.hpp"

#include <algorithm>
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
  const auto place = std::ranges::lower_bound(addresses_, name, {},
                                              &std::pair<std::string_view, const Value*>::first);
  return place == addresses_.end() || place->first != name ? nullptr : place->second;
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
