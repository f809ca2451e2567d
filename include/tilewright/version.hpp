// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tilewright {

// Semantic version of the library and the program; recorded with every sweep.
inline constexpr const char* kVersion = "0.3.0";

}  // namespace tilewright
