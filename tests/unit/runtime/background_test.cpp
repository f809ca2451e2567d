// What serves while better code is compiled on another thread.
#include "runtime/catalog_source.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

using Clock = std::chrono::steady_clock;

// When a test gives up, not what it expects.
Clock::time_point soon() {
  return Clock::now() + std::chrono::minutes(2);
}

TEST(Background, WorksInOrderUntilItIsStopped) {
  std::vector<int> done;
  std::promise<void> second, may_end;
  Background background;
  background.add([&] { done.push_back(1); });
  background.add([&] {
    done.push_back(2);
    second.set_value();
    may_end.get_future().wait();
    done.push_back(3);
  });
  background.add([&] { done.push_back(4); });
  second.get_future().wait();
  std::thread stopping([&] { background.stop(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // likely to wait by now
  may_end.set_value();
  stopping.join();
  background.add([&] { done.push_back(5); });
  EXPECT_TRUE(done == (std::vector{1, 2, 3}) || done == (std::vector{1, 2, 3, 4})) << done.size();
}

TEST(Background, StopsWithoutAnyWork) {
  Background background;
  background.stop();
}

// Blocks of 64 by an override, and a bundle with the default, of 32.
class InBackground : public BlendTest {
 protected:
  InBackground() : bundle_(folder_.path() / "blend.bundle") {
    BundleMaker maker(options());
    maker.add({"blend", {{"count", 30}}, host::device_report().device});
    folder_.write("blend.bundle", maker.bytes());
  }

  RuntimeOptions in_background() const {
    RuntimeOptions given = options();
    given.catalog.overrides = {{"blend/plain", {}, {{{"BLOCK", 64}}}}};
    given.bundles = {bundle_};
    given.cache = folder_.path() / "code";
    given.compiling = Compiling::in_background;
    return given;
  }

  static void launch(const Kernel& kernel, BlendOperands& operands, Scratch::State state) {
    kernel.launch(nullptr, operands.list(), {operands.workspace.data(), state});
  }

  std::filesystem::path bundle_;
};

TEST_F(InBackground, TheBundlesKernelServesUntilTheBetterOneIsCompiled) {
  const Runtime runtime(in_background());
  const Kernel kernel = runtime.kernel(request({{"count", 30}}));
  EXPECT_EQ(kernel.answer().rung, Rung::override_given);
  BlendOperands operands(30);
  launch(kernel, operands, Scratch::State::unknown);
  EXPECT_EQ(operands.y[29], operands.expected(29));
  const Answer& meanwhile = kernel.answer();
  EXPECT_EQ(meanwhile.rung, Rung::manifest_default);
  EXPECT_EQ(meanwhile.passed_over, "blend/plain of rung 'override': its code is being compiled");

  // Neither knows what the other left in the workspace.
  for (const auto limit = soon(); kernel.answer().rung != Rung::override_given;) {
    ASSERT_LT(Clock::now(), limit) << "it was not compiled";
    launch(kernel, operands, Scratch::State::ready);
    ASSERT_EQ(operands.y[29], operands.expected(29));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  launch(kernel, operands, Scratch::State::ready);
  EXPECT_EQ(operands.y[29], operands.expected(29));
  EXPECT_EQ(kernel.answer().passed_over, "");
  EXPECT_EQ(meanwhile.rung, Rung::manifest_default);  // lives on

  const Kernel next = Runtime(in_background()).kernel(request({{"count", 30}}));
  next.prepare();
  EXPECT_EQ(next.answer().rung, Rung::override_given) << "its code is in the cache";
}

TEST_F(InBackground, WhatServesGoesOnIfTheBetterOneDoesNotCompile) {
  const std::filesystem::path called = folder_.path() / "called";
  RuntimeOptions given = in_background();
  given.host_compiler = folder_.write(
      "broken_compiler", "#!/bin/sh\ntest \"$1\" = --version && exec c++ --version\necho > " +
                             called.string() + "\nexit 1\n");
  std::filesystem::permissions(given.host_compiler, std::filesystem::perms::owner_all);
  std::optional<Runtime> runtime(given);
  const Kernel kernel = runtime->kernel(request({{"count", 30}}));
  BlendOperands operands(30);
  launch(kernel, operands, Scratch::State::unknown);
  for (const auto limit = soon(); !std::filesystem::exists(called);) {
    ASSERT_LT(Clock::now(), limit) << "the compiler was not called";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  runtime.reset();  // waits for the compiler
  launch(kernel, operands, Scratch::State::ready);
  EXPECT_EQ(operands.y[29], operands.expected(29));
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);
}

TEST_F(InBackground, AKernelMayOutliveTheRuntimeThatWouldHaveCompiled) {
  const Kernel kernel = Runtime(in_background()).kernel(request({{"count", 30}}));
  BlendOperands operands(30);
  for (int i = 0; i < 3; ++i) {
    launch(kernel, operands, Scratch::State::ready);
    EXPECT_EQ(operands.y[29], operands.expected(29));
  }
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);
}

// The bundle was made when "plus" was the default.
TEST_F(InBackground, AnotherProblemOfTheSameNameDoesNotServe) {
  std::string changed = kBlendManifest;
  const std::string usual = "default = \"plus\"";
  changed.replace(changed.find(usual), usual.size(), "default = \"minus\"");
  folder_.write("kernels/blend/operation.toml", changed);
  const Kernel kernel = Runtime(in_background()).kernel(request({{"count", 30}}));
  BlendOperands operands(30);
  launch(kernel, operands, Scratch::State::unknown);
  EXPECT_EQ(operands.y[29], -operands.expected(29));
  EXPECT_EQ(kernel.answer().rung, Rung::override_given);
}

TEST_F(InBackground, NothingIsCompiledOnceTheRuntimeIsGone) {
  std::optional<Runtime> runtime(in_background());
  const KernelsBySize sizes = runtime->resolve(request(), {"count"});
  runtime.reset();
  BlendOperands operands(30);
  launch(sizes.at({30}), operands, Scratch::State::unknown);
  EXPECT_EQ(sizes.at({30}).answer().rung, Rung::override_given) << "it waits for a compiler again";
}

// The thread that would compile ends with the runtime, which the child does not destroy.
TEST_F(InBackground, NothingIsCompiledInAChildThatWasForkedAfterwards) {
  std::optional<Runtime> runtime(in_background());
  const KernelsBySize sizes = runtime->resolve(request(), {"count"});
  runtime.reset();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    BlendOperands operands(30);
    launch(sizes.at({30}), operands, Scratch::State::unknown);
    _exit(sizes.at({30}).answer().rung == Rung::override_given ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(InBackground, ACompileIsWaitedForWhereNothingElseMayServe) {
  RuntimeOptions without = in_background();
  without.bundles.clear();
  BlendOperands operands(30);
  const Kernel alone = Runtime(without).kernel(request({{"count", 30}}));
  launch(alone, operands, Scratch::State::unknown);
  EXPECT_EQ(alone.answer().rung, Rung::override_given);

  RuntimeOptions with = in_background();
  with.cache = folder_.path() / "other-code";
  KernelRequest exact = request({{"count", 30}});
  exact.require = Require::exact;
  const Kernel required = Runtime(with).kernel(exact);
  launch(required, operands, Scratch::State::unknown);
  EXPECT_EQ(required.answer().rung, Rung::override_given);
  EXPECT_EQ(operands.y[29], operands.expected(29));
}

}  // namespace
}  // namespace tilewright::test
