#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tuner/worker/messages.hpp"

namespace tilewright {
namespace {

template <class T>
T session_through_cbor(const T& value) {
  return nlohmann::json::from_cbor(nlohmann::json::to_cbor(nlohmann::json(value)))
      .template get<T>();
}

LaunchPlan make_plan() {
  PlannedLaunch launch;
  launch.entry = "k<4>";
  launch.grid = {2147483647, 2, 3};
  launch.block = {32, 8, 1};
  launch.cluster = {2, 1, 1};
  launch.shared_bytes = 50432;
  launch.arguments = {{PlannedArgument::Kind::argument, 2, {}, 0},
                      {PlannedArgument::Kind::bytes, 0, {1, 0, 255, 0}, 0},
                      {PlannedArgument::Kind::workspace, 0, {}, 4096},
                      {PlannedArgument::Kind::by_value, 1, {}, 0, 100},
                      {PlannedArgument::Kind::tensor_map,
                       3,
                       {},
                       0,
                       0,
                       {ElementType::int64, {std::int64_t{1} << 32, 2}, {16}, {2, 1}, 32, 256}},
                      {PlannedArgument::Kind::workspace_map,
                       0,
                       {},
                       512,
                       0,
                       {ElementType::float8_e5m2, {64}, {}, {64}, 0, 0}},
                      {PlannedArgument::Kind::texture, 1, {}}};
  launch.arguments.push_back(launch.arguments[4]);
  launch.arguments.back().map = {
      ElementType::float16, {8, 5, 2}, {8, 40}, {8, 64}, 0, 0, {-3}, {2}, {3}, true};
  launch.dependent_launch = true;
  launch.cooperative = true;
  launch.grid_texts = {"", "min(resident, 8)", ""};
  launch.prepares = true;
  launch.arguments[5].prepared = true;
  return {{launch, PlannedLaunch{}},
          std::int64_t{1} << 40,
          Workspace::Fill::each,
          {{"&d_filter of unit low", 2, 4356}},
          {{0, 2, 77, {launch.arguments[0], launch.arguments[2]}}},
          {{1,
            ElementType::uint16,
            4,
            {100, 20, 3},
            {128, 4096},
            {TextureMemory::array,
             {TextureAddress::wrap, TextureAddress::border, TextureAddress::mirror},
             TextureFilter::linear,
             TextureRead::normalized,
             TextureCoordinates::normalized}},
           {0, ElementType::float32, 1, {100}, {}, {TextureMemory::linear}}},
          65536,
          {"lib", {{"M", 5}, {"transpose_a", "yes"}}, {"a", "alpha"}}};
}

void expect_same(const LaunchPlan& a, const LaunchPlan& b) {
  EXPECT_EQ(a.workspace_bytes, b.workspace_bytes);
  EXPECT_EQ(a.workspace_zero, b.workspace_zero);
  EXPECT_EQ(a.constants, b.constants);
  EXPECT_EQ(a.loops, b.loops);
  EXPECT_EQ(a.textures, b.textures);
  EXPECT_EQ(a.prepared_bytes, b.prepared_bytes);
  EXPECT_EQ(a.routine, b.routine);
  ASSERT_EQ(a.launches.size(), b.launches.size());
  for (std::size_t i = 0; i < a.launches.size(); ++i) {
    const PlannedLaunch& x = a.launches[i];
    const PlannedLaunch& y = b.launches[i];
    EXPECT_EQ(x.entry, y.entry);
    EXPECT_EQ(x.grid, y.grid);
    EXPECT_EQ(x.block, y.block);
    EXPECT_EQ(x.cluster, y.cluster);
    EXPECT_EQ(x.shared_bytes, y.shared_bytes);
    EXPECT_EQ(x.dependent_launch, y.dependent_launch);
    EXPECT_EQ(x.prepares, y.prepares);
    ASSERT_EQ(x.arguments.size(), y.arguments.size());
    for (std::size_t j = 0; j < x.arguments.size(); ++j) {
      EXPECT_EQ(x.arguments[j].kind, y.arguments[j].kind);
      EXPECT_EQ(x.arguments[j].index, y.arguments[j].index);
      EXPECT_EQ(x.arguments[j].bytes, y.arguments[j].bytes);
      EXPECT_EQ(x.arguments[j].offset, y.arguments[j].offset);
      EXPECT_EQ(x.arguments[j].size, y.arguments[j].size);
      EXPECT_EQ(x.arguments[j].map, y.arguments[j].map);
      EXPECT_EQ(x.arguments[j].prepared, y.arguments[j].prepared);
    }
  }
}

// Files from before the key lack it, and files without such a launch are as they were.
TEST(SessionMessages, AnOrdinaryLaunchDoesNotSaySo) {
  PlannedLaunch launch;
  nlohmann::json json = launch;
  EXPECT_FALSE(json.contains("dependent_launch"));
  EXPECT_FALSE(json.get<PlannedLaunch>().dependent_launch);
  json["dependent_launch"] = 2;
  EXPECT_THROW(json.get<PlannedLaunch>(), nlohmann::json::exception);
}

TEST(SessionMessages, ATiledMapSaysNothingOfIm2colMode) {
  PlannedTensorMap map{ElementType::float32, {4}, {}, {4}};
  nlohmann::json json = map;
  for (const char* key : {"lower_corner", "upper_corner", "element_strides", "nan_fill"})
    EXPECT_FALSE(json.contains(key)) << key;
  EXPECT_EQ(json.get<PlannedTensorMap>(), map);
  json["lower_corner"] = {1.5};
  EXPECT_THROW(json.get<PlannedTensorMap>(), nlohmann::json::exception);
}

TEST(SessionMessages, KernelPlan) {
  KernelPlan kernel;
  kernel.code = {127, 'E', 'L', 'F', 0};
  kernel.symbols = {{"k<4>", "_Z1k"}};
  kernel.launches = {make_plan(), LaunchPlan{}};
  const auto copy = session_through_cbor(kernel);
  EXPECT_EQ(copy.code, kernel.code);
  EXPECT_EQ(copy.symbols, kernel.symbols);
  ASSERT_EQ(copy.launches.size(), 2U);
  expect_same(copy.launches[0], kernel.launches[0]);
  EXPECT_TRUE(copy.launches[1].launches.empty());
}

PlannedBuffer make_buffer() {
  PlannedBuffer buffer;
  buffer.name = "filter";
  buffer.kind = ArgumentKind::array;
  buffer.type = ElementType::uint8;
  buffer.role = ArgumentRole::inout;
  buffer.count = 9;
  buffer.capacity = 1025;
  buffer.has_value = true;
  buffer.value = -3;
  buffer.is_real = true;
  buffer.real = 0.1;
  buffer.fill = {Fill::Kind::permutation, -0.5, 1e300, "/data/with space.bin", 7.5, 0.25};
  buffer.fill.correlation = 2;
  buffer.fill.border = 3;
  buffer.fill.rows = 4;
  buffer.fill.columns = 5;
  return buffer;
}

TEST(SessionMessages, SessionPlan) {
  SessionPlan plan;
  plan.device_index = 3;
  plan.cache = CachePolicy::cold;
  plan.seed = std::numeric_limits<std::uint64_t>::max();
  plan.check_limits = {77, 1'000'000'000'000};
  plan.probe_code = {9, 8, 7};
  SessionProblem problem;
  problem.problem = {"conv1d", {{"N", std::int64_t{1} << 33}, {"boundary", "replicate"}}};
  problem.buffers = {make_buffer(), PlannedBuffer{}};
  problem.reference = {
      "conv1d",          {1, 2}, {{"a", "b"}}, make_plan(), {true, 129, 2.5, 0x1p-23, 3, 0.125},
      {{4, "/data/out"}}};
  problem.reference.comparison.absolute = 1e-14;
  problem.reference.comparison.relative = 1e-5;
  problem.reference.comparison.ignored = {"scratch"};
  problem.fills = {{1, {4, 5}, {{"fill", "_Z4fill"}}, make_plan()}};
  plan.problems = {problem, SessionProblem{}};

  const auto copy = session_through_cbor(plan);
  EXPECT_EQ(copy.device_index, 3);
  EXPECT_EQ(copy.cache, CachePolicy::cold);
  EXPECT_EQ(copy.seed, plan.seed);
  EXPECT_EQ(copy.check_limits.outputs, 77);
  EXPECT_EQ(copy.check_limits.multiply_adds, 1'000'000'000'000);
  EXPECT_EQ(copy.probe_code, plan.probe_code);
  ASSERT_EQ(copy.problems.size(), 2U);
  const SessionProblem& first = copy.problems[0];
  EXPECT_EQ(first.problem, problem.problem);
  ASSERT_EQ(first.buffers.size(), 2U);
  const PlannedBuffer expected = make_buffer();
  const PlannedBuffer& buffer = first.buffers[0];
  EXPECT_EQ(buffer.name, expected.name);
  EXPECT_EQ(buffer.kind, expected.kind);
  EXPECT_EQ(buffer.type, expected.type);
  EXPECT_EQ(buffer.role, expected.role);
  EXPECT_EQ(buffer.count, expected.count);
  EXPECT_EQ(buffer.capacity, expected.capacity);
  EXPECT_EQ(buffer.has_value, expected.has_value);
  EXPECT_EQ(buffer.value, expected.value);
  EXPECT_EQ(buffer.is_real, expected.is_real);
  EXPECT_EQ(buffer.real, expected.real);
  EXPECT_EQ(buffer.fill.kind, expected.fill.kind);
  EXPECT_EQ(buffer.fill.low, expected.fill.low);
  EXPECT_EQ(buffer.fill.high, expected.fill.high);
  EXPECT_EQ(buffer.fill.file, expected.fill.file);
  EXPECT_EQ(buffer.fill.mean, 7.5);
  EXPECT_EQ(buffer.fill.deviation, 0.25);
  EXPECT_EQ(buffer.fill.correlation, 2);
  EXPECT_EQ(buffer.fill.border, 3);
  EXPECT_EQ(buffer.fill.rows, 4);
  EXPECT_EQ(buffer.fill.columns, 5);
  EXPECT_EQ(first.reference.builtin, "conv1d");
  EXPECT_EQ(first.reference.given, problem.reference.given);
  EXPECT_EQ(first.reference.code, problem.reference.code);
  EXPECT_EQ(first.reference.symbols, problem.reference.symbols);
  expect_same(first.reference.launches, problem.reference.launches);
  EXPECT_TRUE(first.reference.comparison.reduced);
  EXPECT_EQ(first.reference.comparison.reduction, 129);
  EXPECT_EQ(first.reference.comparison.scale, 2.5);
  EXPECT_EQ(first.reference.comparison.sums, 0x1p-23);
  EXPECT_EQ(first.reference.comparison.tolerance, 3);
  EXPECT_EQ(first.reference.comparison.mismatches, 0.125);
  EXPECT_EQ(first.reference.comparison.absolute, 1e-14);
  EXPECT_EQ(first.reference.comparison.relative, 1e-5);
  EXPECT_EQ(first.reference.comparison.ignored, problem.reference.comparison.ignored);
  ASSERT_EQ(first.fills.size(), 1U);
  EXPECT_EQ(first.fills[0].argument, 1);
  EXPECT_EQ(first.fills[0].code, problem.fills[0].code);
  EXPECT_EQ(first.fills[0].symbols, problem.fills[0].symbols);
  expect_same(first.fills[0].launches, problem.fills[0].launches);
}

TEST(SessionMessages, RefusesWhatDoesNotFit) {
  nlohmann::json plan = SessionPlan{};
  plan["cache"] = 2;
  EXPECT_THROW(plan.get<SessionPlan>(), nlohmann::json::exception);
  plan["cache"] = -1;
  EXPECT_THROW(plan.get<SessionPlan>(), nlohmann::json::exception);
  EXPECT_THROW(nlohmann::json::object().get<KernelPlan>(), nlohmann::json::exception);
}

}  // namespace
}  // namespace tilewright
