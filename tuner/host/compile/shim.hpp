// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tilewright {

// Text of tilewright_host.h, which takes the place of CUDA's built-ins.
extern const std::string_view kHostShim;

}  // namespace tilewright
