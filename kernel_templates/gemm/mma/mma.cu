// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · op(A) · op(B) + beta · C) on tensor cores (mma.sync; sm_80 and later,
// float16 also sm_75), any M, N, K ≥ 1, leading dimensions, transposes and batch; C is read only
// with PROBLEM_ACCUMULATE. A block computes a tile of C, a warp a tile of that, in registers. Tiles
// of op(A) and op(B) go through shared memory, where both lie as in global memory (elements of 8
// bits along K), with their units of 16 bytes exchanged so that fragments are read without bank
// conflicts.
//
// BLOCK_M, BLOCK_N    tile of C of a block                     multiples of a warp's tile
// WARP_M, WARP_N      tile of C of a warp                      multiples of 16; of float64, 64 · 32
//                                                              at most
// BLOCK_K             depth of the tiles in shared memory      32 to 128 bytes of ks; a multiple of
//                                                              32 bytes times FRAGMENTS
// LOADING             global to shared memory: through         registers, async (sm_80 and later)
//                     registers, or cp.async
// STAGES              tiles of each operand in shared memory   2 …
// FRAGMENTS           fragments in registers; with 2, one is   1, 2
//                     read ahead of its use
// GROUP               rows of tiles computed side by side      1 …
// SPLIT_K             blocks that share a tile of C            1 …; no macro where it is above 1
// REDUCTION           who adds their sums: the last block or   block, launch
//                     a second kernel; the order is the same
// VECTOR_A, VECTOR_B  elements in an access to A or B          1, 2, 4, 8, to which its leading
//                     dimension, its rows' length and its stride must be multiples. Accesses of
//                     less than four bytes go through registers, and so do
//                     elements of 8 bits that do not lie along K.
// MIN_BLOCKS          blocks that must fit on an SM at once    1 …
// PROBLEM_TRANSPOSE_A, PROBLEM_TRANSPOSE_B, PROBLEM_ACCUMULATE   the problem's choices
// TYPE_A, TYPE_B, TYPE_C, PROBLEM_PRECISION   types.cuh; both factors have one type, or are 8-bit
//                     floats; float64 is summed in float64, others never
//
// Shared memory, bytes: STAGES · BLOCK_K · (BLOCK_M + BLOCK_N) elements; at least 16 · (WARP_N + 8)
// sums for each warp, through which C is written. Registers: WARP_M · WARP_N / 32 sums + FRAGMENTS
// · (WARP_M + WARP_N) / 4 + about 40. Grid: x = tiles of C, y = SPLIT_K, z = batch. gemm_mma_sum: x
// = tiles · WARP_M / 16, z = batch. Workspace with SPLIT_K > 1: partial_sums.cuh. After: NVIDIA,
// PTX ISA, mma, ldmatrix and cp.async; CUTLASS's documentation, "Efficient GEMM in CUDA" (warp
// tiles, software pipelining, threadblock rasterisation, split-K).

#include "output.cuh"
#include "pipeline.cuh"
#include "row_sums.cuh"
#include "row_writer.cuh"
#include "tile_loader.cuh"
#include "transposing_loader.cuh"

constexpr bool kAlongKA = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;  // neighbours in memory are ks
constexpr bool kAlongKB = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
constexpr bool kNarrow = sizeof(ElementA) == 1;
using TileA = SwizzledTile<ElementA, BLOCK_M, BLOCK_K, kAlongKA || kNarrow>;
using TileB = SwizzledTile<ElementB, BLOCK_N, BLOCK_K, kAlongKB || kNarrow>;

// Copies that go on by themselves have four bytes or more.
template <class T, int VECTOR>
constexpr bool kAsync = LOADING == LOADING_ASYNC&& VECTOR * sizeof(T) >= 4;
template <class T, class TILE, bool ALONG_K, int VECTOR>
using Loader = typename Choose<ALONG_K == TILE::kAlongK,
                               TileLoader<T, TILE, kThreads, VECTOR, kAsync<T, VECTOR>>,
                               TransposingLoader<T, TILE, kThreads, VECTOR>>::Type;
using LoaderA = Loader<ElementA, TileA, kAlongKA, VECTOR_A>;
using LoaderB = Loader<ElementB, TileB, kAlongKB, VECTOR_B>;

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_mma(const ElementA* __restrict__ a, const ElementB* __restrict__ b, ElementC* c,
             Real alpha, Real beta, int M, int N, int K, int lda, int ldb, int ldc, int stride_a,
             int stride_b, int stride_c, Counter* workspace EPILOGUE_PARAMETERS) {
  const int matrix = static_cast<int>(blockIdx.z);
  const MatrixPlace block = block_place(static_cast<int>(blockIdx.x), M, N);
  const MatrixPlace warp = warp_place(static_cast<int>(threadIdx.x) / 32);
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const Output output = make_output(c, M, N, ldc, stride_c, alpha, beta, epilogue);

  const int all_tiles = (K + BLOCK_K - 1) / BLOCK_K;
  const int part = IS_SPLIT ? static_cast<int>(blockIdx.y) : 0;
  const int first_tile = first_tile_of(part, parts_of_k(), all_tiles);
  const int last_tile = first_tile_of(part + 1, parts_of_k(), all_tiles);
  const int last_k = min(K, last_tile * BLOCK_K);
  const int first_k = first_tile * BLOCK_K;
  const Operand<ElementA> left = {a + matrix * stride_a, lda, M, last_k};
  const Operand<ElementB> right = {b + matrix * stride_b, ldb, N, last_k};
  Pipeline<LoaderA, LoaderB> pipeline({left, block.row, first_k}, {right, block.column, first_k},
                                      warp);
  Sums sums = {};
  add_products(sums, pipeline, last_tile - first_tile);
  pipeline.drain();

  if constexpr (!IS_SPLIT) {
#pragma unroll
    for (int i = 0; i < kRowsOfFragments; ++i)
      write_rows(output, block + warp + MatrixPlace{16 * i, 0}, shared, sums[i]);
  } else {
    const int tile = matrix * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
    Run<4, Sum>* const sums_of_tile =
        partial_sums(workspace, static_cast<int>(gridDim.x * gridDim.z), tile, parts_of_k());
    write_partial_sums(sums_of_tile + static_cast<long long>(part) * kTileRuns, sums);
    if constexpr (REDUCTION == REDUCTION_LAUNCH) return;  // gemm_mma_sum adds them up
    if (!is_last_block(workspace + tile, parts_of_k(), reinterpret_cast<float*>(shared))) return;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < kRowsOfFragments; ++i) {
      add_partial_sums<4>(sums[0], sums_of_tile, i, parts_of_k());
      write_rows(output, block + warp + MatrixPlace{16 * i, 0}, shared, sums[0]);
    }
  }
}

#if IS_SPLIT && REDUCTION == REDUCTION_LAUNCH
extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_mma_sum(ElementC* c, Real alpha, Real beta, int M, int N, int ldc, int stride_c, int parts,
                 Counter* workspace EPILOGUE_PARAMETERS) {
  const int matrix = static_cast<int>(blockIdx.z);
  const int tiles = static_cast<int>(gridDim.x) / kRowsOfFragments;
  const int tile = static_cast<int>(blockIdx.x) / kRowsOfFragments;
  const int i = static_cast<int>(blockIdx.x) % kRowsOfFragments;
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  RowSums sums;
  add_partial_sums<4>(
      sums,
      partial_sums(workspace, tiles * static_cast<int>(gridDim.z), matrix * tiles + tile, parts), i,
      parts);
  write_rows(make_output(c, M, N, ldc, stride_c, alpha, beta, epilogue),
             block_place(tile, M, N) + warp_place(static_cast<int>(threadIdx.x) / 32) +
                 MatrixPlace{16 * i, 0},
             shared, sums);
}
#endif
