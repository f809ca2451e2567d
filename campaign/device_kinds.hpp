#pragma once

#include <optional>
#include <vector>

#include "tuner/backend/device_report.hpp"

namespace tilewright {

// A device that is to measure beside others.
struct PooledDevice {
  DeviceReport report;
  std::optional<double> power_limit_w = {};  // none: unknown
};

// The power limit as the device's monitor reads it now.
PooledDevice pooled(DeviceReport report);

// What to do with devices of several kinds.
enum class Kinds {
  one,   // refuse them
  each,  // each kind gets results of its own
};

// The devices, grouped by what a look-up takes for the same device (Device); kinds and devices stay
// in their order. Throws InputError that names two devices if there are several kinds and `kinds`
// is one. Results do not tell power limits apart, so two different limits of one kind are always
// refused.
std::vector<std::vector<DeviceReport>> by_kind(const std::vector<PooledDevice>& devices,
                                               Kinds kinds);

}  // namespace tilewright
