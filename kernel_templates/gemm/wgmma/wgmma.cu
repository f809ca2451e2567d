// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · op(A) · op(B) + beta · C) by the tensor cores of compute capability 9.0, any
// M, N, K ≥ 1, leading dimensions, transposes and batch. One warp of a block copies tiles of both
// operands to a ring of stages in shared memory, by tensor maps; one or two warp groups multiply
// them with wgmma and keep the sums in registers.
//
// BLOCK_M, BLOCK_N    tile of C of a block: the left side (below) a      8 … 256
//                     multiple of 64, of 128 if two share it; the other
//                     of 8
// SPANS_K             spans of 128 bytes along K in a stage              1, 2, 4
// STAGES              stages of the ring                                 2 …
// SCHEDULE            one warp group multiplies (single), two share a    single, cooperative,
//                     tile (cooperative; with two stages IN_FLIGHT the   pingpong
//                     second ends later) or take tiles in turn
//                     (pingpong; with PERSISTENT), so that one stores
//                     while the other multiplies
// SWAPPED             left, feeding the 64 rows of a multiplication,     no, yes
//                     is B instead of A: for few rows
// IN_FLIGHT           stages whose products are under way                1, 2; 1 through registers
// STORE               each thread stores its own sums, or boxes of       direct, bulk
//                     shared memory go to C by a tensor map
// PERSISTENT          a block computes tiles until none is left          no, yes
// GROUP, RASTER       order of tiles: tiles.cuh                          1 …; rows, columns
// CLUSTER_M,          blocks that share what they load of B, of A        1, 2, 4; at most 8 in all
// CLUSTER_N
// SPLIT_K             blocks that share a tile of C, each with its part  1 …; not with PERSISTENT
//                     of K; they store directly
// REDUCTION           who adds their sums: all of them as a cluster, or  cluster, block
//                     the last one
// STREAM_K            blocks that may share a tile of the last round:    1 (none) …; with
// PERSISTENT,
//                     streamed_work.cuh                                  not with pingpong
// PACKED              operands that gemm_wgmma_pack copies first:        none, a, b, both
//                     packing.cuh
// DEPENDENT           the launch may begin before the one ahead ends     no, yes
// MIN_BLOCKS          blocks that must fit on an SM at once              1 … 4
// PROBLEM_TRANSPOSE_A, PROBLEM_TRANSPOSE_B, PROBLEM_ACCUMULATE   the problem's choices
// TYPE_A, TYPE_B, TYPE_C, PROBLEM_PRECISION   types.cuh: both of 16 bits, float8 in any mix, int8,
//                     or float32 whose lower 13 bits are cut. Sums are of float32 (int8: int32),
//                     also for the precision float16: fewer bits are not faster here. Operands that
//                     are not of 16 bits lie along K, or are packed; but float32 on the left side
//                     may lie otherwise, and goes through registers.
//
// Shared memory, bytes: STAGES · SPANS_K · 128 · (BLOCK_M + BLOCK_N, and 8 or 16 for a left side
// through registers), or 4 · BLOCK_M · BLOCK_N for split sums in a cluster if that is more; 16384
// for each consumer with STORE bulk; 16 · STAGES; 16 with STREAM_K above 1.
// Registers: kBands · BLOCK_N (or BLOCK_M, swapped) / 2 sums, twice that for float8, + about 40,
// and for a left side through registers 16 · kBands; the loading warps give theirs to
// the others. Grid: x = cluster tiles · blocks of a cluster, or fewer with PERSISTENT; y = parts of
// K that are no cluster. Workspace: with PACKED the copies of A, then B; else split_sums.cuh.
// After: Shah, Bikshandi, Zhang, Thakkar, Ramani and Dao, FlashAttention-3, 2024 (warp groups in
// turns); CUTLASS's documentation, "Efficient GEMM in CUDA" (warp specialisation, rasterisation,
// split-K); NVIDIA, Hopper tuning guide.

#include "dependent_launch.cuh"
#include "loading.cuh"
#include "output.cuh"
#include "packing.cuh"

// C, as storing.cuh wants it.
struct Result {
  using Element = ElementC;
  using Real = ::Real;
  static constexpr bool kBulk = STORE == STORE_BULK;
  static constexpr bool kSwapped = ::kSwapped;
  static constexpr int kBoxRows = TERM_BOX_ROWS;
  static constexpr int kBoxColumns = TERM_BOX_COLUMNS;
  static constexpr int kBoxesAt = TERM_RING_BYTES;
  static constexpr bool kReadsOld = PROBLEM_ACCUMULATE != ACCUMULATE_NO;
};

constexpr int kThreads = (1 + Pipeline::kConsumers) * kGroupThreads;
using OwnRegisters = Registers<Pipeline::kConsumers, MIN_BLOCKS>;
using GemmTiles = Tiles<Pipeline::Place, BLOCK_M, BLOCK_N, GROUP, RASTER == RASTER_ROWS>;

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_wgmma(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
               MAP_C_PARAMETER ElementC* c, Real alpha, Real beta, int M, int N, int K, int batch,
               int ldc, int stride_a, int stride_b, int stride_c,
               Counter* workspace EPILOGUE_PARAMETERS) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const auto place = Pipeline::Place::here();
  const int steps = (K + TileA::kDepth - 1) / TileA::kDepth;
#if STREAM_K > 1
  const StreamedWork<GemmTiles, Pipeline::Place, STREAM_K> work({M, N, batch, place}, steps, place);
#else
  const Work<GemmTiles, Pipeline::Place> work = {
      {M, N, batch, place}, steps_of<SPLIT_K>(steps, place.part), place};
#endif
  prepare_ring<Pipeline>(map_a, map_b);
  if constexpr (DEPENDENT == DEPENDENT_YES) {
    allow_launch_behind();
    wait_for_launch_ahead();
  }
  if (warp_group_number() == 0) {
    OwnRegisters::give();
    if (threadIdx.x == 0)
      load_all(Loader({map_a, stride_a == 0}, {map_b, stride_b == 0}, place), work);
    end_loading<Pipeline::Place>();
  } else {
    OwnRegisters::take();
    const Epilogue epilogue = EPILOGUE_ARGUMENTS;
    multiply_and_store<Pipeline, Result>(work, MAP_C, workspace, [&](int matrix) -> Output {
      return {{c + static_cast<long long>(matrix) * stride_c, M, N, ldc},
              matrix,
              matrix * stride_c,
              alpha,
              beta,
              epilogue};
    });
  }
  if constexpr (Pipeline::Place::kParts > 1)
    synchronise_cluster();  // others still read this block's sums
#endif
}
