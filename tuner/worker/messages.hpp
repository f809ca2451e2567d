#pragma once

#include <array>
#include <concepts>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "definition/fields.hpp"
#include "definition/json/json.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

template <class T, class... Types>
concept AnyOf = (std::same_as<T, Types> || ...);

// The structs that cross a process boundary, and those that occur in them.
template <class T>
concept Message =
    AnyOf<T, CompileRequest, CompiledEntry, CompileResult, PlannedTensorMap, PlannedArgument,
          PlannedLaunch, PlannedConstant, PlannedLoop, PlannedTexture, LaunchPlan, Fill,
          PlannedBuffer, PlannedComparison, ReferencePlan, FillPlan, SessionProblem, CheckLimits,
          SessionPlan, KernelPlan, SimpleAnswer, Gate, SampleRequest, Resources, Verification,
          Timing, Failure>;

// Each list names the fields of one struct, for writing and for reading. An enumerator is sent as
// its number, and the list names the last one.

void for_each_field(MaybeConst<CompileRequest> auto& request, const auto& visit) {
  visit("source", request.source);
  visit("source_name", request.source_name);
  visit("headers", request.headers);
  visit("options", request.options);
  visit("entries", request.entries);
  visit("constants", request.constants);
  visit("architecture", request.architecture);
  visit("unit", request.unit);
  visit("units", request.units);
  visit.unless_default("compiler", request.compiler);
}

void for_each_field(MaybeConst<CompiledEntry> auto& entry, const auto& visit) {
  visit("symbol", entry.symbol);
  visit("resources", entry.resources);
}

void for_each_field(MaybeConst<CompileResult> auto& result, const auto& visit) {
  visit("outcome", result.outcome);
  visit("log", result.log);
  visit("code", result.code);
  visit("code_hash", result.code_hash);
  visit("entries", result.entries);
  visit("milliseconds", result.milliseconds);
}

void for_each_field(MaybeConst<PlannedTensorMap> auto& map, const auto& visit) {
  visit("type", map.type, kLastElementType);
  visit("dims", map.dims);
  visit("strides", map.strides);
  visit("box", map.box);
  visit("swizzle", map.swizzle);
  visit("promote", map.promote);
}

void for_each_field(MaybeConst<PlannedArgument> auto& argument, const auto& visit) {
  using Kind = PlannedArgument::Kind;
  visit("kind", argument.kind, Kind::texture);
  visit("index", argument.index);
  visit("bytes", argument.bytes);
  visit("offset", argument.offset);
  visit("size", argument.size);
  if (argument.has_map()) visit("map", argument.map);
}

void for_each_field(MaybeConst<PlannedLaunch> auto& launch, const auto& visit) {
  visit("entry", launch.entry);
  visit("grid", launch.grid);
  visit("block", launch.block);
  visit("cluster", launch.cluster);
  visit("shared_bytes", launch.shared_bytes);
  visit("arguments", launch.arguments);
  visit.unless_default("dependent_launch", launch.dependent_launch);
  visit.unless_default("cooperative", launch.cooperative);
  visit.unless_default("grid_texts", launch.grid_texts);
}

void for_each_field(MaybeConst<PlannedConstant> auto& constant, const auto& visit) {
  visit("key", constant.key);
  visit("index", constant.index);
  visit("bytes", constant.bytes);
}

void for_each_field(MaybeConst<PlannedLoop> auto& loop, const auto& visit) {
  visit("first", loop.first);
  visit("count", loop.count);
  visit("trips", loop.trips);
  visit("swap", loop.swap);
}

void for_each_field(MaybeConst<PlannedTexture> auto& texture, const auto& visit) {
  visit("index", texture.index);
  visit("type", texture.type, kLastElementType);
  visit("lanes", texture.lanes);
  visit("dims", texture.dims);
  visit("strides", texture.strides);
  visit("memory", texture.modes.memory, TextureMemory::linear);
  constexpr std::array kAddresses = {"address_x", "address_y", "address_z"};
  for (std::size_t i = 0; i < kAddresses.size(); ++i)
    visit(kAddresses.at(i), texture.modes.address.at(i), TextureAddress::mirror);
  visit("filter", texture.modes.filter, TextureFilter::linear);
  visit("read", texture.modes.read, TextureRead::normalized);
  visit("coordinates", texture.modes.coordinates, TextureCoordinates::normalized);
}

void for_each_field(MaybeConst<LaunchPlan> auto& plan, const auto& visit) {
  visit("launches", plan.launches);
  visit("workspace_bytes", plan.workspace_bytes);
  visit("workspace_zero", plan.workspace_zero, Workspace::Fill::each);
  visit.unless_default("constants", plan.constants);
  visit.unless_default("loops", plan.loops);
  visit.unless_default("textures", plan.textures);
}

void for_each_field(MaybeConst<Fill> auto& fill, const auto& visit) {
  visit("kind", fill.kind, Fill::Kind::permutation);
  visit("low", fill.low);
  visit("high", fill.high);
  visit("file", fill.file);
  visit("mean", fill.mean);
  visit("deviation", fill.deviation);
  visit("correlation", fill.correlation);
  visit("border", fill.border);
  visit("rows", fill.rows);
  visit("columns", fill.columns);
}

void for_each_field(MaybeConst<PlannedBuffer> auto& buffer, const auto& visit) {
  visit("name", buffer.name);
  visit("kind", buffer.kind, ArgumentKind::array);
  visit("type", buffer.type, kLastElementType);
  visit("role", buffer.role, ArgumentRole::inout);
  visit("count", buffer.count);
  visit("capacity", buffer.capacity);
  visit("has_value", buffer.has_value);
  visit("value", buffer.value);
  visit("is_real", buffer.is_real);
  visit("real", buffer.real);
  visit("fill", buffer.fill);
}

void for_each_field(MaybeConst<PlannedComparison> auto& comparison, const auto& visit) {
  visit("reduced", comparison.reduced);
  visit("reduction", comparison.reduction);
  visit("scale", comparison.scale);
  visit("sums", comparison.sums);
  visit("cut", comparison.cut);
  visit("tolerance", comparison.tolerance);
  visit("mismatches", comparison.mismatches);
  visit("absolute", comparison.absolute);
  visit("relative", comparison.relative);
}

void for_each_field(MaybeConst<ReferencePlan> auto& reference, const auto& visit) {
  visit("given", reference.given);
  visit("builtin", reference.builtin);
  visit("code", reference.code);
  visit("symbols", reference.symbols);
  visit("launches", reference.launches);
  visit("comparison", reference.comparison);
}

void for_each_field(MaybeConst<FillPlan> auto& fill, const auto& visit) {
  visit("argument", fill.argument);
  visit("code", fill.code);
  visit("symbols", fill.symbols);
  visit("launches", fill.launches);
}

void for_each_field(MaybeConst<SessionProblem> auto& problem, const auto& visit) {
  visit("operation", problem.problem.operation);
  visit("values", problem.problem.values);
  visit("buffers", problem.buffers);
  visit("reference", problem.reference);
  visit("fills", problem.fills);
}

void for_each_field(MaybeConst<CheckLimits> auto& limits, const auto& visit) {
  visit("outputs", limits.outputs);
  visit("multiply_adds", limits.multiply_adds);
}

void for_each_field(MaybeConst<SessionPlan> auto& plan, const auto& visit) {
  visit("device_index", plan.device_index);
  visit("problems", plan.problems);
  visit("cache", plan.cache, CachePolicy::cold);
  visit("seed", plan.seed);
  visit("check_limits", plan.check_limits);
  visit("probe_code", plan.probe_code);
}

void for_each_field(MaybeConst<KernelPlan> auto& kernel, const auto& visit) {
  visit("code", kernel.code);
  visit("symbols", kernel.symbols);
  visit("launches", kernel.launches);
}

void for_each_field(MaybeConst<SimpleAnswer> auto& answer, const auto& visit) {
  visit("problem", answer.problem);
  visit("output", answer.output);
  visit("kind", answer.kind, SimpleAnswer::Kind::scaled);
  visit("input", answer.input);
  visit("altered", answer.altered);
  visit("told", answer.told);
  visit("passes", answer.passes);
}

void for_each_field(MaybeConst<Gate> auto& gate, const auto& visit) {
  visit("samples", gate.samples);
  visit("over_us", gate.over_us);
}

void for_each_field(MaybeConst<SampleRequest> auto& request, const auto& visit) {
  visit("minimum_samples", request.minimum_samples);
  visit("maximum_samples", request.maximum_samples);
  visit("lead_in_us", request.lead_in_us);
  visit("sample_us", request.sample_us);
  visit("budget_us", request.budget_us);
  visit("long_us", request.long_us);
  visit("gates", request.gates);
  visit("cache", request.cache, CachePolicy::cold);
}

void for_each_field(MaybeConst<Failure> auto& failure, const auto& visit) {
  visit("outcome", failure.outcome);
  visit("message", failure.message);
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
    else
      json[name] = value;
  }
  template <class Enum>
  void operator()(const char* name, Enum value, Enum /*last*/) const {
    json[name] = static_cast<int>(value);
  }
  // A field that bundles from before it do not have.
  template <class T>
  void unless_default(const char* name, const T& value) const {
    if (value != T{}) (*this)(name, value);
  }
};

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

struct MessageReader {
  const nlohmann::json& json;

  template <class T>
  void operator()(const char* name, T& value) const {
    const nlohmann::json& given = json.at(name);
    if constexpr (AnyOf<T, std::vector<std::uint8_t>>)
      value = given.get_binary();
    else if constexpr (AnyOf<T, std::filesystem::path>)
      value = given.get<std::string>();
    else if constexpr (AnyOf<T, Settings>)
      value = as_library_error([&] { return settings_from_json(given); });
    else if constexpr (AnyOf<T, Outcome>)
      value = as_library_error([&] { return from_name<Outcome>(given.get<std::string>()); });
    else
      get_value(given, value);
  }
  template <class Enum>
  void operator()(const char* name, Enum& value, Enum last) const {
    value = enum_from_number(json.at(name), last);
  }
  template <class T>
  void unless_default(const char* name, T& value) const {
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
    for_each_field(value, MessageWriter{json});
  }
}

// Throws nlohmann::json::exception if the JSON does not fit.
template <Message T>
void from_json(const nlohmann::json& json, T& value) {
  if constexpr (AnyOf<T, Resources>)
    value = as_library_error([&] { return tilewright::from_json<Resources>(json); });
  else if constexpr (AnyOf<T, Verification>)
    value = as_library_error([&] { return tilewright::from_json<Verification>(json); });
  else if constexpr (AnyOf<T, Timing>)
    value = as_library_error([&] { return tilewright::from_json<Timing>(json); });
  else
    for_each_field(value, MessageReader{json});
}

}  // namespace tilewright
