// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The types of a product: the operation's choices type_a, type_b, type_c and precision, all of them
// compiled in. Products, sums, alpha and beta have the type Sum.

#include "element.cuh"

using ElementA = Stored<TYPE_A>;
using ElementB = Stored<TYPE_B>;
using ElementC = Stored<TYPE_C>;

#if PROBLEM_PRECISION == PRECISION_FLOAT64
using Sum = double;
#elif PROBLEM_PRECISION == PRECISION_FLOAT32
using Sum = float;
#else
#error "types.cuh does not know this PROBLEM_PRECISION"
#endif
using Real = Sum;
