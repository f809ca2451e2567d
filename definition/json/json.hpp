#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "definition/fields.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

struct Operation;

// The only place that writes and reads the types of include/tilewright as JSON. Keys have the order
// of the types' fields; an optional field without a value has no key. Numbers are read back
// exactly; those that are not finite are "nan", "inf" and "-inf". Readers throw InputError that
// names the field and what is accepted. A Json converts to and from nlohmann::json, which sorts its
// keys.
using Json = nlohmann::ordered_json;

// Return one field of an object. They throw InputError that names the field if it is missing or not
// an array.
const Json& field(const Json& object, const char* key);
const Json& array_field(const Json& object, const char* key);

Json real_to_json(double value);
Json to_json(const Settings& settings);
inline Json to_json(const Configuration& configuration) {
  return to_json(configuration.values);
}
Settings settings_from_json(const Json& json);

// Read a value whose key is `key`. Only integers are converted, to reals.
void read_value(const Json& json, const char* key, std::string& value);
void read_value(const Json& json, const char* key, int& value);
void read_value(const Json& json, const char* key, std::int64_t& value);
void read_value(const Json& json, const char* key, std::uint64_t& value);
void read_value(const Json& json, const char* key, double& value);
void read_value(const Json& json, const char* key, DeviceField::Triple& value);
void read_value(const Json& json, const char* key, Settings& value);
inline void read_value(const Json& json, const char* key, Configuration& value) {
  read_value(json, key, value.values);
}

// Reads a name as it is stored. Throws InputError that lists the known names.
template <class Enum>
Enum from_name(const std::string& name);
template <>
DeviceKind from_name(const std::string& name);
template <>
CachePolicy from_name(const std::string& name);
template <>
Outcome from_name(const std::string& name);
template <>
Stage from_name(const std::string& name);

struct AnyVisit {
  void operator()(const char*, const auto&) const {}
};
// A struct whose fields are listed, as in definition/fields.hpp.
template <class Struct>
concept Listed = requires(const Struct& value) {
  for_each_field(value, AnyVisit());
};

template <Listed Struct>
Json to_json(const Struct& value);
template <Listed Struct>
Struct from_json(const Json& json);

template <class Field>
Json value_to_json(const Field& value) {
  if constexpr (std::is_enum_v<Field>)
    return to_text(value);
  else if constexpr (std::is_floating_point_v<Field>)
    return real_to_json(value);
  else if constexpr (requires { to_json(value); })
    return to_json(value);
  else
    return value;
}

template <class Item>
Json value_to_json(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(value_to_json(item));
  return list;
}

template <class Field>
void write_field(Json& json, const char* name, const Field& value) {
  if constexpr (!Optional<Field>)
    json[name] = value_to_json(value);
  else if (value)
    json[name] = value_to_json(*value);
}

template <class Field>
void read_field(const Json& json, const char* key, Field& value) {
  const Json& found = field(json, key);
  if constexpr (std::is_enum_v<Field>) {
    std::string name;
    read_value(found, key, name);
    value = from_name<Field>(name);
  } else if constexpr (Listed<Field>) {
    value = from_json<Field>(found);
  } else {
    read_value(found, key, value);
  }
}

template <class Item>
void read_field(const Json& json, const char* key, std::vector<Item>& items) {
  for (const Json& item : array_field(json, key))
    if constexpr (Listed<Item>)
      items.push_back(from_json<Item>(item));
    else
      read_value(item, key, items.emplace_back());
}

template <class Field>
void read_field(const Json& json, const char* key, std::optional<Field>& value) {
  if (json.contains(key)) read_field(json, key, value.emplace());
}

template <Listed Struct>
Json to_json(const Struct& value) {
  Json json = Json::object();
  for_each_field(value, [&json](const char* name, const auto& field_value) {
    write_field(json, name, field_value);
  });
  return json;
}

template <Listed Struct>
Struct from_json(const Json& json) {
  Struct value;
  for_each_field(
      value, [&json](const char* name, auto& field_value) { read_field(json, name, field_value); });
  return value;
}

Trial trial_from_json(const Json& json);

// What a call of the operation gives: Runtime::describe() in include/tilewright/runtime.hpp.
Json describe(const Operation& operation);

// Reads an enumerator that is stored as a number; `last` is the largest.
template <class Enum, class AnyJson>
Enum enum_from_number(const AnyJson& json, Enum last) {
  const int number = json.is_number_integer() ? json.template get<int>() : -1;
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
