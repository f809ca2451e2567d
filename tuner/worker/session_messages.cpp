#include "definition/json/json.hpp"
#include "tuner/worker/messages.hpp"

namespace tilewright {

using Message = nlohmann::json;

// Of the structs that only occur inside a session or kernel plan. Not in an unnamed namespace,
// where the library's argument-dependent lookup would not see them.

static void to_json(Message& json, const PlannedTensorMap& value) {
  json = {{"type", static_cast<int>(value.type)},
          {"dims", value.dims},
          {"strides", value.strides},
          {"box", value.box},
          {"swizzle", value.swizzle},
          {"promote", value.promote}};
}

static void from_json(const Message& json, PlannedTensorMap& value) {
  value.type = enum_from_number(json.at("type"), ElementType::uint8);
  json.at("dims").get_to(value.dims);
  json.at("strides").get_to(value.strides);
  json.at("box").get_to(value.box);
  json.at("swizzle").get_to(value.swizzle);
  json.at("promote").get_to(value.promote);
}

static void to_json(Message& json, const PlannedArgument& value) {
  json = {{"kind", static_cast<int>(value.kind)},
          {"index", value.index},
          {"bytes", Message::binary(value.bytes)},
          {"offset", value.offset},
          {"size", value.size}};
  if (value.kind == PlannedArgument::Kind::tensor_map) json["map"] = value.map;
}

static void from_json(const Message& json, PlannedArgument& value) {
  value.kind = enum_from_number(json.at("kind"), PlannedArgument::Kind::tensor_map);
  json.at("index").get_to(value.index);
  value.bytes = json.at("bytes").get_binary();
  json.at("offset").get_to(value.offset);
  json.at("size").get_to(value.size);
  if (value.kind == PlannedArgument::Kind::tensor_map) json.at("map").get_to(value.map);
}

static void to_json(Message& json, const PlannedLaunch& value) {
  json = {{"entry", value.entry},
          {"grid", value.grid},
          {"block", value.block},
          {"cluster", value.cluster},
          {"shared_bytes", value.shared_bytes},
          {"arguments", value.arguments}};
}

static void from_json(const Message& json, PlannedLaunch& value) {
  json.at("entry").get_to(value.entry);
  json.at("grid").get_to(value.grid);
  json.at("block").get_to(value.block);
  json.at("cluster").get_to(value.cluster);
  json.at("shared_bytes").get_to(value.shared_bytes);
  json.at("arguments").get_to(value.arguments);
}

static void to_json(Message& json, const LaunchPlan& value) {
  json = {{"launches", value.launches},
          {"workspace_bytes", value.workspace_bytes},
          {"workspace_zero", static_cast<int>(value.workspace_zero)}};
}

static void from_json(const Message& json, LaunchPlan& value) {
  json.at("launches").get_to(value.launches);
  json.at("workspace_bytes").get_to(value.workspace_bytes);
  value.workspace_zero = enum_from_number(json.at("workspace_zero"), Workspace::Fill::each);
}

static void to_json(Message& json, const Fill& value) {
  json = {{"kind", static_cast<int>(value.kind)},
          {"low", value.low},
          {"high", value.high},
          {"file", value.file.string()}};
}

static void from_json(const Message& json, Fill& value) {
  value.kind = enum_from_number(json.at("kind"), Fill::Kind::file);
  json.at("low").get_to(value.low);
  json.at("high").get_to(value.high);
  value.file = json.at("file").get<std::string>();
}

static void to_json(Message& json, const PlannedBuffer& value) {
  json = {{"name", value.name},
          {"kind", static_cast<int>(value.kind)},
          {"type", static_cast<int>(value.type)},
          {"role", static_cast<int>(value.role)},
          {"count", value.count},
          {"capacity", value.capacity},
          {"has_value", value.has_value},
          {"value", value.value},
          {"fill", value.fill}};
}

static void from_json(const Message& json, PlannedBuffer& value) {
  json.at("name").get_to(value.name);
  value.kind = enum_from_number(json.at("kind"), ArgumentKind::array);
  value.type = enum_from_number(json.at("type"), ElementType::uint8);
  value.role = enum_from_number(json.at("role"), ArgumentRole::inout);
  json.at("count").get_to(value.count);
  json.at("capacity").get_to(value.capacity);
  json.at("has_value").get_to(value.has_value);
  json.at("value").get_to(value.value);
  json.at("fill").get_to(value.fill);
}

static void to_json(Message& json, const ReferencePlan& value) {
  json = {{"given", value.given},
          {"builtin", value.builtin},
          {"code", Message::binary(value.code)},
          {"symbols", value.symbols},
          {"launches", value.launches},
          {"reduced", value.reduced},
          {"reduction", value.reduction},
          {"scale", value.scale}};
}

static void from_json(const Message& json, ReferencePlan& value) {
  json.at("given").get_to(value.given);
  json.at("builtin").get_to(value.builtin);
  value.code = json.at("code").get_binary();
  json.at("symbols").get_to(value.symbols);
  json.at("launches").get_to(value.launches);
  json.at("reduced").get_to(value.reduced);
  json.at("reduction").get_to(value.reduction);
  json.at("scale").get_to(value.scale);
}

static void to_json(Message& json, const SessionProblem& value) {
  json = {{"operation", value.problem.operation},
          {"values", to_json(value.problem.values)},
          {"buffers", value.buffers},
          {"reference", value.reference}};
}

static void from_json(const Message& json, SessionProblem& value) {
  json.at("operation").get_to(value.problem.operation);
  value.problem.values =
      as_library_error([&json] { return settings_from_json(json.at("values")); });
  json.at("buffers").get_to(value.buffers);
  json.at("reference").get_to(value.reference);
}

static void to_json(Message& json, const CheckLimits& value) {
  json = {{"outputs", value.outputs}, {"multiply_adds", value.multiply_adds}};
}

static void from_json(const Message& json, CheckLimits& value) {
  json.at("outputs").get_to(value.outputs);
  json.at("multiply_adds").get_to(value.multiply_adds);
}

void to_json(Message& json, const SessionPlan& value) {
  json = {
      {"device_index", value.device_index},     {"problems", value.problems},
      {"cache", static_cast<int>(value.cache)}, {"seed", value.seed},
      {"check_limits", value.check_limits},     {"probe_code", Message::binary(value.probe_code)}};
}

void from_json(const Message& json, SessionPlan& value) {
  json.at("device_index").get_to(value.device_index);
  json.at("problems").get_to(value.problems);
  value.cache = enum_from_number(json.at("cache"), CachePolicy::cold);
  json.at("seed").get_to(value.seed);
  json.at("check_limits").get_to(value.check_limits);
  value.probe_code = json.at("probe_code").get_binary();
}

void to_json(Message& json, const KernelPlan& value) {
  json = {{"code", Message::binary(value.code)},
          {"symbols", value.symbols},
          {"launches", value.launches}};
}

void from_json(const Message& json, KernelPlan& value) {
  value.code = json.at("code").get_binary();
  json.at("symbols").get_to(value.symbols);
  json.at("launches").get_to(value.launches);
}

}  // namespace tilewright
