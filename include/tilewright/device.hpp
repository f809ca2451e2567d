// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/error.hpp"

namespace tilewright {

// Which backend a device belongs to. Alphabetical, because databases sort by these names.
enum class DeviceKind {
  cuda,  // an NVIDIA GPU
  host,  // this machine's CPU
};

inline constexpr std::array kDeviceKinds = {DeviceKind::cuda, DeviceKind::host};

constexpr std::string_view to_text(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::host:
      return "host";
  }
  return "";
}

// Throws InputError for an unknown kind.
inline DeviceKind device_kind_from(const std::string& text) {
  for (const DeviceKind kind : kDeviceKinds)
    if (to_text(kind) == text) return kind;
  throw InputError("device kind '" + text + "': this version knows cuda and host");
}

// Whether kernels run on this machine's CPU. They then use the caller's memory and no streams, and
// nothing empties the caches between calls.
constexpr bool runs_on_cpu(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
      return false;
    case DeviceKind::host:
      return true;
  }
  return false;
}

// What identifies a device and limits its kernels. For a look-up, two devices with equal fields are
// the same device; serial numbers, clocks and software versions are left out. Sizes are in bytes.
struct Device {
  DeviceKind kind = DeviceKind::cuda;
  std::string name;            // as the driver spells it, with normalised spaces
  int compute_capability = 0;  // 10 · major + minor; 0 for the host
  std::string partition;       // MIG profile, empty for a whole GPU
  int sm_count = 0;            // CPU cores for the host
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;  // the opt-in limit
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t reserved_shared_bytes = 0;  // that the system takes from each resident block
  std::int64_t registers_per_block = 0;    // 0: unknown, not checked
  std::int64_t registers_per_sm = 0;
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_threads_per_sm = 0;
  std::int64_t max_blocks_per_sm = 0;
  std::int64_t warp_size = 32;
  std::array<std::int64_t, 3> max_block = {1024, 1024, 64};
  std::array<std::int64_t, 3> max_grid = {2147483647, 65535, 65535};

  auto operator<=>(const Device&) const = default;
};

// What can change a kernel's code or its time, and is not part of the device. A result of another
// environment is stale, but still answers. Empty text: not present or not known.
struct Environment {
  std::string driver;    // "580.159.04"
  std::string runtime;   // CUDA runtime, "13.0"
  std::string compiler;  // "NVRTC 13.0"
  std::string tool;      // tilewright's own version
  // That the driver enforces on the device, in whole watts. Results under different limits are kept
  // beside each other, and a look-up prefers those under its device's limit. None: not known.
  std::optional<int> power_limit_w = {};

  bool operator==(const Environment&) const = default;
};

}  // namespace tilewright
