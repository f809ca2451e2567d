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
// for each consumer with STORE bulk; 16 · STAGES.
// Registers: kBands · BLOCK_N (or BLOCK_M, swapped) / 2 sums, twice that for float8, + about 40,
// and for a left side through registers 16 · kBands; the loading warps give theirs to
// the others. Grid: x = cluster tiles · blocks of a cluster, or fewer with PERSISTENT; y = parts of
// K that are no cluster. Workspace: with PACKED the copies of A, then B; else split_sums.cuh.
// After: Shah, Bikshandi, Zhang, Thakkar, Ramani and Dao, FlashAttention-3, 2024 (warp groups in
// turns); CUTLASS's documentation, "Efficient GEMM in CUDA" (warp specialisation, rasterisation,
// split-K); NVIDIA, Hopper tuning guide.

#include "dependent_launch.cuh"
#include "packing.cuh"
#include "split_sums.cuh"

// Registers of a thread: the block begins with the same for all, multiples of 8; then the loading
// group gives up what it does not need. One consumer on an SM of its own has enough as it is.
constexpr int kAtStart = 65536 / (MIN_BLOCKS * kThreads) / 8 * 8;
constexpr bool kMovesRegisters = kAtStart < 255;
constexpr int kOfLoader = kAtStart >= 128 ? 40 : 24;
constexpr int kOfConsumer = (kAtStart * (1 + kConsumers) - kOfLoader) / kConsumers / 8 * 8;

// The tiles of C that the block computes, and the part of K that it adds up.
struct Work {
  Tiles tiles;
  Steps steps;
  ClusterPlace place;
};

// By the first warp group.
__device__ __forceinline__ void load(const Work& work, const MappedOperand& a,
                                     const MappedOperand& b) {
  if (threadIdx.x == 0) {
    Loader loader(a, b, work.place);
    for (int t = first_tile(); t < work.tiles.count(); t += tile_stride())
      loader.load(work.tiles.at(t), work.steps);
    if constexpr (kFillers > 1) loader.drain();
  }
  __syncwarp();
  if constexpr (kClusterParts > 1) synchronise_cluster();
}

// Consumers that take turns: one multiplies its tile when the other has started all products of the
// tile before. So neither waits for a stage a lap behind the other, when it would have the parity
// of another lap.
__device__ __forceinline__ int turn_of(int consumer) {
  return 1 + kConsumers + consumer;
}

// By the other warp groups. `output_of` makes the output of a matrix of the batch.
template <class OUTPUT_OF>
__device__ __forceinline__ void multiply_and_store(const Work& work, const TensorMap* map_c,
                                                   Counter* workspace, OUTPUT_OF&& output_of) {
  const int number = kConsumers == 1 ? 0 : warp_group_number() - 1;
  const int left = kPingPong ? 0 : number * kLeft;
  const Consumer consumer = {Factors{left}, work.place};
  const int stride = tile_stride();
  RingPlace ring;
  int t = first_tile();
  if (kPingPong && number == 1) {
    ring.skip(work.steps.count);
    t += stride;
  }
  Boxes boxes(number);
  for (; t < work.tiles.count(); t += (kPingPong ? 2 : 1) * stride) {
    const Tile tile = work.tiles.at(t);
    if (kPingPong && t != first_tile()) wait_at_named_barrier(turn_of(number), kConsumerThreads);
    Sums sums;
    const Stage last = multiply(sums, ring, consumer, work.steps.count);
    if (kPingPong && t + stride < work.tiles.count())
      arrive_at_named_barrier(turn_of(1 - number), kConsumerThreads);
    finish_products(sums, last, work.steps.count, work.place);
    if (kPingPong) ring.skip(work.steps.count);
    const Output output = output_of(tile.matrix);
    if constexpr (kClusterParts > 1)
      write_cluster_sums(output, tile, sums, left, work.place);
    else if constexpr (SPLIT_K > 1)
      write_last_sums(output, tile, sums, left, work.place.part, workspace);
    else if constexpr (STORE == STORE_BULK)
      boxes.store(*map_c, output, tile, sums, left);
    else
      write_sums(output, tile, sums, left);
  }
  if constexpr (STORE == STORE_BULK) boxes.drain();
}

// Barriers of the ring, before anyone uses them.
__device__ __forceinline__ void prepare_ring(const TensorMap& a, const TensorMap& b) {
  if (threadIdx.x == 0) {
    prefetch_map(a);
    prefetch_map(b);
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(Stage{stage}.filled(), 1);
      init_barrier(Stage{stage}.emptied(), kReleases);
    }
    publish_barriers();
  }
  if constexpr (kCluster > 1)
    meet_cluster();
  else
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_wgmma(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
               MAP_C_PARAMETER ElementC* c, Real alpha, Real beta, int M, int N, int K, int batch,
               int ldc, int stride_a, int stride_b, int stride_c,
               Counter* workspace EPILOGUE_PARAMETERS) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const ClusterPlace place = cluster_place();
  const Work work = {{M, N, batch, place}, steps_of(K, place.part), place};
  prepare_ring(map_a, map_b);
  if constexpr (DEPENDENT == DEPENDENT_YES) {
    allow_launch_behind();
    wait_for_launch_ahead();
  }
  if (warp_group_number() == 0) {
    if constexpr (kMovesRegisters) give_registers<kOfLoader>();
    load(work, {map_a, stride_a == 0}, {map_b, stride_b == 0});
  } else {
    if constexpr (kMovesRegisters) take_registers<kOfConsumer>();
    const Epilogue epilogue = EPILOGUE_ARGUMENTS;
    multiply_and_store(work, MAP_C, workspace, [&](int matrix) -> Output {
      return {{c + static_cast<long long>(matrix) * stride_c, M, N, ldc},
              matrix,
              matrix * stride_c,
              alpha,
              beta,
              epilogue};
    });
  }
  if constexpr (kClusterParts > 1) synchronise_cluster();  // others still read this block's sums
#endif
}
