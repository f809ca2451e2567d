#include "definition/json/json_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tilewright/error.hpp"

namespace tilewright {

namespace {

[[noreturn]] void refuse(const char* key, const char* accepted) {
  throw InputError(fmt::format("'{}' is not {}", key, accepted));
}

std::int64_t integer_from_json(const Json& json, const char* key) {
  const bool too_large = json.is_number_unsigned() &&
                         json.get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!json.is_number_integer() || too_large) refuse(key, "an integer of 64 bits");
  return json.get<std::int64_t>();
}

}  // namespace

const Json& field(const Json& object, const char* key) {
  if (!object.is_object())
    throw InputError(fmt::format("an object with the key '{}' is expected", key));
  const auto found = object.find(key);
  if (found == object.end()) throw InputError(fmt::format("'{}' is missing", key));
  return *found;
}

std::string text_field(const Json& object, const char* key) {
  const Json& json = field(object, key);
  if (!json.is_string()) refuse(key, "a text");
  return json.get<std::string>();
}

std::int64_t integer_field(const Json& object, const char* key) {
  return integer_from_json(field(object, key), key);
}

std::uint64_t unsigned_field(const Json& object, const char* key) {
  const Json& json = field(object, key);
  if (!json.is_number_unsigned()) refuse(key, "an integer of 64 bits from 0 on");
  return json.get<std::uint64_t>();
}

int int_field(const Json& object, const char* key) {
  const std::int64_t value = integer_field(object, key);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    refuse(key, "an integer of 32 bits");
  return static_cast<int>(value);
}

double real_field(const Json& object, const char* key) {
  return real_from_json(field(object, key), key);
}

std::array<std::int64_t, 3> triple_field(const Json& object, const char* key) {
  const Json& json = array_field(object, key);
  if (json.size() != 3) refuse(key, "an array of three integers");
  return {integer_from_json(json[0], key), integer_from_json(json[1], key),
          integer_from_json(json[2], key)};
}

const Json& array_field(const Json& object, const char* key) {
  const Json& json = field(object, key);
  if (!json.is_array()) refuse(key, "an array");
  return json;
}

Json real_to_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

double real_from_json(const Json& json, const char* key) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  refuse(key, "a number, or one of \"nan\", \"inf\", \"-inf\"");
}

}  // namespace tilewright
