// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "definition/definition.hpp"

namespace tilewright {

// Every expression of an operation uses its dimensions and choices only (a reference kernel's
// launches also `device.*`), and a reference's launch arguments exist. Throws InputError.
void check_operation(const Operation& operation);

}  // namespace tilewright
