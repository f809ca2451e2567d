#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright::test {

// A convolution or a layer with fewer values of parameters that only multiply its space, because
// enumerating the whole space for each proof takes longer than the proofs. Of fused steps all,
// because few tiles are large enough for their halos.
inline Implementation with_fewer_values(Implementation implementation) {
  if (implementation.name == "fused_steps") return implementation;
  const std::map<std::string, std::set<Value>> kept = {
      {"BLOCK_X", {8, 32}},         {"BLOCK_Y", {4, 8}},
      {"OUTPUTS_X", {1, 2, 4, 8}},  {"OUTPUTS_Y", {1, 2, 4, 6}},
      {"UNROLL", {1, 2, 3, 4, 64}}, {"MIN_BLOCKS", {1}},
      {"STRIP", {16, 64, 128}},     {"BLOCK_M", {32, 64, 128}},
      {"BLOCK_N", {16, 64}},        {"GROUP", {1}}};
  for (Parameter& parameter : implementation.parameters)
    if (const auto at = kept.find(parameter.name); at != kept.end())
      std::erase_if(parameter.values,
                    [&](const Value& value) { return !at->second.contains(value); });
  return implementation;
}

}  // namespace tilewright::test
