#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "definition/problem.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

std::string three_digits(double value);      // three significant digits: "227", "22.7", "2.27"
std::string bytes_text(std::int64_t bytes);  // "227 KiB"

// The line of a message that says why: of a compiler's log the first that reports an error, else
// the first. Of a trial only where a compile failed.
std::string cause_of(const std::string& message);
std::string cause_of(const Trial& trial);

// A number or a string.
nlohmann::json json_of_value(const Value& value);

// A JSON array with what `write` makes of each item.
template <class Items, class Write>
nlohmann::json json_list(const Items& items, const Write& write) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& item : items) list.push_back(std::invoke(write, item));
  return list;
}

}  // namespace tilewright
