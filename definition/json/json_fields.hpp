#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "definition/json/json.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

// Return one field of an object. They throw InputError that names the field if it is missing or of
// another type. Only integers are converted, to reals.
const Json& field(const Json& object, const char* key);
std::string text_field(const Json& object, const char* key);
std::int64_t integer_field(const Json& object, const char* key);
std::uint64_t unsigned_field(const Json& object, const char* key);
int int_field(const Json& object, const char* key);
double real_field(const Json& object, const char* key);
std::array<std::int64_t, 3> triple_field(const Json& object, const char* key);
const Json& array_field(const Json& object, const char* key);

Json real_to_json(double value);
double real_from_json(const Json& json, const char* key);

// Reads an enumerator that is stored as a number; `last` is the largest.
template <class Enum, class AnyJson>
Enum enum_from_number(const AnyJson& json, Enum last) {
  const int number = json.template get<int>();
  if (number < 0 || number > static_cast<int>(last))
    throw AnyJson::type_error::create(302, "enumerator out of range", &json);
  return static_cast<Enum>(number);
}

// Calls `read` and turns its InputError into an exception of nlohmann-json.
template <class Read>
auto as_library_error(Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw Json::type_error::create(302, error.what(), nullptr);
  }
}

// Calls `read` and puts `place` before the message of its InputError.
template <class Read>
auto at_place(const std::string& place, Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(place + ": " + error.what());
  }
}

}  // namespace tilewright
