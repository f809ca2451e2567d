// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tilewright/device.hpp"
#include "tuner/backend/backend.hpp"

namespace tilewright::cuda {

// What a sweep on this GPU needs: its architecture, the clock probe, the occupancy calculator.
BackendFacts backend_facts(const Device& device);

}  // namespace tilewright::cuda
