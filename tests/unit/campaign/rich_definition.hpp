#pragma once

#include <filesystem>

#include "definition/definition.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::test {

// Definitions and plans in which each field of each struct has something that it can change. Their
// files are those of tests/definitions.

inline std::filesystem::path definitions_folder() {
  return std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests/definitions";
}

inline LaunchArgument rich_argument(LaunchArgument::Kind kind, const char* name) {
  LaunchArgument argument;
  argument.kind = kind;
  argument.name = name;
  return argument;
}

inline Launch rich_launch() {
  using Kind = LaunchArgument::Kind;
  const Expression two{2};
  Launch launch;
  launch.entry = "kernel";
  launch.loop = "rounds";
  launch.macros = {{"UNUSED", two}};
  LaunchArgument map = rich_argument(Kind::tensor_map, "in");
  map.map.dims = {Expression{64}, two};
  map.map.strides = {Expression{64}};
  map.map.box = {two, two};
  LaunchArgument mapped = map;
  mapped.kind = Kind::workspace_map;
  LaunchArgument texture = rich_argument(Kind::texture, "in");
  texture.texture.dims = {Expression{64}};
  for (const TextureMode& mode : kTextureModes)
    texture.texture.*mode.written = {Expression::parse("'x'")};
  LaunchArgument real = rich_argument(Kind::value, "");
  real.real.divisor = two;
  launch.arguments = {rich_argument(Kind::argument, "in"), real, map, mapped, texture};
  return launch;
}

inline Argument rich_buffer(const char* name, Fill::Kind kind) {
  Argument argument;
  argument.name = name;
  argument.fill.kind = kind;
  return argument;
}

inline Operation rich_operation() {
  Operation operation;
  operation.name = "rich";
  operation.dimensions.emplace_back();
  operation.choices.emplace_back();
  operation.hooks.emplace_back();
  operation.hooks[0].coordinates.emplace_back();
  operation.hooks[0].snippet = Snippet{"s", "rich", "", "return value;", {Argument{}}, {}, 1};
  operation.constraints.emplace_back();
  operation.metrics.emplace_back();
  operation.workloads = {{"w", "", {{"n"}}, {"c"}}};
  operation.own_work["rich/one"].flops = Expression{1};
  operation.arguments = {rich_buffer("normal", Fill::Kind::normal),
                         rich_buffer("image", Fill::Kind::uniform),
                         rich_buffer("typed", Fill::Kind::uniform)};
  operation.arguments[1].fill.border = 1;
  operation.arguments[2].computed_type = Expression::parse("'float16'");
  operation.arguments[2].integer_fill = Fill{};
  operation.reference.source = definitions_folder() / "csr_reference.cu";
  operation.reference.launches = {rich_launch()};
  operation.reference.compiled_in = {"n"};
  operation.reference.options = {"-DREFERENCE"};
  operation.kernel_fills = {{"image", operation.reference}};
  operation.checks = {{{"n", std::int64_t{1}}}};
  return operation;
}

inline Implementation rich_implementation() {
  Implementation implementation;
  implementation.name = "one";
  implementation.operation = "rich";
  implementation.requires_architecture = "sm_90";
  implementation.terms = {{"term", Expression{1}}};
  implementation.parameters = {{"P", "", {1, 2}, 1, {}, {}}};
  implementation.constraints = {{Expression{1}, "why"}};
  implementation.remarks = {{{"C7510"}, "why"}};
  implementation.options = {"-O3"};
  implementation.compiled_in = {{"n"}};
  implementation.units = {{"low", "unit.cu", {{"LOW", Expression{1}}}}};
  implementation.launches = {rich_launch()};
  implementation.loops = {{"rounds", Expression{3}, {rich_argument({}, "a")}}};
  implementation.constants = {{"d_filter", "image"}};
  implementation.cost.emplace();
  return implementation;
}

inline LaunchPlan rich_plan() {
  using Kind = PlannedArgument::Kind;
  PlannedArgument map{Kind::tensor_map, 1, {}, 16};
  map.map = {ElementType::float32, {64, 2}, {64}, {8, 2}};
  PlannedLaunch launch{"kernel"};
  launch.arguments = {
      {Kind::argument, 1, {}}, {Kind::bytes, 0, {1, 2}}, map, {Kind::by_value, 1, {}}};
  LaunchPlan plan{{launch}};
  plan.constants = {{"d_filter", 1, 4}};
  plan.loops = {{0, 1, 3, {{Kind::argument, 1, {}}}}};
  plan.textures = {{1, ElementType::float32, 1, {64}, {}}};
  return plan;
}

inline CompileRequest rich_request() {
  CompileRequest request;
  request.source = "source";
  request.headers = {{"a.cuh", "A"}};
  request.options = {"-DX=1"};
  request.entries = {"kernel"};
  request.constants = {"d_filter"};
  request.units = {request};
  return request;
}

}  // namespace tilewright::test
