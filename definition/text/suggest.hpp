#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// For the end of a message about an unknown name: `; did you mean 'tiled'?` if a known name is
// similar, else `; known: naive, tiled` with at most so many of them. Empty if no name is known.
std::string suggestion(std::string_view unknown, const std::vector<std::string>& known,
                       std::size_t most = 20);

// What `name` gives for each element, such as names_of(operation.choices, &Choice::name).
template <class Range, class Name>
std::vector<std::string> names_of(const Range& range, const Name& name) {
  std::vector<std::string> names;
  for (const auto& one : range) names.emplace_back(std::invoke(name, one));
  return names;
}

}  // namespace tilewright
