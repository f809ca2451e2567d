// What is remembered of kernels, and let go.
#include "tilewright/kernel.hpp"

#include <optional>
#include <thread>

#include "db/store/store.hpp"
#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

class Trimming : public BlendTest {
 protected:
  void expect_right(const Kernel& kernel, std::size_t count) const {
    BlendOperands operands(count);
    kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
    EXPECT_EQ(operands.y[count - 1], operands.expected(count - 1));
  }
};

TEST_F(Trimming, WhatNobodyHoldsIsForgotten) {
  const Runtime runtime(options());
  std::optional<Kernel> held = runtime.kernel(request({{"count", 30}}));
  runtime.kernel(request({{"count", 30}, {"sign", "plus"}}));  // the same, in other words
  for (const std::int64_t count : {10, 20}) runtime.kernel(request({{"count", count}})).prepare();
  EXPECT_EQ(runtime.trim(), 2U);
  EXPECT_EQ(runtime.trim(), 0U);
  EXPECT_EQ(&held->answer(), &runtime.kernel(request({{"count", 30}})).answer()) << "still shared";
  expect_right(*held, 30);
  held.reset();
  EXPECT_EQ(runtime.trim(), 1U);
  expect_right(runtime.kernel(request({{"count", 30}})), 30);
}

TEST_F(Trimming, WhoAsksAnewGetsTheBestByThen) {
  RuntimeOptions own = options();
  const Runtime runtime(own);
  EXPECT_EQ(runtime.kernel(request()).answer().rung, Rung::manifest_default);
  SweepKey key;
  key.operation = "blend";
  key.problem = {"blend", {{"count", 100}, {"sign", "plus"}}};
  key.device = host::device_report().device;
  key.policy.submission = "call";
  key.implementations = {{"blend/plain", 1, "", "", {{{"BLOCK", 32}}}}};
  Store store(own.catalog.database);
  const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
  Trial trial;
  trial.implementation = "blend/plain";
  trial.configuration = {{{"BLOCK", 64}}};
  trial.outcome = Outcome::measured;
  trial.timing = Timing{{5}, 5, 5, 5, 5, 5, 5, 1};
  store.add_trial(sweep.id, trial);
  store.finish_sweep(sweep.id, "{}");
  EXPECT_EQ(runtime.kernel(request()).answer().rung, Rung::manifest_default) << "the first stands";
  EXPECT_EQ(runtime.trim(), 1U);
  EXPECT_EQ(runtime.kernel(request()).answer().rung, Rung::exact);
}

TEST_F(Trimming, KernelsBySizeHoldWhatTheyHaveGiven) {
  const Runtime runtime(options());
  std::optional<KernelsBySize> sizes = runtime.resolve(request(), {"count"});
  const Kernel& given = sizes->at({10});
  sizes->at({20});
  EXPECT_EQ(runtime.trim(), 0U);
  expect_right(given, 10);
  sizes = runtime.resolve(request(), {"count"});
  EXPECT_EQ(runtime.trim(), 2U);
}

TEST_F(Trimming, OutlivesItsRuntimeAndItsMemo) {
  std::optional<Kernel> kernel;
  {
    const Runtime runtime(options());
    kernel = runtime.kernel(request({{"count", 10}}));
    runtime.trim();
  }
  expect_right(*kernel, 10);
}

TEST_F(Trimming, OthersMayAskAndLaunchMeanwhile) {
  const Runtime runtime(options());
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) expect_right(runtime.kernel(request({{"count", 8}})), 8);
    });
  for (int k = 0; k < 200; ++k) runtime.trim();
  for (std::thread& thread : threads) thread.join();
  runtime.trim();
  EXPECT_EQ(runtime.trim(), 0U);
}

TEST_F(Trimming, OfABundleToo) {
  BundleMaker maker(options());
  maker.add({"blend", {{"count", 30}}, host::device_report().device});
  const Bundle bundle(folder_.write("blend.bundle", maker.bytes()));
  const BundleRequest asked{"blend", {{"count", 30}}, DeviceSelector::host()};
  {
    const Kernel held = bundle.kernel(asked);
    EXPECT_EQ(bundle.trim(), 0U);
  }
  EXPECT_EQ(bundle.trim(), 1U);
  expect_right(bundle.kernel(asked), 30);
}

}  // namespace
}  // namespace tilewright::test
