// What a bundle serves beside the problems that it holds, held against a catalog.
#include <algorithm>
#include <memory>
#include <optional>

#include "db/store/store.hpp"
#include "runtime/bundle/bundle_file.hpp"
#include "runtime/bundle/bundle_source.hpp"
#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tilewright/bundle.hpp"
#include "tilewright/catalog.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

// The text with `to` after its one `from`.
std::string with_added(std::string text, const std::string& from, const std::string& to) {
  return text.insert(text.find(from) + from.size(), to);
}

Problem blend_of(std::int64_t count, const std::string& sign = "plus") {
  return {"blend", {{"count", count}, {"sign", sign}}};
}

// Three sizes are tuned; wider blocks need an even count.
class BundleLadder : public BlendTest {
 protected:
  BundleLadder() {
    write_manifest("compiled_in = [\"sign\"]\n",
                   "[[implementation.constraint]]\nrequire = \"BLOCK == 32 || count % 2 == 0\"\n"
                   "why = \"it is how this test tells sizes apart\"\n");
    tune(1000, 64, 5);
    tune(2000, 32, 9);
    tune(4000, 64, 20);
  }

  void write_manifest(const std::string& after, const std::string& more) const {
    folder_.write("kernels/blend/operation.toml", with_added(kBlendManifest, after, more));
  }

  void tune(std::int64_t count, std::int64_t block, double us, std::optional<int> limit_w = {}) {
    tuned_.push_back(count);
    Environment environment;
    environment.power_limit_w = limit_w;
    Store store(options().catalog.database);
    SweepKey key;
    key.operation = "blend";
    key.problem = blend_of(count);
    key.device = device_;
    key.policy = {CachePolicy::warm, "call"};
    key.implementations = {{"blend/plain", 1, "", "", {{{"BLOCK", 32}}}}};
    const SweepRecord sweep = store.begin_sweep(key, environment, Store::Start::fresh);
    for (const std::int64_t size : {32, 64}) {
      Trial trial;
      trial.implementation = "blend/plain";
      trial.configuration = {{{"BLOCK", size}}};
      trial.outcome = Outcome::measured;
      const double time = size == block ? us : 2 * us;
      trial.timing = Timing{{time}, time, time, time, time, time, time, 1, 1, 0};
      trial.verification.emplace();
      store.add_trial(sweep.id, trial);
    }
    store.finish_sweep(sweep.id, "{}");
  }

  // With the tuned sizes and what else the test says.
  std::filesystem::path bundle_with(const BundleSpares& spares) const {
    BundleMaker maker(options());
    for (const std::int64_t count : tuned_) maker.add({"blend", blend_of(count).values, device_});
    maker.add_spares(spares);
    return folder_.write("blend.bundle", maker.bytes());
  }
  BundleSpares spares(std::vector<Problem> problems) const {
    const Store store(options().catalog.database);
    return {"blend", device_, std::move(problems), store.best({}),
            store.portable("blend", DeviceKind::host)};
  }

  static BundleRequest asking(const Problem& problem) {
    return {"blend", problem.values, DeviceSelector::host()};
  }
  static std::string refusal(const Bundle& bundle, const BundleRequest& request) {
    return message_of<InputError>([&] { bundle.kernel(request); });
  }

  std::vector<std::int64_t> tuned_;
  const Device device_ = host::device_report().device;
};

void expect_same(const Answer& served, const Answer& expected) {
  EXPECT_EQ(served.implementation, expected.implementation);
  EXPECT_EQ(served.configuration, expected.configuration);
  EXPECT_EQ(served.problem, expected.problem);
  EXPECT_EQ(served.rung, expected.rung) << to_text(served.rung) << ", " << to_text(expected.rung);
  EXPECT_EQ(served.distance, expected.distance);
  EXPECT_EQ(served.measured_problem, expected.measured_problem);
  EXPECT_EQ(served.measured_device, expected.measured_device);
  EXPECT_EQ(served.median_us, expected.median_us);
  EXPECT_EQ(served.policy, expected.policy);
  EXPECT_EQ(served.origin, expected.origin);
  EXPECT_EQ(served.measured_at, expected.measured_at);
  EXPECT_EQ(served.reason, expected.reason);
}

TEST_F(BundleLadder, HasWhatASweepThatIsNotFinishedMeasured) {
  add_unfinished(options().catalog.database, device_, blend_of(3002), {{64, Outcome::measured}});
  tuned_.push_back(3002);
  const Bundle bundle(bundle_with(spares({})));
  const Answer answer = bundle.kernel(asking(blend_of(3002))).answer();
  expect_same(answer, Catalog(options().catalog).look_up({"blend", {{"count", 3002}}, device_}));
  EXPECT_EQ(answer.rung, Rung::other_policy);
  EXPECT_EQ(answer.reason, "the sweep is not finished, 1 of 9 tried");
  BundleRequest exact = asking(blend_of(3002));
  exact.require = Require::exact;
  EXPECT_THROW(bundle.kernel(exact), NothingFound);
  EXPECT_NE(bundle.kernel(asking(blend_of(3000))).answer().measured_problem, blend_of(3002))
      << "is near none";
}

TEST_F(BundleLadder, KnowsWhatIsWrong) {
  // Its rows are of 32 and 64. All are wrong for 5000, and 64 is wrong for 1400.
  add_unfinished(options().catalog.database, device_, blend_of(5000),
                 {{32, Outcome::wrong_answer}, {64, Outcome::faulted}});
  add_unfinished(options().catalog.database, device_, blend_of(1400),
                 {{64, Outcome::wrong_answer}, {32, Outcome::measured}});
  const Bundle bundle(bundle_with(spares({blend_of(1000)})));
  const Catalog catalog(options().catalog);
  EXPECT_EQ(catalog.look_up({"blend", {{"count", 5000}}, device_}).rung, Rung::none);
  EXPECT_THROW(bundle.kernel(asking(blend_of(5000))), InputError);
  for (const std::int64_t count : {999, 1400, 1500, 3001}) {
    SCOPED_TRACE(count);
    const Answer expected = catalog.look_up({"blend", {{"count", count}}, device_});
    const Answer served = bundle.kernel(asking(blend_of(count))).answer();
    EXPECT_EQ(served.configuration, expected.configuration);
  }
  BundleMaker maker(options());
  EXPECT_THROW(maker.add({"blend", {{"count", 5000}}, device_}), NothingFound);
  EXPECT_EQ(maker.size(), 0U);
}

TEST_F(BundleLadder, AnswersForAnySizeAsACatalogDoes) {
  const Bundle bundle(bundle_with(spares({blend_of(1000)})));
  const Catalog catalog(options().catalog);
  std::map<Rung, int> rungs;
  for (const std::int64_t count : {1, 40, 60, 999, 1000, 1001, 1400, 1500, 2000, 2830, 3001, 4000,
                                   30'000, 60'000, 80'001, 100'000, 1'000'001, 10'000'000}) {
    SCOPED_TRACE(count);
    const Answer expected = catalog.look_up({"blend", {{"count", count}}, device_});
    ++rungs[expected.rung];
    expect_same(bundle.kernel(asking(blend_of(count))).answer(), expected);
    expect_same(bundle.kernel({"blend/plain", {{"count", count}}, DeviceSelector::host()}).answer(),
                expected);
  }
  for (const Rung rung : {Rung::exact, Rung::near_problem, Rung::portable, Rung::manifest_default})
    EXPECT_GT(rungs[rung], 0) << to_text(rung);
}

// On this machine's CPU as if it had a power limit.
TEST_F(BundleLadder, OfSeveralPowerLimitsTheDevicesOwnAnswers) {
  tune(1000, 32, 9, 400);
  tune(1000, 64, 6, 700);
  BundleMaker maker(options());
  Question question{"blend", blend_of(1000).values, device_};
  for (const std::optional<int>& limit_w :
       {std::optional<int>(), std::optional(400), std::optional(700), std::optional(700)}) {
    question.environment.emplace().power_limit_w = limit_w;
    maker.add(question);
  }
  EXPECT_EQ(maker.size(), 2U);
  maker.add_spares(spares({blend_of(1000)}));
  const auto source = std::make_shared<BundleSource>(folder_.write("blend.bundle", maker.bytes()));
  const auto answer = [&](std::int64_t count, std::optional<int> limit_w) {
    DeviceReport here = host::device_report();
    here.environment.power_limit_w = limit_w;
    return source->next({"blend", blend_of(count).values, DeviceSelector::host()}, here, {})
        .value()
        .recipe.answer;
  };
  for (const std::int64_t count : {1000, 1001 + 1}) {
    SCOPED_TRACE(count);
    EXPECT_EQ(answer(count, 400).power_limit_w, 400);
    EXPECT_EQ(answer(count, 400).configuration.values.at("BLOCK"), Value(32));
    EXPECT_FALSE(answer(count, 400).stale);
    EXPECT_EQ(answer(count, 700).power_limit_w, 700);
    EXPECT_EQ(answer(count, {}).power_limit_w, 700);  // the newest
    EXPECT_FALSE(answer(count, {}).stale);
  }
  EXPECT_EQ(answer(1000, 500).power_limit_w, 700);
  EXPECT_EQ(answer(1000, 500).why_stale, "measured at 700 W; this GPU is limited to 500 W");
  EXPECT_EQ(answer(1002, 500).power_limit_w, std::nullopt);  // of an unknown one
}

TEST(PowerLimitOfABundle, IsNotThatOfANearDevice) {
  Answer answer;
  answer.power_limit_w = 700;
  answer.rung = Rung::near_problem;
  EXPECT_EQ(limit_on_its_device(answer), 700);
  answer.rung = Rung::near_device;
  EXPECT_EQ(limit_on_its_device(answer), std::nullopt);
}

TEST_F(BundleLadder, ARequestMayNameAChoiceThatItsProblemOmits) {
  folder_.write("kernels/blend/operation.toml",
                with_added(kBlendManifest, "default = 100\n",
                           "[[operation.choice]]\nname = \"type\"\nvalues = [\"float32\", "
                           "\"float64\"]\ndefault = \"float32\"\nabsent = \"float32\"\n"));
  const Bundle bundle(bundle_with({}));
  for (const char* type : {"", "float32"}) {
    Problem asked = blend_of(1000);
    if (*type != '\0') asked.values.emplace("type", type);
    const Answer answer = bundle.kernel(asking(asked)).answer();
    EXPECT_EQ(answer.rung, Rung::exact) << type;
    EXPECT_EQ(answer.problem, blend_of(1000));
  }
  Problem other = blend_of(1000);
  other.values.emplace("type", "float64");
  EXPECT_NE(bundle.kernel(asking(other)).answer().rung, Rung::exact);
}

TEST_F(BundleLadder, LaunchesAtSizesThatNobodyTuned) {
  tune(40, 64, 1);
  tune(20, 32, 1);
  const Bundle bundle(bundle_with({"blend", device_, {}, {}, {}}));
  for (const std::size_t count : {60U, 31U}) {  // of one block each
    const Kernel kernel = bundle.kernel(asking(blend_of(static_cast<std::int64_t>(count))));
    EXPECT_EQ(kernel.answer().rung, Rung::near_problem);
    BlendOperands operands(count);
    kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(operands.y[i], operands.expected(i)) << i;
  }
  EXPECT_EQ(&bundle.kernel(asking(blend_of(60))).answer(),
            &bundle.kernel(asking(blend_of(60))).answer());
}

TEST_F(BundleLadder, WhatIsCompiledInMustBeThere) {
  const Problem minus = blend_of(1000, "minus");
  const Bundle without(bundle_with(spares({})));
  const std::string why = refusal(without, asking(minus));
  EXPECT_TRUE(
      why.ends_with("blend.bundle: the bundle has no blend count=1000 sign=minus; none of "
                    "its code is for such a problem on host"))
      << why;
  const Bundle with(bundle_with(spares({minus})));
  const Catalog catalog(options().catalog);
  const Kernel kernel = with.kernel(asking(blend_of(10, "minus")));
  expect_same(kernel.answer(), catalog.look_up({"blend", blend_of(10, "minus").values, device_}));
  BlendOperands operands(10);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[9], -operands.expected(9));
}

TEST_F(BundleLadder, CodeForOneSizeServesThatAlone) {
  write_manifest("compiled_in = [\"sign\"", ", { name = \"count\", when = \"BLOCK == 64\" }");
  const Bundle bundle(bundle_with({"blend", device_, {}, {}, {}}));
  const auto block = [&](std::int64_t count) {
    return bundle.kernel(asking(blend_of(count))).answer().configuration.values.at("BLOCK");
  };
  EXPECT_EQ(block(1000), Value(64));
  const Answer near = bundle.kernel(asking(blend_of(1002))).answer();
  EXPECT_EQ(near.configuration.values.at("BLOCK"), Value(32));
  EXPECT_EQ(near.measured_problem, blend_of(2000)) << "the nearest whose code is for any size";
  EXPECT_TRUE(near.reason.ends_with("; the code of a nearer answer is not for this problem"))
      << near.reason;
}

TEST_F(BundleLadder, HasAPlainDefaultForSizesThatTheOthersDoNotServe) {
  tuned_.clear();
  write_manifest("default = 32\n", "follows = \"count % 2 == 0 ? 64 : 32\"\n");
  const Bundle bundle(bundle_with({"blend", device_, {blend_of(1000)}, {}, {}}));
  const auto block = [&](std::int64_t count) {
    return bundle.kernel(asking(blend_of(count))).answer().configuration.values.at("BLOCK");
  };
  EXPECT_EQ(block(40'000'000), Value(64));
  EXPECT_EQ(block(1001), Value(32));
}

TEST_F(BundleLadder, RefusesInOneSentence) {
  const Bundle bundle(bundle_with(spares({})));
  EXPECT_NE(refusal(bundle, asking(blend_of(0))).find("count=0 is outside"), std::string::npos)
      << refusal(bundle, asking(blend_of(0)));
  EXPECT_NE(refusal(bundle, {"blend", {{"cuont", 1}}, DeviceSelector::host()}).find("'count'?"),
            std::string::npos);
  EXPECT_NE(refusal(bundle, {"gemm", {}, DeviceSelector::host()}).find("unknown operation 'gemm'"),
            std::string::npos);
  BundleRequest exact = asking(blend_of(1001));
  exact.require = Require::exact;
  EXPECT_NE(refusal(bundle, exact).find("there is only an answer of rung 'near problem'"),
            std::string::npos);
  exact.problem["count"] = 1000;
  EXPECT_EQ(bundle.kernel(exact).answer().rung, Rung::exact);
}

TEST_F(BundleLadder, GivesARuntimeBetterAnswersThanItHas) {
  RuntimeOptions bare = options();
  bare.bundles = {bundle_with(spares({}))};
  bare.catalog.database = folder_.path() / "none.db";
  bare.cache.clear();
  bare.host_compiler = "/nowhere/c++";
  const Runtime runtime(bare);
  const Kernel kernel = runtime.kernel(request({{"count", 1400}}));
  EXPECT_EQ(kernel.answer().rung, Rung::near_problem);
  kernel.prepare();
  Override given{"blend/plain", {}, {{{"BLOCK", 32}}}};
  bare.catalog.overrides = {given};
  EXPECT_EQ(Runtime(bare).kernel(request({{"count", 1400}})).answer().rung, Rung::override_given);
}

class BundleStepsDown : public BundleLadder {
 protected:
  // A bundle whose code for blocks of this size is no code.
  Bundle damaged(std::initializer_list<std::int64_t> blocks) const {
    BundleContents contents = read_bundle(bundle_with(spares({blend_of(1000)})));
    const auto code =
        std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 2});
    const std::string hash = code_checksum(*code);
    contents.codes[hash] = code;
    for (const BundledRecipe& bundled : contents.recipes)
      for (const std::int64_t block : blocks)
        if (bundled.recipe.answer.configuration.values.at("BLOCK") == Value(block))
          contents.builds.at(bundled.build).code_hash = hash;
    return Bundle(folder_.write("damaged.bundle", encode_bundle(contents)));
  }
};

TEST_F(BundleStepsDown, ToItsNextBestAnswerForTheProblem) {
  const Bundle bundle = damaged({64});
  const Kernel kernel = bundle.kernel(asking(blend_of(1000)));
  EXPECT_EQ(kernel.answer().rung, Rung::exact);
  BlendOperands operands(1000);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y.back(), operands.expected(999))
      << "the last block sees the counter in order";
  const Answer& now = kernel.answer();
  EXPECT_EQ(now.configuration.values.at("BLOCK"), Value(32));
  EXPECT_EQ(now.rung, Rung::near_problem);
  EXPECT_EQ(now.measured_problem, blend_of(2000));
  EXPECT_TRUE(now.passed_over.starts_with("blend/plain of rung 'exact': ")) << now.passed_over;
  EXPECT_EQ(&bundle.kernel(asking(blend_of(1000))).answer(), &now);
}

TEST_F(BundleStepsDown, FromWhatItServesToOtherSizesToo) {
  const Kernel kernel = damaged({64}).kernel(asking(blend_of(1002)));
  kernel.prepare();
  EXPECT_EQ(kernel.answer().measured_problem, blend_of(2000));
  EXPECT_TRUE(kernel.answer().passed_over.starts_with("blend/plain of rung 'near problem': "))
      << kernel.answer().passed_over;
}

TEST_F(BundleStepsDown, NotBelowWhatTheRequestRequires) {
  const Bundle bundle = damaged({64});
  BundleRequest exact = asking(blend_of(1000));
  exact.require = Require::exact;
  const Kernel kernel = bundle.kernel(exact);
  EXPECT_TRUE(message_of<MachineError>([&] { kernel.prepare(); }).starts_with("blend/plain count"));
  EXPECT_EQ(kernel.answer().rung, Rung::exact);
  bundle.kernel(asking(blend_of(1000))).prepare();
}

TEST_F(BundleStepsDown, IsAnErrorWhereNothingIsLeft) {
  const Kernel kernel = damaged({32, 64}).kernel(asking(blend_of(1000)));
  EXPECT_TRUE(message_of<MachineError>([&] { kernel.prepare(); }).starts_with("blend/plain count"));
}

TEST_F(BundleLadder, IsTheSameBytesAgain) {
  const BundleContents contents = read_bundle(bundle_with(spares({blend_of(7, "minus")})));
  EXPECT_EQ(contents.rows.size(), 3U);
  EXPECT_EQ(contents.rows.front().device, device_);
  EXPECT_EQ(contents.portable.size(), 2U);
  const std::string bytes = encode_bundle(contents);
  EXPECT_EQ(encode_bundle(decode_bundle(bytes, "bundle")), bytes);
}

TEST_F(BundleLadder, ItsSourcesNeedNotBeThere) {
  folder_.write("kernels/blend/parts/part.cuh", "");
  write_manifest("compiled_in = [\"sign\"]\n", "include = [\"parts\"]\n");
  const std::filesystem::path file = bundle_with(spares({}));
  std::filesystem::remove_all(folder_.path() / "kernels");
  EXPECT_EQ(Bundle(file).kernel(asking(blend_of(1400))).answer().rung, Rung::near_problem);
}

}  // namespace
}  // namespace tilewright::test
