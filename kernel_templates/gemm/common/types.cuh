// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The types of a product: the operation's choices type_a, type_b, type_c and precision, all of them
// compiled in. Sum is what products are summed in by kernels without tensor cores. Real is the type
// of alpha, beta and what the epilogue is given: integers stay so only where C has integers of the
// sums' type.

#include "element.cuh"

using ElementA = Stored<TYPE_A>;
using ElementB = Stored<TYPE_B>;
using ElementC = Stored<TYPE_C>;

#if PROBLEM_PRECISION == PRECISION_FLOAT64
using Sum = double;
using Real = double;
#elif PROBLEM_PRECISION == PRECISION_INT32
using Sum = int;
using Real = Choose<kSameType<ElementC, int>, int, float>::Type;
#elif PROBLEM_PRECISION == PRECISION_FLOAT32 || PROBLEM_PRECISION == PRECISION_TF32 || \
    PROBLEM_PRECISION == PRECISION_FLOAT16
using Sum = float;
using Real = float;
#else
#error "types.cuh does not know this PROBLEM_PRECISION"
#endif
