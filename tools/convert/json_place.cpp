#include "tools/convert/json_place.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tilewright::tools {

std::optional<JsonPlace> JsonPlace::find(const char* key) const {
  if (!json_->is_object()) fail("it must be an object");
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return JsonPlace(*found, path_.empty() ? key : path_ + "." + key);
}

JsonPlace JsonPlace::at(const char* key) const {
  if (auto found = find(key)) return *found;
  fail(fmt::format("the key '{}' is missing", key));
}

std::vector<JsonPlace> JsonPlace::elements() const {
  if (!json_->is_array()) fail("it must be an array");
  std::vector<JsonPlace> all;
  for (std::size_t i = 0; i < json_->size(); ++i)
    all.emplace_back((*json_)[i], fmt::format("{}[{}]", path_, i));
  return all;
}

std::string JsonPlace::text() const {
  if (!json_->is_string()) fail("it must be a string");
  auto text = json_->get<std::string>();
  if (text.empty()) fail("it must not be empty");
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) fail("it must be one line of text");
  return text;
}

std::int64_t JsonPlace::integer() const {
  const bool fits = json_->is_number_integer() &&
                    (!json_->is_number_unsigned() ||
                     json_->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
  if (!fits) fail("it must be an integer of 64 bits");
  return json_->get<std::int64_t>();
}

std::string JsonPlace::number() const {
  if (json_->is_boolean()) return json_->get<bool>() ? "1" : "0";
  if (json_->is_number_integer()) return std::to_string(integer());
  if (!json_->is_number_float()) fail("it must be a number");
  const auto value = json_->get<double>();
  constexpr double kExact = 1e15;
  if (std::trunc(value) == value && std::abs(value) < kExact) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string JsonPlace::expression() const {
  return json_->is_number_integer() ? std::to_string(integer()) : text();
}

void JsonPlace::fail(const std::string& sentence) const {
  throw InputError(path_.empty() ? sentence : path_ + ": " + sentence);
}

}  // namespace tilewright::tools
