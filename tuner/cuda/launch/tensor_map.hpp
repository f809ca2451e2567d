// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda.h>

#include "tuner/backend/tensor_map.hpp"

namespace tilewright::cuda {

// The map as a kernel takes it, of the tensor that begins at `base` in device memory. Throws
// TrialError: unsupported if the driver knows no tensor maps, launch_failed for a map that the
// hardware cannot do.
CUtensorMap encode_tensor_map(const PlannedTensorMap& map, void* base);

}  // namespace tilewright::cuda
