// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "bindings/c/request.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <string_view>

#include "bindings/c/status.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bindings {
namespace {

Value value_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && rest == end) return number;
  return text;
}

// One or more names with a value: "M=512", "M=N=512".
void add_settings(Settings& settings, const std::string& word) {
  const std::size_t last = word.rfind('=');
  const auto refuse = [&](const char* why) {
    throw InputError(fmt::format("problem: '{}' {}", word, why));
  };
  if (last == std::string::npos || last + 1 == word.size()) refuse("is not NAME=VALUE");
  const Value value = value_of(word.substr(last + 1));
  std::istringstream names(word.substr(0, last));
  std::size_t count = 0;
  for (std::string name; std::getline(names, name, '='); ++count) {
    if (name.empty()) refuse("is not NAME=VALUE");
    if (!settings.try_emplace(name, value).second) refuse("gives a name a second time");
  }
  if (count == 0) refuse("is not NAME=VALUE");
}

void refuse(const char* what, const char* name, const char* value) {
  if (value != nullptr)
    throw InputError(fmt::format("{} takes no {}; '{}' was given", what, name, value));
}

}  // namespace

Settings settings_of(const char* text) {
  Settings settings;
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) add_settings(settings, word);
  return settings;
}

std::optional<CachePolicy> cache_of(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view name = text;
  if (name == "warm") return CachePolicy::warm;
  if (name == "cold") return CachePolicy::cold;
  throw InputError(fmt::format("cache '{}': give warm or cold", name));
}

Require require_of(const char* text) {
  const std::string_view name = text == nullptr ? "any" : text;
  if (name == "any") return Require::any;
  if (name == "device") return Require::device;
  if (name == "exact") return Require::exact;
  throw InputError(fmt::format("require '{}': give any, device or exact", name));
}

Inputs inputs_of(const char* text) {
  const std::string_view name = text == nullptr ? "any" : text;
  if (name == "any") return Inputs::any;
  if (name == "memory") return Inputs::in_memory;
  throw InputError(fmt::format("inputs '{}': give any or memory", name));
}

DeviceSelector selector_of(const char* text) {
  return text == nullptr ? DeviceSelector{} : device_selector(text);
}

void check_enumerator(std::int32_t number, std::int32_t last, const char* what, const char* type) {
  if (number < 0 || number > last)
    throw InputError(fmt::format("{} {} is none of {}", what, number, type));
}

void check_request(const tw_request* request, const char* what) {
  require(request, fmt::format("{}: request", what).c_str());
  require(request->operation, fmt::format("{}: request->operation", what).c_str());
}

void refuse_cache(const tw_request& request, const char* what) {
  refuse(what, "cache", request.cache);
}

void refuse_inputs(const tw_request& request, const char* what) {
  refuse(what, "inputs", request.inputs);
}

void refuse_conditions(const tw_request& request, const char* what) {
  refuse_cache(request, what);
  refuse(what, "require", request.require);
  refuse_inputs(request, what);
}

}  // namespace tilewright::bindings
