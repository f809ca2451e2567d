// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// From the lanes of a warp, which have pairs of neighbours, through shared memory to C, in accesses
// of 16 bytes where C allows it.

#include "geometry.cuh"
#include "tensor_core.cuh"

// Rows of sums in shared memory: eight more than a warp's columns, so that four rows of pairs lie
// in different banks.
constexpr int kRowPitch = WARP_N + 8;
constexpr int kRowBytes = 16 * kRowPitch * static_cast<int>(sizeof(Sum));

// Writes the sums side by side of `rows`, 16 rows of a warp's tile that begin at `place` in C.
template <int N, class OUTPUT>
__device__ __forceinline__ void write_runs(const OUTPUT& output, const MatrixPlace& place,
                                           const Sum* rows) {
  constexpr int kRunsOfRow = WARP_N / N;
  const bool aligned = output.c.template is_aligned<N>();
#pragma unroll 2
  for (int run = lane_of_warp(); run < 16 * kRunsOfRow; run += 32) {
    const int row = run / kRunsOfRow;
    const int column = run % kRunsOfRow * N;
    output.template write<N>(
        place.row + row, place.column + column, aligned,
        *reinterpret_cast<const Run<N, Sum>*>(rows + (row * kRowPitch + column)));
  }
}

// Writes this thread's sums of 16 rows of the warp's tile, which begin at `place` in C. By all
// threads of the block. OUTPUT is as Output of gemm/common/output.cuh; `staging` has room for
// kRowBytes of each warp, which nobody uses meanwhile.
template <class OUTPUT>
__device__ __forceinline__ void write_rows(const OUTPUT& output, const MatrixPlace& place,
                                           char* staging, const RowSums& sums) {
  constexpr int kRun = 16 / static_cast<int>(sizeof(typename OUTPUT::Element));
  auto* const rows =
      reinterpret_cast<Sum*>(staging + static_cast<int>(threadIdx.x) / 32 * kRowBytes);
  const int lane = lane_of_warp();
  Sum* const own = rows + (lane / 4 * kRowPitch + lane % 4 * 2);
#pragma unroll
  for (int j = 0; j < kColumnsOfProducts; ++j) {
    *reinterpret_cast<Run<2, Sum>*>(own + 8 * j) = {{sums[j][0], sums[j][1]}};
    *reinterpret_cast<Run<2, Sum>*>(own + 8 * j + 8 * kRowPitch) = {{sums[j][2], sums[j][3]}};
  }
  warp_barrier();
  if (output.c.template is_aligned<kRun>())
    write_runs<kRun>(output, place, rows);
  else
    write_runs<1>(output, place, rows);
  warp_barrier();
}
