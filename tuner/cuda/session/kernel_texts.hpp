// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tilewright {

// clocks.cu and checksum.cu, embedded when built.
extern const std::string_view kClockKernels;
extern const std::string_view kChecksumKernel;

}  // namespace tilewright
