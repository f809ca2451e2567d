#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace tilewright {

// A JSON array with what `write` makes of each item.
template <class Items, class Write>
nlohmann::json json_list(const Items& items, const Write& write) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& item : items) list.push_back(std::invoke(write, item));
  return list;
}

}  // namespace tilewright
