// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright::test {

// A problem, and what must hold for the configurations that prove an implementation on it, one
// set of them after another.
struct GemmCase {
  std::vector<std::string> problem;
  std::vector<std::string> wheres;
};

// Every transpose with every way from global to shared memory and every way to share K, on ragged
// and smooth sizes, with gaps between rows, batches, and C added or not; for gemm/blocked.
std::vector<GemmCase> blocked_cases();

// Every transpose with tiles that come as boxes of tensor maps, every depth of a tile and every way
// to share K, on ragged sizes whose leading dimensions are multiples of four; for gemm/blocked on a
// device that has such copies.
std::vector<GemmCase> boxed_cases();

// Every transpose with copies of one matrix or both, on ragged sizes, with gaps, a batch that
// shares one matrix, and C added or not; for gemm/blocked.
std::vector<GemmCase> packed_cases();

// Every transpose with K shared by blocks of a cluster, on ragged and smooth sizes, with gaps and a
// batch; for gemm/blocked on a device that has clusters.
std::vector<GemmCase> clustered_cases();

// Every transpose with both thin sides, from one to sixteen rows or columns; for gemm/thin.
std::vector<GemmCase> thin_cases();

// What every snippet of the hook is proved on: sums written at once, and after they were added up.
GemmCase blocked_snippet_case();
GemmCase thin_snippet_case();

// Fewer values of what only multiplies the space: enumerating all of it for each problem takes
// longer than the proofs.
Implementation with_fewer_gemm_values(Implementation implementation);

// The same for boxed_cases().
Implementation with_boxes(Implementation implementation);

}  // namespace tilewright::test
