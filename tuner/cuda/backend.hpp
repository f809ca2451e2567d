#pragma once

#include "tuner/backend/backend.hpp"

namespace tilewright::cuda {

// NVIDIA GPUs.
const Backend& backend();

}  // namespace tilewright::cuda
