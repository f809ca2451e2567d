// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"

namespace tilewright::cuda {

// A device for planning without one: the limits of a compute capability (CUDA C++ Programming
// Guide, "Technical Specifications per Compute Capability"), with the SM count and L2 of that
// capability's largest data-centre or desktop part. Throws InputError for an unknown capability.
Device planned_device(int compute_capability);

// Blocks resident on one SM by NVIDIA's occupancy calculator (cuda_occupancy.h), and the
// occupancy that gives; fills blocks_per_sm and occupancy of `resources`, whose other fields
// must be known. 0 blocks: it cannot run. Both stay as they are for a device that the calculator
// does not know (newer than the toolkit).
void add_occupancy(Resources& resources, const Device& device);

}  // namespace tilewright::cuda
