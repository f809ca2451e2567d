// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The type of a convolution, the operation's choice `type`: samples, taps and outputs are of type
// Element, products and sums of type Sum.

#include "element.cuh"

using Element = Stored<TYPE>;
using Sum = decltype(widened(Element{}));
