// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A layer as a product of gemm/blocked, whose headers ask for these names. Its left factor are
// pixels: what the filter meets for an output lies along K, in global and in shared memory. Its
// right factor are the prepared filters, with a k in each row.

#include "types.cuh"

using ElementA = Element;
using ElementB = Element;

#define TRANSPOSE_A_NO 0
#define TRANSPOSE_B_YES 1
#define PROBLEM_TRANSPOSE_A TRANSPOSE_A_NO
#define PROBLEM_TRANSPOSE_B 0
#define TERM_PACKS_A 0
#define TERM_PACKS_B 0
#define LAYOUT_POSITIONS 2
#define LAYOUT LAYOUT_POSITIONS
#define LOADING_REGISTERS 0
#define LOADING 1
#define SHAPE_COMPILED 1
#define SHAPE 0

#include "fragments.cuh"
#include "thread_sums.cuh"
