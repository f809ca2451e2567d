// Inputs that an application prepares once for many launches.
#include <chrono>
#include <thread>

#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

constexpr std::size_t kCount = 100;

// Kernels of tests/definitions/prepared.toml.
class Prepared : public BlendTest {
 protected:
  RuntimeOptions options() const {
    RuntimeOptions options = BlendTest::options();
    options.catalog.kernels = {};
    options.catalog.manifests = {TILEWRIGHT_SOURCE_DIR "/tests/definitions/prepared.toml"};
    return options;
  }

  static Settings problem(const char* filter, std::int64_t count = kCount) {
    return {{"count", count}, {"taps", 3}, {"filter", filter}};
  }
  static Kernel kernel(const Runtime& runtime, const char* filter,
                       const char* implementation = "reordered") {
    return runtime.kernel(
        {std::string("ring_filter/") + implementation, problem(filter), DeviceSelector::host()});
  }

  // y[i] as the call leaves it, with these taps.
  static void expect_right(const Kernel& kernel, const Operand& filter,
                           const std::vector<float>& taps) {
    std::vector<float> x(kCount), y(kCount);
    for (std::size_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i);
    alignas(256) std::array<unsigned char, 1024> workspace = {};
    ASSERT_LE(kernel.workspace_bytes(), 1024);
    kernel.launch(nullptr, {x.data(), filter, std::span(y)}, {workspace.data()});
    for (std::size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(y[i],
                taps[0] * x[i] + taps[1] * x[(i + 1) % kCount] + taps[2] * x[(i + 2) % kCount])
          << i;
  }

  std::vector<float> taps_ = {1, -2, 4};
};

TEST_F(Prepared, LaunchesReadWhatWasPreparedOnce) {
  const Runtime runtime(options());
  const Kernel kernel = Prepared::kernel(runtime, "prepared");
  EXPECT_TRUE(kernel.arguments().at(1).prepared);
  EXPECT_EQ(kernel.workspace_bytes(), 400);
  const PreparedInput filter = kernel.prepare_input(nullptr, taps_.data());
  EXPECT_EQ(filter.bytes(), 24);
  for (int i = 0; i < 2; ++i) expect_right(kernel, filter, taps_);
  taps_ = {8, 8, 8};
  expect_right(kernel, filter, {1, -2, 4});
  filter.prepare_again(nullptr);
  expect_right(kernel, filter, taps_);
}

TEST_F(Prepared, InEachCallItsMemoryIsBehindTheWorkspace) {
  const Runtime runtime(options());
  const Kernel kernel = Prepared::kernel(runtime, "each_call");
  EXPECT_FALSE(kernel.arguments().at(1).prepared);
  EXPECT_EQ(kernel.workspace_bytes(), 512 + 24);
  expect_right(kernel, taps_.data(), taps_);
  taps_ = {8, 8, 8};
  expect_right(kernel, taps_.data(), taps_);
}

TEST_F(Prepared, AKernelThatReadsTheInputAsItIsHoldsNothing) {
  const Runtime runtime(options());
  const Kernel kernel = Prepared::kernel(runtime, "prepared", "plain");
  const PreparedInput filter = kernel.prepare_input(nullptr, taps_.data());
  EXPECT_EQ(filter.bytes(), 0);
  expect_right(kernel, filter, taps_);
  filter.prepare_again(nullptr);
  expect_right(kernel, filter, taps_);
}

TEST_F(Prepared, OutlivesTheKernelItWasMadeWith) {
  PreparedInput filter;
  EXPECT_EQ(filter.bytes(), 0);
  const Runtime runtime(options());
  filter = kernel(runtime, "prepared").prepare_input(nullptr, taps_.data());
  EXPECT_EQ(runtime.trim(), 0U);  // it holds its kernel
  expect_right(kernel(runtime, "prepared"), filter, taps_);
  filter = {};
  EXPECT_EQ(runtime.trim(), 1U);
}

TEST_F(Prepared, WhatDoesNotFitIsRefused) {
  const Runtime runtime(options());
  const Kernel prepared = kernel(runtime, "prepared"), each_call = kernel(runtime, "each_call");
  const PreparedInput filter = prepared.prepare_input(nullptr, taps_.data());
  const auto refusal = [&](const Kernel& kernel, const auto& operand) {
    return message_of<InputError>([&] { expect_right(kernel, operand, taps_); });
  };
  EXPECT_NE(
      refusal(prepared, taps_.data())
          .find("argument 2 'filter' is taken prepared; give what prepare_input() made of it, "
                "or ask for a kernel with filter=each_call"),
      std::string::npos);
  EXPECT_NE(refusal(each_call, filter)
                .find("argument 2 'filter' is not taken prepared; give it as it is, or ask for a "
                      "kernel with filter=prepared"),
            std::string::npos);
  EXPECT_NE(refusal(kernel(runtime, "prepared", "plain"), filter)
                .find("ring_filter/plain count=100 taps=3 filter=prepared: 'filter' was prepared "
                      "for another kernel, ring_filter/reordered count=100"),
            std::string::npos);
  EXPECT_NE(refusal(prepared, PreparedInput()).find("nobody has prepared"), std::string::npos);
  const auto refused_input = [&](const Kernel& kernel, const Operand& input) {
    return message_of<InputError>([&] { kernel.prepare_input(nullptr, input); });
  };
  EXPECT_NE(refused_input(each_call, taps_.data()).find("none of its arguments is taken prepared"),
            std::string::npos);
  EXPECT_NE(refused_input(prepared, std::span(taps_.data(), 2))
                .find("argument 2 'filter' has 3 elements; 2 were given"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] {
              PreparedInput().prepare_again(nullptr);
            }).find("nothing has been prepared"),
            std::string::npos);
}

TEST_F(Prepared, ManyThreadsShareOne) {
  const Runtime runtime(options());
  const Kernel kernel = Prepared::kernel(runtime, "prepared");
  const PreparedInput filter = kernel.prepare_input(nullptr, taps_.data());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { expect_right(kernel, PreparedInput(filter), taps_); });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Prepared, ABundlePreparesThem) {
  BundleMaker maker(options());
  for (const char* filter : {"prepared", "each_call"})
    maker.add({"ring_filter/reordered", problem(filter), host::device_report().device});
  const Bundle bundle(folder_.write("prepared.bundle", maker.bytes()));
  const auto of_bundle = [&](const char* filter) {
    return bundle.kernel({"ring_filter/reordered", problem(filter), DeviceSelector::host()});
  };
  const Kernel kernel = of_bundle("prepared");
  expect_right(kernel, kernel.prepare_input(nullptr, taps_.data()), taps_);
  expect_right(of_bundle("each_call"), taps_.data(), taps_);
  const Kernel of_near_problem =
      bundle.kernel({"ring_filter/reordered", problem("prepared", 101), DeviceSelector::host()});
  EXPECT_TRUE(of_near_problem.arguments().at(1).prepared);
}

// Its order of the filter is another one.
TEST_F(Prepared, AKernelThatIsLoadedLaterLeavesWhatWasPreparedToTheFirst) {
  BundleMaker maker(options());
  maker.add({"ring_filter/reordered", problem("prepared"), host::device_report().device});
  RuntimeOptions given = options();
  given.bundles = {folder_.write("prepared.bundle", maker.bytes())};
  given.catalog.overrides = {
      {"ring_filter/reordered", {}, {{{"BLOCK", 64}, {"STRIDE", 1}, {"SPLIT", 1}}}}};
  given.cache = folder_.path() / "code";
  given.compiling = Compiling::in_background;
  const Runtime runtime(given);
  const Kernel kernel = Prepared::kernel(runtime, "prepared");
  const PreparedInput first = kernel.prepare_input(nullptr, taps_.data());
  EXPECT_EQ(first.bytes(), 24);
  PreparedInput later = first;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (later.bytes() == 24) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "it was not compiled";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    later = kernel.prepare_input(nullptr, taps_.data());
  }
  EXPECT_EQ(later.bytes(), 12);
  for (const PreparedInput& one : {first, later, first}) expect_right(kernel, one, taps_);
}

}  // namespace
}  // namespace tilewright::test
