#include "runtime/bundle/bundle_file.hpp"

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "definition/text/text_file.hpp"
#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Bundles whose checksum is right and whose contents somebody made up.
class BundleCheck : public BlendTest {
 protected:
  void SetUp() override {
    BundleMaker maker(options());
    maker.add({"blend", {{"count", 30}}, host::device_report().device});
    good_ = decode_bundle(maker.bytes(), "bundle");
  }

  // Refused when it is opened, in one sentence with the file and this part.
  void expect_refused(const std::function<void(BundleContents&)>& forge,
                      const std::string& part) const {
    BundleContents forged = good_;
    forge(forged);
    const fs::path file = folder_.write("forged.bundle", encode_bundle(forged));
    const std::string message = message_of<InputError>([&] { Bundle{file}; });
    EXPECT_TRUE(message.starts_with(file.string())) << message;
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  // The same for its only recipe.
  void expect_refused(const std::function<void(Recipe&)>& forge, const std::string& part) const {
    expect_refused([&](BundleContents& contents) { forge(contents.recipes.at(0).recipe); },
                   "kernel 1: " + part);
  }
  // The same for its only launch.
  void expect_launch_refused(const std::function<void(PlannedLaunch&)>& forge,
                             const std::string& part) const {
    expect_refused([&](Recipe& recipe) { forge(recipe.launches.launches.at(0)); },
                   "launch 1: " + part);
  }

  BundleContents good_;
};

TEST_F(BundleCheck, AcceptsWhatTheMakerWrites) {
  check_bundle(good_);
}

TEST_F(BundleCheck, Extents) {
  const std::string grid = "'grid' is 2147483648, outside 1 to 2147483647";
  expect_launch_refused([](auto& launch) { launch.grid[0] = std::int64_t{1} << 31; }, grid);
  expect_launch_refused([](auto& launch) { launch.grid[0] = std::int64_t{1} << 32; }, "'grid'");
  expect_launch_refused([](auto& launch) { launch.grid[1] = 65536; }, "'grid' is 65536");
  expect_launch_refused([](auto& launch) { launch.grid[2] = 0; }, "'grid' is 0");
  expect_launch_refused(
      [](auto& launch) {
        launch.block = {1024, 2, 1};
      },
      "'block' is 1024 × 2 × 1, more than 1024 in all");
  expect_launch_refused([](auto& launch) { launch.block[0] = -1; }, "'block' is -1");
  expect_launch_refused([](auto& launch) { launch.cluster = {8, 4, 1}; }, "'cluster' is 8 × 4 × 1");
  expect_launch_refused([](auto& launch) { launch.shared_bytes = kMost; }, "'shared_bytes' is");
  expect_launch_refused([](auto& launch) { launch.shared_bytes = -1; }, "'shared_bytes' is -1");
  // A device that is made up allows no more.
  expect_refused(
      [](Recipe& recipe) {
        recipe.device.max_grid = recipe.device.max_block = {1 << 30, 1 << 30, 1 << 30};
        recipe.device.max_threads_per_block = 1 << 30;
        recipe.launches.launches[0].block[0] = 2048;
      },
      "launch 1: 'block' is 2048, outside 1 to 1024");
}

TEST_F(BundleCheck, Parameters) {
  using Kind = PlannedArgument::Kind;
  const auto expect_parameter = [&](std::size_t i, const auto& forge, const std::string& part) {
    expect_launch_refused([&](PlannedLaunch& launch) { forge(launch.arguments.at(i)); },
                          "parameter " + std::to_string(i + 1) + ": " + part);
  };
  for (const int index : {-1, 6, 1 << 30, std::numeric_limits<int>::min()})
    for (const std::size_t parameter : {0U, 1U})
      expect_parameter(
          parameter, [&](auto& planned) { planned.index = index; },
          "'index' is " + std::to_string(index) + ", outside 0 to 5");
  expect_parameter(
      0, [](auto& planned) { planned.kind = Kind::bytes; }, "'bytes' is 0");
  expect_parameter(
      0, [](auto& planned) { planned.kind = Kind::tensor_map; }, "a tensor map: 0");
  expect_parameter(
      1, [](auto& planned) { planned.size = 8; }, "'size' is 8, outside 12 to 32764");
  expect_parameter(
      1, [](auto& planned) { planned.size = -1; }, "'size' is -1");
  expect_parameter(
      1, [](auto& planned) { planned.size = kMost; }, "'size' is");
  expect_parameter(
      1, [](auto& planned) { planned.index = 3; }, "'factor' is not a buffer");
  expect_parameter(
      1, [](auto& planned) { planned.index = 2; }, "'size' is 16, outside 120");
  const auto by_value = [](auto& planned) {
    planned.index = 2;
    planned.size = 120;
  };
  expect_parameter(1, by_value, "'y' goes by value; only inputs that say so can do that");
  expect_parameter(
      6, [](auto& planned) { planned.offset = 257; }, "'offset' is 257, outside 0");
  expect_parameter(
      6, [](auto& planned) { planned.offset = -8; }, "'offset' is -8");
  const auto expect_map = [&](const auto& forge, const std::string& part) {
    expect_parameter(
        6,
        [&](PlannedArgument& planned) {
          planned = {Kind::workspace_map, 0, {}, 16, 0, {ElementType::float16, {120}, {}, {8}}};
          forge(planned);
        },
        part);
  };
  expect_map([](auto& planned) { planned.map.dims = {121}; },
             "a tensor map does not lie within the 256 bytes of the workspace");
  expect_map([](auto& planned) { planned.offset = -16; }, "'offset' is -16");
  expect_map([](auto& planned) { planned.offset = 8; }, "a tensor map: it begins 8 bytes");
  expect_map([](auto& planned) { planned.map.box = {7}; }, "a tensor map: a row of the box is 14");
  const auto expect_pixels = [&](const auto& forge, const std::string& part) {
    expect_map(
        [&](auto& planned) {
          planned.map = {ElementType::float16, {8, 5, 2}, {8, 40}, {8, 99}, 0, 0, {0}, {0}, {1}};
          forge(planned.map);
        },
        part);
  };
  expect_pixels([](auto& map) { map.strides[1] = 96; }, "a tensor map does not lie within");
  expect_pixels([](auto& map) { map.lower_corner = {5}; }, "a tensor map: lower_corner[0] = 5 and");
  expect_pixels([](auto& map) { map.element_strides = {}; }, "a tensor map: 3 dims, 2 strides, 2");
  expect_pixels([](auto& map) { map.lower_corner.resize(1000); }, "a tensor map: 3 dims, 2");
  expect_launch_refused([](auto& launch) { launch.arguments.resize(257, launch.arguments[7]); },
                        "'number of parameters' is 257");
  expect_launch_refused([](auto& launch) { launch.entry = "other"; },
                        "its code has no entry 'other'");
}

TEST_F(BundleCheck, Constants) {
  for (auto& [key, build] : good_.builds) build.symbols["&d_x"] = "tilewright_constant_0";
  PlannedConstant good{"&d_x", 0, 120};
  good_.recipes.at(0).recipe.launches.constants = {good};
  check_bundle(good_);
  const auto expect_constant = [&](const PlannedConstant& forged, const std::string& part) {
    expect_refused([&](Recipe& recipe) { recipe.launches.constants = {forged}; },
                   "constant 1: " + part);
  };
  expect_constant({"&d_y", 0, 120}, "its code has no constant '&d_y'");
  expect_constant({"blend", 0, 120}, "its code has no constant 'blend'");
  expect_constant({"&d_x", 6, 120}, "'index' is 6, outside 0 to 5");
  expect_constant({"&d_x", 3, 4}, "'factor' is not a buffer");
  expect_constant({"&d_x", 0, 124}, "'bytes' is 124, outside 0 to 120");
  expect_constant({"&d_x", 0, -1}, "'bytes' is -1");
  expect_launch_refused([](auto& launch) { launch.entry = "&d_x"; },
                        "its code has no entry '&d_x'");
}

TEST_F(BundleCheck, Textures) {
  using Kind = PlannedArgument::Kind;
  const PlannedTexture x{0, ElementType::float32, 1, {10, 3}, {10}, {}};
  good_.recipes.at(0).recipe.launches.textures = {x};
  check_bundle(good_);
  const auto expect_texture = [&](const auto& forge, const std::string& part) {
    expect_refused([&](Recipe& recipe) { forge(recipe.launches.textures.at(0)); },
                   "texture 1: " + part);
  };
  expect_texture([](auto& one) { one.index = -1; }, "'index' is -1, outside 0 to 5");
  expect_texture([](auto& one) { one.index = 2; }, "'y' is not an input; only inputs are textures");
  expect_texture([](auto& one) { one.index = 3; }, "'factor' is not a buffer");
  expect_texture(
      [](auto& one) {
        one.dims = {10, 4};
      },
      "a texture does not lie within the 30 elements of 'x'");
  expect_texture([](auto& one) { one.lanes = 2; }, "a texture does not lie within the 30");
  expect_texture([](auto& one) { one.type = ElementType::int32; }, "a texture does not lie within");
  expect_texture([](auto& one) { one.lanes = 0; }, "an element has 0 numbers");
  expect_texture([](auto& one) { one.strides.clear(); }, "2 dims and 0 strides");
  expect_texture([](auto& one) { one.dims = {kMost, kMost}; }, "dims[0] = 9223372036854775807");
  expect_texture([](auto& one) { one.modes.memory = TextureMemory::linear; }, "a row is 40 bytes");
  expect_refused([&](Recipe& recipe) { recipe.launches.textures.assign(65, x); },
                 "'number of textures' is 65");
  for (const int index : {-1, 1})
    expect_launch_refused(
        [&](auto& launch) {
          launch.arguments.at(0) = {Kind::texture, index, {}};
        },
        "parameter 1: 'index' is " + std::to_string(index) + ", outside 0 to 0");
}

TEST_F(BundleCheck, LoopsAndOpenGrids) {
  const PlannedArgument y{PlannedArgument::Kind::argument, 2, {}};
  const PlannedArgument workspace{PlannedArgument::Kind::workspace, 0, {}, 8};
  good_.recipes.at(0).recipe.launches.loops = {{0, 1, 5, {y, workspace}}};
  good_.recipes.at(0).recipe.launches.launches.at(0).grid_texts[2] = "min(resident, 3)";
  check_bundle(good_);
  const auto expect_loop = [&](const PlannedLoop& forged, const std::string& part) {
    expect_refused([&](Recipe& recipe) { recipe.launches.loops = {forged}; }, part);
  };
  expect_loop({0, 2, 5, {}}, "a loop of 2 launches from launch 0 on");
  expect_loop({0, 1, 100'001, {}}, "a loop of 100001 trips");
  expect_loop({0, 1, 5, {y}}, "a loop in which 1 arguments change places");
  expect_loop({0, 1, 5, {y, {PlannedArgument::Kind::argument, 0, {}}}},
              "loop 1: 'x' is an input; it cannot change places");
  expect_loop({0, 1, 5, {y, {PlannedArgument::Kind::argument, 3, {}}}}, "loop 1: 'factor' is not");
  expect_loop({0, 1, 5, {y, {PlannedArgument::Kind::workspace, 0, {}, 257}}},
              "loop 1: 'offset' is 257");
  expect_loop({0, 1, 5, {y, {PlannedArgument::Kind::bytes, 0, {1}}}},
              "loop 1: only buffers and the workspace change places");
  expect_launch_refused([](auto& launch) { launch.grid_texts[0] = "resident + n"; },
                        "a grid uses 'n'");
  expect_launch_refused([](auto& launch) { launch.grid_texts[0] = std::string(5000, '('); },
                        "a grid does not parse");
}

TEST_F(BundleCheck, Arguments) {
  const auto expect_argument = [&](std::size_t i, const auto& forge, const std::string& part) {
    expect_refused([&](Recipe& recipe) { forge(recipe.arguments.at(i)); }, "argument '" + part);
  };
  expect_argument(
      0, [](auto& one) { one.asked.count = -1; }, "x': 'count' is -1");
  expect_argument(
      0, [](auto& one) { one.asked.count = kMost; }, "x': 'count' is");
  expect_argument(
      0, [](auto& one) { one.asked.count = kMostBufferElements + 1; }, "x': 'count' is");
  expect_argument(
      0,
      [](auto& one) {
        one.value = {1, 2, 3, 4};
      },
      "x': 'value' has 4 bytes");
  expect_argument(
      3, [](auto& one) { one.asked.count = 2; }, "factor': 'count' is 2");
  expect_argument(
      4, [](auto& one) { one.capacity = 1; }, "table': 'capacity' is 1, outside 2");
  expect_argument(
      4, [](auto& one) { one.capacity = kMost; }, "table': 'capacity' is");
  expect_argument(
      5, [](auto& one) { one.value.pop_back(); }, "half': 'value' has 3 bytes");
  expect_refused([](Recipe& recipe) { recipe.arguments.resize(65, recipe.arguments[0]); },
                 "'number of arguments' is 65");
  expect_refused([](Recipe& recipe) { recipe.launches.workspace_bytes = -1; }, "'workspace_bytes'");
  expect_refused([](Recipe& recipe) { recipe.launches.workspace_bytes = kMost; },
                 "'workspace_bytes'");
}

TEST_F(BundleCheck, RecipesBuildsAndCode) {
  expect_refused([](Recipe& recipe) { recipe.architecture = "sm_90"; }, "its architecture 'sm_90'");
  expect_refused([](Recipe& recipe) { recipe.device.sm_count = -1; }, "'sm_count' is -1");
  expect_refused([](Recipe& recipe) { recipe.answer.measured_at = kMost; }, "'measured_at'");
  expect_refused([](Recipe& recipe) { recipe.answer.median_us = -1; }, "'median_us' is -1");
  expect_refused([](Recipe& recipe) { recipe.answer.problem.values["count"] = kMost; }, "'count'");
  expect_refused([](BundleContents& forged) { forged.recipes[0].build = "none"; },
                 "kernel 1: it has no code");
  expect_refused([](BundleContents& forged) { forged.builds.begin()->second.code_hash = "none"; },
                 "has no code");
  expect_refused(
      [](BundleContents& forged) {
        std::vector<std::uint8_t> code = *forged.codes.begin()->second;
        code[code.size() / 2] ^= 1U;
        forged.codes.begin()->second =
            std::make_shared<const std::vector<std::uint8_t>>(std::move(code));
      },
      "does not match its checksum");
  expect_refused(
      [](BundleContents& forged) {
        forged.codes.begin()->second = std::make_shared<const std::vector<std::uint8_t>>();
      },
      "does not match its checksum");
}

TEST_F(BundleCheck, Rows) {
  BestRow row;
  row.implementation = "blend/plain";
  row.problem = {"blend", {{"count", 30}, {"sign", "plus"}}};
  row.device = host::device_report().device;
  row.trial.timing.emplace().median_us = 3;
  row.trial.warm_timing.emplace().median_us = 2;
  good_.rows = {row};
  check_bundle(good_);
  const BestRow read = decode_bundle(encode_bundle(good_), "bundle").rows.at(0);
  EXPECT_EQ(read.trial.timing->median_us, 3);
  ASSERT_TRUE(read.trial.warm_timing);
  EXPECT_EQ(read.trial.warm_timing->median_us, 2);
  const auto expect_row = [&](const auto& forge, const std::string& part) {
    expect_refused([&](BundleContents& forged) { forge(forged.rows[0]); }, "row 1: " + part);
  };
  expect_row([](BestRow& one) { one.trial.timing->median_us = -1; }, "'median_us' is -1");
  expect_row([](BestRow& one) { one.trial.warm_timing->median_us = -1; }, "'warm_median_us' is -1");
  expect_row([](BestRow& one) { one.finished = -1; }, "'measured_at' is -1");
  expect_row([](BestRow& one) { one.problem.values["count"] = kMost; }, "'count' is");
  PortableRow portable;
  portable.device = row.device;
  portable.implementation = "blend/plain";
  good_.portable = {portable};
  expect_refused([](BundleContents& forged) { forged.portable[0].mean_ratio = -1; },
                 "portable row 1: 'mean_ratio' is -1");
}

// The library would convert it, whatever its size.
TEST_F(BundleCheck, NoRealIsReadAsAnInteger) {
  const nlohmann::json good = bundle_to_json(good_);
  int integers = 0;
  const nlohmann::json flat = good.flatten();
  for (const auto& [path, value] : flat.items()) {
    if (!value.is_number_integer()) continue;
    ++integers;
    nlohmann::json forged = good;
    forged[nlohmann::json::json_pointer(path)] = -1e308;
    EXPECT_ANY_THROW(bundle_from_json(forged)) << path;
  }
  EXPECT_GT(integers, 30);
}

// Each crashed a process when it was opened, or when its kernel was launched.
TEST(BundleReproducers, AreRefused) {
  for (const char* number : {"25", "201", "281", "377", "393"}) {
    const std::string file =
        std::string(TILEWRIGHT_SOURCE_DIR "/tests/attack/bundle_") + number + "_SIG11.bundle";
    const std::string message = message_of<InputError>([&] { Bundle{file}; });
    EXPECT_TRUE(message.starts_with(file)) << message;
  }
}

TEST_F(BundleCheck, PreparedInputs) {
  using Kind = PlannedArgument::Kind;
  Recipe& recipe = good_.recipes.at(0).recipe;
  recipe.arguments.at(0).asked.prepared = true;
  recipe.launches.prepared_bytes = 64;
  PlannedLaunch prepares = recipe.launches.launches.at(0);
  prepares.prepares = true;
  prepares.arguments = {
      {Kind::argument, 0, {}}, {Kind::workspace, 0, {}, 64}, {Kind::bytes, 0, {1}}};
  prepares.arguments[1].prepared = true;
  recipe.launches.launches.push_back(prepares);
  check_bundle(good_);
  const auto expect_parameter = [&](std::size_t i, const PlannedArgument& forged,
                                    const std::string& part) {
    expect_refused([&](Recipe& one) { one.launches.launches.at(1).arguments.at(i) = forged; },
                   "launch 2: parameter " + std::to_string(i + 1) + ": " + part);
  };
  PlannedArgument beyond = prepares.arguments[1];
  beyond.offset = 65;
  expect_parameter(1, beyond, "'offset' is 65, outside 0 to 64");
  const std::string of_call = "it is of a call; the launch prepares an input";
  expect_parameter(0, {Kind::argument, 2, {}}, of_call);
  expect_parameter(1, {Kind::workspace, 0, {}, 0}, of_call);
  expect_parameter(2, {Kind::trip, 0, {}}, of_call);
  PlannedArgument output{Kind::argument, 2, {}};
  output.prepared = true;  // which says nothing of what is no memory
  expect_parameter(0, output, of_call);
  expect_refused([](Recipe& one) { one.arguments.push_back(one.arguments.at(0)); },
                 "'number of prepared arguments' is 2, outside 0 to 1");
  expect_refused([](Recipe& one) { one.launches.prepared_bytes = -1; }, "'prepared_bytes' is -1");
  expect_refused([](Recipe& one) { one.launches.prepared_bytes = kMost; }, "'prepared_bytes' is");
  expect_refused([](Recipe& one) { one.launches.prepared_bytes = 0; },
                 "launch 2: parameter 2: no input is prepared");
  expect_refused([](Recipe& one) { one.arguments.at(0).asked.prepared = false; },
                 "'prepared_bytes' is 64, outside 0 to 0");
  for (const std::size_t other : {2U, 3U})  // an output and a scalar
    expect_refused([&](Recipe& one) { one.arguments.at(other).asked.prepared = true; },
                   "argument '" + recipe.arguments.at(other).asked.name +
                       "': it is taken prepared; only input buffers are");
}

}  // namespace
}  // namespace tilewright::test
