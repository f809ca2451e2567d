// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tilewright {

// What identifies a device and limits its kernels. Two devices with equal fields are the same
// device to a look-up; serial numbers, clocks and software versions are not part of it.
// Sizes in bytes. Defaults are zero where there is no sensible one.
struct Device {
  std::string kind = "cuda";   // "cuda" or "host"
  std::string name;            // as the driver spells it, spaces normalised
  int compute_capability = 0;  // 10 · major + minor; 0 for the host
  std::string partition;       // MIG profile, empty for a whole GPU
  int sm_count = 0;            // CPU cores for the host
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;  // the opt-in limit
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t reserved_shared_bytes = 0;  // taken by the system from each resident block
  std::int64_t registers_per_block = 0;    // 0: unknown, not checked
  std::int64_t registers_per_sm = 0;
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_threads_per_sm = 0;
  std::int64_t max_blocks_per_sm = 0;
  std::int64_t warp_size = 32;
  std::array<std::int64_t, 3> max_block = {1024, 1024, 64};
  std::array<std::int64_t, 3> max_grid = {2147483647, 65535, 65535};

  bool operator==(const Device&) const = default;
};

// Software that can change a kernel's code or its time. It grades a stored result, it does not
// hide it. Empty text: not present or not known.
struct Environment {
  std::string driver;    // "580.159.04"
  std::string runtime;   // CUDA runtime, "13.0"
  std::string compiler;  // "NVRTC 13.0"
  std::string tool;      // tilewright's own version

  bool operator==(const Environment&) const = default;
};

}  // namespace tilewright
