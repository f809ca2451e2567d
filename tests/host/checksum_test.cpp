// The checksum by which GPU sessions watch inputs, run here on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/host/host_support.hpp"
#include "tuner/host/launch/launcher.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::test {
namespace {

struct Grid {
  std::int64_t blocks = 3;
  std::int64_t threads = 32;
};

class Checksum : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ifstream file(TILEWRIGHT_SOURCE_DIR "/tuner/cuda/session/checksum.cu");
    std::ostringstream text;
    text << file.rdbuf();
    const CompileResult code =
        host_compiler().compile(request_for(text.str(), {"tilewright_checksum"}));
    ASSERT_TRUE(code.ok()) << code.log;
    launcher_ = std::make_unique<host::Launcher>();
    kernels_ = std::make_unique<host::Kernels>(code.code, symbols_of(code), *launcher_);
  }
  static void TearDownTestSuite() {
    kernels_.reset();
    launcher_.reset();
  }

  static std::uint64_t of(std::vector<std::uint8_t> bytes, Grid grid = {}) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    bytes.resize(bytes.size() + 16, 0xEE);  // what lies beyond must not count
    std::uint64_t sum = 0;
    const std::array<CallArgument, 2> arguments = {{{bytes.data(), {}}, {&sum, {}}}};
    PlannedLaunch launch;
    launch.entry = "tilewright_checksum";
    launch.grid = {grid.blocks, 1, 1};
    launch.block = {grid.threads, 1, 1};
    launch.arguments = {pointer(0), number(size), pointer(1)};
    LaunchPlan plan;
    plan.launches = {launch};
    const CallOperands operands{arguments};
    kernels_->check_launches(plan, operands);
    kernels_->call(plan, operands, {});
    return sum;
  }

 private:
  static PlannedArgument pointer(int index) {
    PlannedArgument argument;
    argument.kind = PlannedArgument::Kind::argument;
    argument.index = index;
    return argument;
  }
  static PlannedArgument number(std::int64_t value) {
    PlannedArgument argument;
    argument.bytes.resize(sizeof value);
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    return argument;
  }

  static inline std::unique_ptr<host::Launcher> launcher_;
  static inline std::unique_ptr<host::Kernels> kernels_;
};

std::vector<std::uint8_t> sample(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
  return bytes;
}

TEST_F(Checksum, DoesNotHangOnHowTheWorkIsSpread) {
  const std::uint64_t sum = of(sample(4099));
  EXPECT_EQ(of(sample(4099), {1, 1}), sum);
  EXPECT_EQ(of(sample(4099), {1, 1024}), sum);
  EXPECT_EQ(of(sample(4099), {64, 128}), sum);
}

TEST_F(Checksum, SeesAnyChangedByte) {
  for (const std::size_t count : {1U, 7U, 8U, 9U, 1003U}) {
    const std::vector<std::uint8_t> before = sample(count);
    const std::uint64_t sum = of(before);
    for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
      std::vector<std::uint8_t> after = before;
      after[at] ^= 0x80;
      EXPECT_NE(of(after), sum) << count << " bytes, changed " << at;
    }
  }
}

TEST_F(Checksum, SeesWordsThatChangedPlaces) {
  std::vector<std::uint8_t> bytes = sample(64);
  const std::uint64_t sum = of(bytes);
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 40);
  EXPECT_NE(of(bytes), sum);
}

TEST_F(Checksum, SeesZerosAddedOrRemoved) {
  const std::vector<std::uint8_t> zeros(24, 0);
  EXPECT_NE(of(zeros), of(std::vector<std::uint8_t>(16, 0)));
  EXPECT_NE(of(zeros), 0U);
}

}  // namespace
}  // namespace tilewright::test
