// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tilewright::cuda {

// While it lives, the calling thread may make other devices current; then its own is current again.
class KeepCurrentDevice {
 public:
  KeepCurrentDevice();
  KeepCurrentDevice(const KeepCurrentDevice&) = delete;
  KeepCurrentDevice& operator=(const KeepCurrentDevice&) = delete;
  ~KeepCurrentDevice();

 private:
  int device_ = -1;  // none: CUDA cannot be used
};

// Copies memory of a GPU that this process has a pointer to, all of `host`. Work on the legacy
// default stream, and on streams that it waits for, is done before. Throws InputError, naming the
// argument, where the pointer is no such memory, and MachineError.
void read_caller_memory(const void* device, std::span<std::uint8_t> host,
                        const std::string& argument);

}  // namespace tilewright::cuda
