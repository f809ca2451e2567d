#include "tuner/worker/role.hpp"

#include <gtest/gtest.h>

namespace tilewright::test {
namespace {

using Words = std::vector<std::string>;

TEST(Role, IsReadAsItWasWritten) {
  const Toolchain toolchain{"/usr/bin/g++", {"/cuda/a", "/cuda/b"}, "/tmp", "/bin/nvcc"};
  for (const DeviceKind kind : kDeviceKinds) {
    const auto compile = read_role(arguments_of({WorkerRole::Task::compile, kind, toolchain}));
    ASSERT_TRUE(compile);
    EXPECT_EQ(compile->task, WorkerRole::Task::compile);
    EXPECT_EQ(compile->kind, kind);
    EXPECT_EQ(compile->toolchain.host_compiler, toolchain.host_compiler);
    EXPECT_EQ(compile->toolchain.toolkit_folders, toolchain.toolkit_folders);
    EXPECT_EQ(compile->toolchain.nvcc, toolchain.nvcc);
    const auto device = read_role(arguments_of({WorkerRole::Task::device, kind}));
    ASSERT_TRUE(device);
    EXPECT_EQ(device->task, WorkerRole::Task::device);
    EXPECT_EQ(device->kind, kind);
  }
}

TEST(Role, IsCudasWithoutAKind) {
  EXPECT_EQ(read_role({"device"})->kind, DeviceKind::cuda);
  EXPECT_EQ(read_role({"compile", "--nvrtc", "/cuda"})->kind, DeviceKind::cuda);
}

TEST(Role, IsNothingElse) {
  for (const Words& words : std::vector<Words>{{},
                                               {"dance"},
                                               {"device", "--host"},
                                               {"device", "host", "x"},
                                               {"compile", "host", "--nvrtc"},
                                               {"compile", "--gcc", "x"}})
    EXPECT_FALSE(read_role(words)) << ::testing::PrintToString(words);
}

}  // namespace
}  // namespace tilewright::test
