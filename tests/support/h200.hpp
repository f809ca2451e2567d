#pragma once

#include "tilewright/device.hpp"

namespace tilewright::test {

// An H200 as the driver describes it. It need not be there.
inline Device h200() {
  Device device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.sm_count = 132;
  device.l2_bytes = 62914560;
  device.shared_bytes_per_block = 232448;
  device.shared_bytes_per_sm = 233472;
  device.reserved_shared_bytes = 1024;
  device.registers_per_block = device.registers_per_sm = 65536;
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 32;
  return device;
}

// A device with tensor cores but without tensor maps.
inline Device ampere() {
  Device device = h200();
  device.name = "an sm_80";
  device.compute_capability = 80;
  device.shared_bytes_per_block = 166912;
  device.shared_bytes_per_sm = 167936;
  return device;
}

}  // namespace tilewright::test
