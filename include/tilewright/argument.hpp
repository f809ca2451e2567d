// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tilewright/element_type.hpp"

namespace tilewright {

enum class ArgumentKind {
  buffer,  // pointer to `count` elements in device memory
  scalar,  // one element by value
  array,   // `capacity` elements by value in a struct, the first `count` of them used
};

enum class ArgumentRole { input, output, inout };

}  // namespace tilewright
