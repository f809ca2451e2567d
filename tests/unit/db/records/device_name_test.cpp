#include "db/records/device_name.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

Device named(const std::string& name, const std::string& partition = {}) {
  Device device;
  device.name = name;
  device.partition = partition;
  return device;
}

std::string found(const std::string& text) {
  return names_of(named_devices(
      {named("NVIDIA H200"), named("NVIDIA H200 NVL"), named("NVIDIA H200", "1g.18gb")}, text));
}

TEST(DeviceName, APartNamesAllThatHaveIt) {
  EXPECT_EQ(found("h200"), "'NVIDIA H200', 'NVIDIA H200 NVL', 'NVIDIA H200 1g.18gb'");
  EXPECT_EQ(found("nvl"), "'NVIDIA H200 NVL'");
  EXPECT_EQ(found("1G.18"), "'NVIDIA H200 1g.18gb'");
  EXPECT_EQ(found("A100"), "");
  EXPECT_EQ(found(""), found("NVIDIA"));
}

TEST(DeviceName, AWholeNameNamesItAlone) {
  EXPECT_EQ(found("nvidia h200"), "'NVIDIA H200'");
  EXPECT_EQ(found("NVIDIA H200 1g.18gb"), "'NVIDIA H200 1g.18gb'");
}

TEST(DeviceName, HostIsTheCpu) {
  Device cpu = named("AMD EPYC");
  cpu.kind = DeviceKind::host;
  EXPECT_EQ(names_of(named_devices({named("NVIDIA H200"), cpu}, "host")), "'AMD EPYC'");
}

}  // namespace
}  // namespace tilewright
