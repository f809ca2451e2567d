// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "definition/architecture.hpp"
#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/compiler.hpp"

namespace tilewright {

// What a sweep must know about a backend without depending on it.
struct BackendFacts {
  std::string architecture;             // to compile for: "sm_90"
  std::optional<CompileRequest> probe;  // the session's own kernels; none: clocks are unknown
  // Fills blocks_per_sm and occupancy. Empty: they are unknown and not checked.
  std::function<void(Resources&, const Device&)> add_occupancy;
};

}  // namespace tilewright
