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

// What a sweep must know of a backend without depending on it; cuda::backend_facts gives a
// GPU's.
struct BackendFacts {
  std::string architecture;             // to compile for: "sm_90"
  std::optional<CompileRequest> probe;  // a session's own kernels; none: clocks are not known
  // Fills blocks_per_sm and occupancy; empty: not known, not checked.
  std::function<void(Resources&, const Device&)> add_occupancy;
};

}  // namespace tilewright
