#pragma once

#include <string>

namespace tilewright {

// The keys of CompileResult::entries. A kernel's is its entry. A variable's begins with '&', as the
// name expression by which a compiler is asked for it does. Source units may have variables of one
// name, so the key names the unit unless it is the implementation's own.

// Reading a manifest makes a unit of each launch with macros of its own. Two of them may have the
// same entry. No name that a manifest gives has a space.
inline constexpr const char* kLaunchUnit = "launch ";

inline std::string entry_key(const std::string& entry, const std::string& unit) {
  return unit.starts_with(kLaunchUnit) ? entry + " of " + unit : entry;
}

inline std::string constant_key(const std::string& symbol, const std::string& unit) {
  return '&' + symbol + (unit.empty() ? "" : " of unit " + unit);
}

inline bool is_constant_key(const std::string& key) {
  return key.starts_with('&');
}

// "d_filter of unit low", for messages.
inline std::string constant_name(const std::string& key) {
  return key.substr(1);
}

}  // namespace tilewright
