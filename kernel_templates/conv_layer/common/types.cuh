// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The types of a layer: the operation's choices type, type_out and precision, all of them compiled
// in. Sum is what products are summed in by kernels without tensor cores. Real is the type of
// alpha, beta and what the epilogue is given: integers stay so only where the output has integers
// of the sums' type.

#include "element.cuh"

using Element = Stored<TYPE>;
using ElementOut = Stored<TYPE_OUT>;

#if PROBLEM_PRECISION == PRECISION_FLOAT64
using Sum = double;
using Real = double;
#elif PROBLEM_PRECISION == PRECISION_INT32
using Sum = int;
using Real = Choose<kSameType<ElementOut, int>, int, float>::Type;
#elif PROBLEM_PRECISION == PRECISION_FLOAT32 || PROBLEM_PRECISION == PRECISION_TF32
using Sum = float;
using Real = float;
#else
#error "types.cuh does not know this PROBLEM_PRECISION"
#endif
