#include "tuner/cuda/device/monitor.hpp"

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

}  // namespace
}  // namespace tilewright::cuda
