#include "tuner/cuda/device/monitor.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tilewright::cuda {
namespace {

TEST(Monitor, NamesTheReasonsOfALowClock) {
  EXPECT_TRUE(throttle_words(0).empty());
  EXPECT_EQ(throttle_words(0x1), std::vector<std::string>{kIdle});
  EXPECT_EQ(throttle_words(0x4 | 0x40),
            (std::vector<std::string>{"power cap", "thermal slowdown by hardware"}));
  EXPECT_EQ(throttle_words(1ULL << 40), std::vector<std::string>{"another reason"});
}

TEST(Monitor, TellsForeignProcessesFromOurs) {
  const auto is_ours = [](pid_t process) { return process < 10; };
  EXPECT_EQ(foreign_among({5}, is_ours), std::vector<pid_t>{});
  EXPECT_EQ(foreign_among({5, 70, 6, 80}, is_ours), (std::vector<pid_t>{70, 80}));
  EXPECT_EQ(foreign_among({}, is_ours), std::nullopt);
  // Numbers of another namespace: one of them is ours.
  EXPECT_EQ(foreign_among({70}, is_ours), std::vector<pid_t>{});
  EXPECT_EQ(foreign_among({70, 80}, is_ours), std::vector<pid_t>{0});
}

TEST(Monitor, FollowsParents) {
  EXPECT_TRUE(descends_from(getpid(), getpid()));
  EXPECT_TRUE(descends_from(getpid(), getppid()));
  EXPECT_FALSE(descends_from(getppid(), getpid()));
  EXPECT_FALSE(descends_from(0, getpid()));
}

TEST(Monitor, OfAGpuThatIsNotThereSaysWhy) {
  const MachineState state = make_monitor("GPU-00000000-0000-0000-0000-000000000000")->read();
  EXPECT_FALSE(state.sm_mhz || state.throttle || state.processes);
  EXPECT_EQ(state.unseen.size(), 6u);
  EXPECT_NE(state.unseen.at("throttle").find("NVML"), std::string::npos)
      << state.unseen.at("throttle");
}

// The next dlopen() of its name finds the library that is loaded.
class FakeNvml : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(library_, nullptr) << dlerror(); }
  void TearDown() override { dlclose(library_); }

 private:
  void* const library_ = dlopen(TILEWRIGHT_FAKE_NVML, RTLD_NOW);
};

TEST_F(FakeNvml, TellsTheDriverAndThePowerLimitsInWholeWatts) {
  const NvmlFacts facts = nvml_facts({"GPU-a", "GPU-unknown", "GPU-b", "GPU-c", "GPU-d"});
  EXPECT_EQ(facts.driver, "999.1");
  EXPECT_EQ(facts.power_limits, (std::vector<std::optional<int>>{400, {}, 700, {}, {}}));
}

TEST_F(FakeNvml, WhatItLacksIsUnseen) {
  const MachineState state = make_monitor("GPU-a")->read();
  EXPECT_EQ(state.power_limit_w, 399.9);
  EXPECT_FALSE(state.power_w);
  EXPECT_EQ(state.unseen.at("power_w"), "NVML is too old");
  EXPECT_EQ(make_monitor("GPU-c")->read().unseen.at("power_limit_w"), "Not Supported");
}

}  // namespace
}  // namespace tilewright::cuda
