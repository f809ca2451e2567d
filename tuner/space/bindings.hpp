#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// The value of every name while a space is enumerated. Values of the problem and the device are
// fixed; values of parameters change in place. A name is resolved once to an address that stays
// valid, because full_scope's maps are too slow for millions of combinations. Precedence is that of
// full_scope. The implementation and the problem must outlive it.
class Bindings {
 public:
  Bindings(const Implementation& implementation, const Problem& problem, const Device& device);
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;

  void bind(std::size_t parameter, const Value& value) { bound_[parameter] = value; }
  const Value& bound(std::size_t parameter) const { return bound_[parameter]; }

  // Null if there is no such name.
  const Value* find(std::string_view name) const;

  // How many parameters, in the manifest's order, must be bound before `name` has its value.
  std::size_t depth_of(std::string_view name) const;

  std::vector<std::string> names() const;

  // The values of the first `depth` parameters.
  Configuration configuration(std::size_t depth) const;

 private:
  const Implementation& implementation_;
  Settings device_;
  std::vector<Value> bound_;                                          // by parameter
  std::vector<std::pair<std::string_view, const Value*>> addresses_;  // sorted by name
};

}  // namespace tilewright
