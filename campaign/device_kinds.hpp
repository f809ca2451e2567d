#pragma once

#include <string>
#include <vector>

#include "tuner/backend/device_report.hpp"

namespace tilewright {

// What to do with devices of several kinds.
enum class Kinds {
  one,   // refuse them
  each,  // each kind gets results of its own
};

// The devices, grouped by what gets results of its own: the Device, and the power limit if it is
// known. One whose limit is not known joins the first of its Device. Kinds and devices stay in
// their order. Throws InputError that names two devices if there are several kinds and `kinds` is
// one.
std::vector<std::vector<DeviceReport>> by_kind(const std::vector<DeviceReport>& devices,
                                               Kinds kinds);

// A device's kind as a text, in which the processes of a job agree on one.
std::string kind_text(const DeviceReport& device);

// Throws InputError unless the device is of that kind.
void require_kind(const std::string& kind, const DeviceReport& device);

}  // namespace tilewright
