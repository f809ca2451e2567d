// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "tilewright/kernel.hpp"
#include "tilewright/tilewright.h"

namespace tilewright::bindings {

// Throws InputError that counts them from 1.
std::vector<Operand> operands_of(const tw_operand* operands, std::size_t count);

// `scratch` may be null. Throws InputError where it is too small for the kernel.
Scratch scratch_of(const Kernel& kernel, const tw_scratch* scratch);

}  // namespace tilewright::bindings
