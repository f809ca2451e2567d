#pragma once

#include <array>
#include <concepts>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "definition/fields.hpp"
#include "definition/json/json.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

template <class T, class... Types>
concept AnyOf = (std::same_as<T, Types> || ...);

// What Evaluator::list() is asked.
struct RoutineQuestion {
  int device_index = 0;
  PlannedRoutine routine;
};

// The structs that cross a process boundary, and those that occur in them.
template <class T>
concept Message =
    AnyOf<T, CompileRequest, CompiledEntry, CompileResult, PlannedTensorMap, PlannedArgument,
          PlannedLaunch, PlannedConstant, PlannedLoop, PlannedTexture, PlannedRoutine, LaunchPlan,
          RoutineQuestion, RoutineList, Fill, PlannedBuffer, PlannedComparison, ReferencePlan,
          FillPlan, SessionProblem, CheckLimits, SessionPlan, KernelPlan, SimpleAnswer, Gate,
          SampleRequest, Resources, Verification, Timing, Failure>;

// An enumerator is sent as its number. One beyond the last is refused.
inline constexpr std::tuple kLastEnumerators = {
    kLastElementType,           ArgumentKind::array,     ArgumentRole::inout,
    CachePolicy::cold,          Fill::Kind::permutation, PlannedArgument::Kind::texture,
    SimpleAnswer::Kind::scaled, TextureAddress::mirror,  TextureCoordinates::normalized,
    TextureFilter::linear,      TextureMemory::linear,   TextureRead::normalized,
    Workspace::Fill::each};

// The structs that are only sent. The lists of others are where they are defined.

TILEWRIGHT_LIST_FIELDS(always, CompiledEntry, symbol, resources);

template <>
inline constexpr auto kFields<CompileResult> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, CompileResult, outcome, log, code, code_hash, entries, milliseconds),
    TILEWRIGHT_FIELDS(never, CompileResult, from_cache));

TILEWRIGHT_LIST_FIELDS(always, PlannedBuffer, name, kind, type, role, count, capacity, has_value,
                       value, is_real, real, fill);

TILEWRIGHT_LIST_FIELDS(always, PlannedComparison, reduced, reduction, scale, sums, tolerance,
                       mismatches, cut, absolute, relative, ignored);

TILEWRIGHT_LIST_FIELDS(always, ReferencePlan, builtin, code, symbols, launches, comparison, given);

TILEWRIGHT_LIST_FIELDS(always, FillPlan, argument, code, symbols, launches);

TILEWRIGHT_LIST_FIELDS(always, CheckLimits, outputs, multiply_adds);

TILEWRIGHT_LIST_FIELDS(always, SessionPlan, device_index, problems, cache, seed, check_limits,
                       probe_code);

TILEWRIGHT_LIST_FIELDS(always, KernelPlan, code, symbols, launches);

TILEWRIGHT_LIST_FIELDS(always, RoutineQuestion, device_index, routine);

TILEWRIGHT_LIST_FIELDS(always, RoutineList, configurations, why);

TILEWRIGHT_LIST_FIELDS(always, SimpleAnswer, problem, output, kind, input, altered, told, passes);

TILEWRIGHT_LIST_FIELDS(always, Gate, samples, over_us);

TILEWRIGHT_LIST_FIELDS(always, SampleRequest, minimum_samples, maximum_samples, sample_us,
                       budget_us, long_us, gates, cache, lead_in_us);

TILEWRIGHT_LIST_FIELDS(always, Failure, outcome, message);

template <>
inline constexpr auto kFields<SessionProblem> =
    std::tuple_cat(TILEWRIGHT_FIELDS(by_hand, SessionProblem, problem),
                   TILEWRIGHT_FIELDS(always, SessionProblem, buffers, reference, fills));

// Fields that are written by hand.
void send_by_hand(MaybeConst<PlannedArgument> auto& argument, const auto& visit) {
  if (argument.has_map()) visit("map", argument.map);
}

void send_by_hand(MaybeConst<PlannedTexture> auto& texture, const auto& visit) {
  constexpr std::array kAddresses = {"address_x", "address_y", "address_z"};
  for (std::size_t i = 0; i < kAddresses.size(); ++i)
    visit(kAddresses.at(i), texture.modes.address.at(i));
  visit("memory", texture.modes.memory);
  visit("filter", texture.modes.filter);
  visit("read", texture.modes.read);
  visit("coordinates", texture.modes.coordinates);
}

void send_by_hand(MaybeConst<SessionProblem> auto& problem, const auto& visit) {
  visit("operation", problem.problem.operation);
  visit("values", problem.problem.values);
}

// The fields of a struct that are sent, for writing and for reading.
template <HasFields Struct, class Visit>
void for_each_sent(Struct& object, const Visit& visit) {
  static const auto& usual = *new const std::remove_const_t<Struct>{};
  for_each_listed<Struct>([&](const auto& field) {
    constexpr Written written = kWritten<decltype(field)>;
    if constexpr (written == Written::always)
      visit(field.name, object.*field.member);
    else if constexpr (written == Written::unless_default)
      visit.unless_default(field.name, object.*field.member, usual.*field.member);
  });
  if constexpr (requires { send_by_hand(object, visit); }) send_by_hand(object, visit);
}

struct MessageWriter {
  nlohmann::json& json;

  template <class T>
  void operator()(const char* name, const T& value) const {
    if constexpr (AnyOf<T, std::vector<std::uint8_t>>)
      json[name] = nlohmann::json::binary(value);
    else if constexpr (AnyOf<T, std::filesystem::path>)
      json[name] = value.string();
    else if constexpr (AnyOf<T, Settings>)
      json[name] = to_json(value);
    else if constexpr (AnyOf<T, Outcome>)
      json[name] = std::string(to_text(value));
    else if constexpr (std::is_enum_v<T>)
      json[name] = static_cast<int>(value);
    else
      json[name] = value;
  }
  // A field that bundles from before it do not have.
  void unless_default(const char* name, const auto& value, const auto& usual) const {
    if (value != usual) (*this)(name, value);
  }
};

// What the library says, without its own name.
inline std::string reason_of(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

template <class T>
constexpr bool kHoldsIntegers = std::integral<T>;
template <class T>
constexpr bool kHoldsIntegers<std::vector<T>> = kHoldsIntegers<T>;
template <class T, std::size_t n>
constexpr bool kHoldsIntegers<std::array<T, n>> = kHoldsIntegers<T>;

// The library converts a real to an integer, whatever its size.
inline void require_integers(const nlohmann::json& json) {
  if (json.is_number_float())
    throw nlohmann::json::type_error::create(302, "a real in the place of an integer", &json);
  if (json.is_array())
    for (const nlohmann::json& item : json) require_integers(item);
}

template <class T>
void get_value(const nlohmann::json& json, T& value) {
  if constexpr (kHoldsIntegers<T>) require_integers(json);
  json.get_to(value);
}

// Reads what MessageWriter writes. `last` has the last enumerators that are accepted.
template <class T>
void read_value(const nlohmann::json& given, T& value, const auto& last) {
  if constexpr (AnyOf<T, std::vector<std::uint8_t>>)
    value = given.get_binary();
  else if constexpr (AnyOf<T, std::filesystem::path>)
    value = given.get<std::string>();
  else if constexpr (AnyOf<T, Settings>)
    value = settings_from_json(given);
  else if constexpr (AnyOf<T, Outcome>)
    value = from_name<Outcome>(given.get<std::string>());
  else if constexpr (std::is_enum_v<T>)
    value = enum_from_number(given, std::get<T>(last));
  else
    get_value(given, value);
}

struct MessageReader {
  const nlohmann::json& json;

  template <class T>
  void operator()(const char* name, T& value) const {
    const nlohmann::json& given = json.at(name);
    try {
      as_library_error([&] { read_value(given, value, kLastEnumerators); });
    } catch (const nlohmann::json::exception& error) {
      throw nlohmann::json::type_error::create(
          302, "'" + std::string(name) + "': " + reason_of(error), nullptr);
    }
  }
  void unless_default(const char* name, auto& value, const auto& /*usual*/) const {
    if (json.contains(name)) (*this)(name, value);
  }
};

// Messages as JSON. Binary fields are CBOR byte strings.
template <Message T>
void to_json(nlohmann::json& json, const T& value) {
  if constexpr (AnyOf<T, Resources, Verification, Timing>) {
    json = to_json(value);
  } else {
    json = nlohmann::json::object();
    for_each_sent(value, MessageWriter{json});
  }
}

// Throws nlohmann::json::exception if the JSON does not fit.
template <Message T>
void from_json(const nlohmann::json& json, T& value) {
  if constexpr (AnyOf<T, Resources, Verification, Timing>)
    value = as_library_error([&] { return tilewright::from_json<T>(json); });
  else
    for_each_sent(value, MessageReader{json});
}

}  // namespace tilewright
