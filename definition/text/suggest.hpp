#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

std::string lower(std::string_view text);  // the letters of ASCII

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

template <class Value, std::ranges::range Range>
bool is_among(const Value& value, const Range& range) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

// The element with this name; null if there is none.
template <class Range>
auto find_named(Range& range, std::string_view name) {
  const auto has_name = [name](const auto& one) { return one.name == name; };
  const auto found = std::ranges::find_if(range, has_name);
  return found == range.end() ? nullptr : &*found;
}

}  // namespace tilewright
