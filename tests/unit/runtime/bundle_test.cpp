#include "tilewright/bundle.hpp"

#include <array>

#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

class BundleTest : public BlendTest {
 protected:
  // The bytes of a bundle with blend for these problems on the host.
  std::string bytes_for(const std::vector<Settings>& problems) const {
    BundleMaker maker(options());
    for (const Settings& problem : problems)
      maker.add({"blend", problem, host::device_report().device});
    return maker.bytes();
  }
  fs::path write(const std::string& bytes) const { return folder_.write("blend.bundle", bytes); }

  std::string refusal(const std::string& bytes) const {
    const fs::path file = write(bytes);
    const std::string message = message_of<InputError>([&] { Bundle{file}; });
    EXPECT_TRUE(message.starts_with(file.string())) << message;
    return message.substr(std::min(message.size(), file.string().size()));
  }
};

TEST_F(BundleTest, LaunchesWhatItHolds) {
  const Bundle bundle(write(bytes_for({{{"count", 30}}, {{"count", 31}, {"sign", "minus"}}})));
  ASSERT_EQ(bundle.kernels().size(), 2U);
  EXPECT_EQ(bundle.kernels()[1].answer.problem.values.at("sign"), Value("minus"));
  EXPECT_EQ(bundle.kernels()[0].architecture, "host");
  const Kernel kernel =
      bundle.kernel({"blend", {{"count", 30}, {"sign", "plus"}}, DeviceSelector::host()});
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);
  EXPECT_EQ(&kernel.answer(),
            &bundle.kernel({"blend", {{"count", 30}}, DeviceSelector::host()}).answer());
  EXPECT_EQ(kernel.answer().configuration,
            bundle.kernel({"blend/plain", {{"count", 30}}, DeviceSelector::host()})
                .answer()
                .configuration);
  BlendOperands operands(30);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(operands.y[i], operands.expected(i)) << i;
  const std::string message =
      message_of<InputError>([&] { kernel.launch(nullptr, {1.0F}, {operands.workspace.data()}); });
  EXPECT_TRUE(message.starts_with("blend/plain count=30: 1 arguments")) << message;
}

TEST_F(BundleTest, SaysWhatItDoesNotHold) {
  const Bundle bundle(write(bytes_for({{{"count", 30}}, {{"count", 31}, {"sign", "minus"}}})));
  const auto missing = [&](const std::string& operation, const Settings& problem) {
    return message_of<InputError>([&] {
      bundle.kernel({operation, problem, DeviceSelector::host()});
    });
  };
  EXPECT_NE(missing("gemm", {}).find("the bundle has no gemm"), std::string::npos);
  EXPECT_NE(missing("blend", {{"count", 0}}).find("no blend count=0"), std::string::npos);
  EXPECT_NE(missing("blend", {{"count", 30}, {"depth", 1}}).find("no blend"), std::string::npos);
  // Other sizes are served, but as what they are.
  const auto answer = [&](const Settings& problem) {
    return bundle.kernel({"blend", problem, DeviceSelector::host()}).answer();
  };
  EXPECT_EQ(answer({{"count", 29}}).rung, Rung::manifest_default);
  EXPECT_EQ(answer({}).problem.values.at("count"), Value(100));  // 30 is no default
  EXPECT_EQ(answer({{"count", 31}}).problem.values.at("sign"), Value("plus"));
}

TEST_F(BundleTest, IsOfItsArchitecture) {
  BundleContents contents = decode_bundle(bytes_for({{{"count", 30}}}), "bundle");
  contents.recipes[0].recipe.device.kind = DeviceKind::cuda;
  contents.recipes[0].recipe.device.compute_capability = 100;
  contents.recipes[0].recipe.architecture = "sm_100";
  contents.builds = {{"another", contents.builds.begin()->second}};
  contents.recipes[0].build = "another";
  const Bundle bundle(write(encode_bundle(contents)));
  const std::string message = message_of<InputError>([&] {
    bundle.kernel({"blend", {{"count", 30}}, DeviceSelector::host()});
  });
  EXPECT_NE(message.find("for the host: it was compiled for sm_100"), std::string::npos) << message;
}

TEST_F(BundleTest, PrefersTheSameDevice) {
  BundleContents contents = decode_bundle(bytes_for({{{"count", 30}}}), "bundle");
  contents.recipes.push_back(contents.recipes[0]);
  contents.recipes[0].recipe.device.name = "another CPU";
  std::string why;
  const Device here = host::device_report().device;
  EXPECT_EQ(find_recipe(contents, "blend", {{"count", 30}}, here, why), &contents.recipes[1]);
  contents.recipes.pop_back();
  EXPECT_EQ(find_recipe(contents, "blend", {{"count", 30}}, here, why), &contents.recipes[0]);
}

TEST_F(BundleTest, KnowsASnippetByNameAndByLabel) {
  BundleContents contents = decode_bundle(bytes_for({{{"count", 30}}}), "bundle");
  BundledRecipe& bundled = contents.recipes[0];
  bundled.recipe.answer.problem.values["epilogue"] = "relu_12ab";
  bundled.aliases["relu_12ab"] = "relu";
  const Device here = host::device_report().device;
  std::string why;
  const auto finds = [&](const Settings& problem) {
    return find_recipe(contents, "blend", problem, here, why) != nullptr;
  };
  EXPECT_TRUE(finds({{"count", 30}, {"epilogue", "relu"}}));
  EXPECT_TRUE(finds({{"count", 30}, {"epilogue", "relu_12ab"}}));
  EXPECT_FALSE(finds({{"count", 30}, {"epilogue", "gelu"}}));
  EXPECT_FALSE(finds({{"count", 30}}));
}

TEST_F(BundleTest, SaysWhoMeasuredItsAnswer) {
  BundleContents contents = decode_bundle(bytes_for({{{"count", 30}}}), "bundle");
  EXPECT_EQ(contents.recipes[0].recipe.answer.origin, Origin::own);
  contents.recipes[0].recipe.answer.origin = Origin::shipped;
  EXPECT_EQ(Bundle(write(encode_bundle(contents))).kernels()[0].answer.origin, Origin::shipped);
}

TEST_F(BundleTest, IsTheSameBytesAgain) {
  const std::string bytes = bytes_for({{{"count", 30}}});
  EXPECT_EQ(bytes, bytes_for({{{"count", 30}}}));
  EXPECT_EQ(bytes, encode_bundle(decode_bundle(bytes, "bundle")));
}

TEST_F(BundleTest, RefusesDamagedFiles) {
  const std::string bytes = bytes_for({{{"count", 30}}});
  const std::string not_one = " is not a bundle of tilewright's";
  EXPECT_EQ(refusal(""), not_one);
  EXPECT_EQ(refusal("PK\n" + bytes), not_one);
  EXPECT_EQ(refusal(bytes.substr(0, 10)), not_one);
  EXPECT_EQ(refusal(bytes.substr(0, bytes.find('\n') + 1)),
            " is truncated: it ends before its contents");
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 1)).find(" is truncated: "), std::string::npos);
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() / 2)).find(" is truncated: "), std::string::npos);
  for (const std::size_t place : {bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    EXPECT_EQ(refusal(damaged), " is damaged: its contents do not match its checksum");
  }
  EXPECT_EQ(refusal(bytes + "x"), " is damaged: its contents do not match its checksum");
  std::string newer = bytes;
  newer.replace(newer.find("format 2"), 8, "format 3");
  EXPECT_EQ(refusal(newer), " is a bundle of format 3; this tilewright reads format 2");
}

TEST_F(BundleTest, RefusesWhatIsNoFile) {
  const auto refusal_of = [](const fs::path& file) {
    return message_of<InputError>([&] { Bundle{file}; });
  };
  EXPECT_NE(refusal_of(folder_.path() / "none").find("there is no such file"), std::string::npos);
  EXPECT_NE(refusal_of(folder_.path()).find("is a folder"), std::string::npos);
}

TEST_F(BundleTest, GivesARuntimeItsCode) {
  RuntimeOptions without = options();
  without.bundles = {write(bytes_for({{{"count", 30}}}))};
  without.cache.clear();
  without.host_compiler = "/nowhere/c++";
  const Runtime runtime(without);
  BlendOperands operands(30);
  runtime.kernel(request({{"count", 30}}))
      .launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[29], operands.expected(29));
  runtime.kernel(request({{"count", 29}})).prepare();
  EXPECT_THROW(runtime.kernel(request({{"count", 30}, {"sign", "minus"}})).prepare(), MachineError);
}

// The answer is not the bundle's, its code is, unless the manifest has come to launch it otherwise.
TEST_F(BundleTest, GivesItsCodeToTheSameLaunchesAlone) {
  RuntimeOptions given = options();
  given.catalog.overrides = {{"blend/plain", {{"count", 30}}, {{{"BLOCK", 64}}}}};
  BundleMaker maker(given);
  maker.add({"blend", {{"count", 30}}, host::device_report().device});
  given.bundles = {write(maker.bytes())};
  given.cache.clear();
  given.host_compiler = "/nowhere/c++";
  BlendOperands operands(30);
  Runtime(given)
      .kernel(request({{"count", 30}}))
      .launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[29], operands.expected(29));

  std::string changed = kBlendManifest;
  const std::string grid = "ceil_div(count, BLOCK)";
  changed.replace(changed.find(grid), grid.size(), "1 + " + grid);
  folder_.write("kernels/blend/operation.toml", changed);
  EXPECT_THROW(Runtime(given).kernel(request({{"count", 30}})).prepare(), MachineError);
}

TEST_F(BundleTest, HoldsTheCodeOfEachUnit) {
  RuntimeOptions with_units = options();
  with_units.catalog.kernels.clear();
  with_units.catalog.manifests = {TILEWRIGHT_SOURCE_DIR "/tests/definitions/units.toml"};
  BundleMaker maker(with_units);
  maker.add({"sum_in_units", {{"count", 1000}}, host::device_report().device});
  const Bundle bundle(write(maker.bytes()));
  const std::vector<float> numbers(2000, 0.5F);
  for (const std::int64_t count : {1000, 2000}) {
    const Kernel kernel =
        bundle.kernel({"sum_in_units", {{"count", count}}, DeviceSelector::host()});
    alignas(256) std::array<float, 64> workspace = {};
    ASSERT_LE(kernel.workspace_bytes(), std::int64_t{sizeof workspace});
    alignas(16) float total = 0;
    kernel.launch(nullptr, {numbers.data(), &total}, {workspace.data()});
    EXPECT_EQ(total, static_cast<float>(count) / 2);
  }
}

TEST_F(BundleTest, StandsBeforeWeakerAnswersOnly) {
  RuntimeOptions both = options();
  both.bundles = {write(bytes_for({{{"count", 30}}}))};
  Override given{"blend/plain", {{"count", 30}}, {{{"BLOCK", 64}}}};
  both.catalog.overrides = {given};
  const Answer overridden = Runtime(both).kernel(request({{"count", 30}})).answer();
  EXPECT_EQ(overridden.rung, Rung::override_given);
  EXPECT_EQ(overridden.configuration, given.configuration);

  BundleContents measured = decode_bundle(bytes_for({{{"count", 30}}}), "bundle");
  measured.recipes[0].recipe.answer.rung = Rung::exact;
  both.catalog.overrides.clear();
  both.bundles = {write(encode_bundle(measured))};
  KernelRequest exact = request({{"count", 30}});
  exact.require = Require::exact;
  EXPECT_EQ(Runtime(both).kernel(exact).answer().rung, Rung::exact);
}

}  // namespace
}  // namespace tilewright::test
