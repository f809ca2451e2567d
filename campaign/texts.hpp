#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "definition/definition.hpp"

namespace tilewright {

std::string three_digits(double value);      // three significant digits: "227", "22.7", "2.27"
std::string bytes_text(std::int64_t bytes);  // "227 KiB"

// `M=1 N=2 layout=row`: dimensions, choices and hooks in the operation's order. Values that equal a
// computed default or a choice's default are left out.
std::string problem_text(const Operation& operation, const Problem& problem);

// A JSON array with what `write` makes of each item.
template <class Items, class Write>
nlohmann::json json_list(const Items& items, const Write& write) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& item : items) list.push_back(std::invoke(write, item));
  return list;
}

}  // namespace tilewright
