#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"

namespace tilewright {

// One device as `tilewright devices` lists it.
struct DeviceReport {
  std::string id;  // "cuda:0", "host"
  int index = 0;   // among the devices of its kind
  Device device;
  Environment environment;
  std::int64_t memory_bytes = 0;
  std::string uuid;
  int cuda_version = 0;  // of the newest CUDA that the driver supports, as 13000; 0: no GPU
};

// A device's name as a driver gives it, with one space between words.
std::string single_spaced(const std::string& text);

// An empty list says why there is no device.
struct DeviceList {
  std::vector<DeviceReport> devices;
  std::string why;
};

// A process of somebody else that computes on the device.
struct ForeignProcess {
  pid_t id = 0;      // 0: not visible from here
  std::string name;  // empty: not visible from here

  auto operator<=>(const ForeignProcess&) const = default;
};

// The device's clocks, power and other users at one moment. An empty member could not be read;
// `unseen` says why, by the member's name.
struct MachineState {
  std::optional<double> sm_mhz;
  std::optional<double> memory_mhz;
  std::optional<double> power_w;
  std::optional<double> power_limit_w;  // that the driver enforces
  std::optional<double> temperature_c;
  std::optional<std::vector<std::string>> throttle;  // reasons; none: full speed
  std::optional<std::vector<ForeignProcess>> processes;
  // Those that computed since the last reading. Drivers sum up over about a second.
  std::optional<std::vector<ForeignProcess>> computing;
  std::map<std::string, std::string> unseen;
};

// Reasons that disturb no measurement: the device is idle, or somebody set its clocks.
inline constexpr const char* kIdle = "idle";
inline constexpr const char* kClocksSet = "application clocks";

class MachineMonitor {
 public:
  virtual ~MachineMonitor() = default;
  virtual MachineState read() = 0;  // takes a few milliseconds; never throws
};

// The monitor of a device that has no readings.
class BlindMonitor final : public MachineMonitor {
 public:
  explicit BlindMonitor(std::string why) : why_(std::move(why)) {}
  MachineState read() override {
    MachineState state;
    for (const char* what :
         {"sm_mhz", "memory_mhz", "power_w", "temperature_c", "throttle", "processes"})
      state.unseen[what] = why_;
    return state;
  }

 private:
  std::string why_;
};

}  // namespace tilewright
