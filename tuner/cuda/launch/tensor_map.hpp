#pragma once

#include <cuda.h>

#include "tuner/backend/tensor_map.hpp"

namespace tilewright::cuda {

// The map in the form that a kernel takes, for the tensor that begins at `base` in device memory.
// Throws TrialError: unsupported if the driver has no tensor maps, launch_failed for a map that the
// hardware does not support.
CUtensorMap encode_tensor_map(const PlannedTensorMap& map, void* base);

}  // namespace tilewright::cuda
