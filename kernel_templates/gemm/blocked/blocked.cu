// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · op(A) · op(B) + beta · C), any M, N, K ≥ 1, leading dimensions,
// transposes and batch; C is read only with PROBLEM_ACCUMULATE. A block computes a tile of C, a
// warp a tile of that, a thread a tile of that in registers. Tiles of op(A) and op(B) go through
// shared memory, where both lie with a k in each row, several of them at a time; fragments of them
// go to registers ahead of the multiply-adds that use them.
//
// clang-format off
// BLOCK_M, BLOCK_N    tile of C of a block                     multiples of a warp's tile
// BLOCK_K             depth of the tiles in shared memory      8, 16, 32; a multiple of FRAGMENTS
// THREAD_M, THREAD_N  outputs of a thread                      multiples of 4
// LANES_N             lanes of a warp along N                  4, 8, 16
// LOADING             global to shared memory: through         registers, async, bulk
//                     registers, cp.async, or boxes of a
//                     tensor map (sm_90 and later, float32
//                     only)
// LAYOUT              what makes a row of a tile in shared     depths, positions
//                     memory, where a matrix is contiguous
//                     along K: a k, for which it is
//                     transposed, or as in global memory;
//                     with bulk only the latter
// STAGES              tiles of each operand in shared memory   2; async and bulk: 2 … 5
// FRAGMENTS           fragments in registers; with 2, one is   1, 2
//                     read ahead of its use
// ORDER               order of multiply-adds: fragments.cuh    serpentine, zigzag
// PACKED              operands that gemm_blocked_pack copies   none, a, b, both
//                     first, into rows of a k each, aligned:
//                     packing.cuh; not with bulk or SPLIT_K
// GROUP               rows of tiles computed side by side      1 …
// SPLIT_K             blocks that share a tile of C            1 …; with SHAPE launch and no
//                                                              cluster no macro where above 1
// REDUCTION           who adds their sums: the last block, a   block, launch, cluster
//                     second kernel, or all of them as a
//                     cluster (sm_90 and later; at most 8);
//                     the order is the same
// VECTOR_A, VECTOR_B  elements in an access to A or B, to      1, 2, 4; 1 for what async
//                     which its leading dimension, its rows'   transposes; 4 for what is packed;
//                     length and its stride are multiples.     of no meaning with bulk, which needs
//                                                              leading dimensions and, in a batch,
//                                                              strides that are multiples of 4
// SHAPE               whether M, N, K, lda, ldb are macros     launch, compiled
// MIN_BLOCKS          blocks that must fit on an SM at once    1 …
// PROBLEM_TRANSPOSE_A, PROBLEM_TRANSPOSE_B, PROBLEM_ACCUMULATE   the problem's choices
// TYPE_A, TYPE_B, TYPE_C, PROBLEM_PRECISION   types.cuh
// clang-format on
//
// Shared memory, bytes: STAGES · BLOCK_K · (BLOCK_M elements of A + BLOCK_N of B, and 4 more of
// each operand that is contiguous along K), of the type of sums if they come through registers;
// with bulk no 4 more, but 8 bytes a stage; as a cluster at least BLOCK_M · BLOCK_N sums.
// Registers: THREAD_M · THREAD_N + FRAGMENTS · (THREAD_M + THREAD_N) + about 35, more where copies
// go through registers or shapes are passed at launch. Grid: x = tiles of C, y = SPLIT_K, z =
// batch. gemm_blocked_sum: x = tiles · THREAD_M · THREAD_N / 4, z = batch; blocks as of
// gemm_blocked. gemm_blocked_pack: x = tiles of 64 × 64 of op(A), if packed, then op(B), z = batch;
// 256 threads. Workspace with SPLIT_K > 1 but no cluster: partial_sums.cuh. With PACKED: the copies
// of A, then of B. After: Volkov and Demmel, Benchmarking GPUs to tune dense linear algebra, 2008;
// Nath, Tomov and Dongarra, An improved MAGMA GEMM for Fermi, 2010; CUTLASS's documentation,
// "Efficient GEMM in CUDA" (warp tiles, software pipelining, threadblock rasterisation, split-K).

#include "last_block.cuh"
#include "output.cuh"
#include "packing.cuh"
#include "split_k.cuh"
#include "thread_sums.cuh"

#if LOADING == LOADING_BULK
#include "bulk_pipeline.cuh"
#else
#include "pipeline.cuh"
#endif

// The products of `tiles` tiles from where the pipeline stands.
__device__ __forceinline__ void add_products(Sums& sums, Pipeline& pipeline, int tiles) {
  constexpr int kSteps = BLOCK_K / kFragmentDepth;
  constexpr int kAhead = FRAGMENTS - 1;
  Fragment fragments[FRAGMENTS];
  if constexpr (kAhead > 0) pipeline.read(fragments[0], 0);
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (kAhead > 0 && step == kSteps - kAhead) pipeline.advance();
      const int next = step + kAhead;
      pipeline.read(fragments[next % FRAGMENTS], next % kSteps * kFragmentDepth);
      if (step == 0) pipeline.start();
#pragma unroll
      for (int k = 0; k < kFragmentDepth; ++k) multiply_add(sums, fragments[step % FRAGMENTS], k);
    }
    if (kAhead == 0) pipeline.advance();
  }
}

// Writes the four sums from a thread's column `j` on.
__device__ __forceinline__ void write_run(const Output& output, const MatrixPlace& block,
                                          const MatrixPlace& place, int i, int j,
                                          const Run<4, Sum>& run) {
  const int row = block.row + place.row + row_offset(i);
  if constexpr (kRunN == 4) {
    output.write<4>(row, block.column + place.column + column_offset(j), output.c.is_aligned<4>(),
                    run);
  } else {
#pragma unroll
    for (int v = 0; v < 4; ++v)
      output.write<1>(row, block.column + place.column + column_offset(j + v), true,
                      {{run.value[v]}});
  }
}

__device__ __forceinline__ void write_sums(const Output& output, const MatrixPlace& block,
                                           const MatrixPlace& place, const Sums& sums) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4)
      write_run(output, block, place, i, j,
                {{sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]}});
}

// Writes run `run` of this thread's outputs in a tile whose partial sums are complete.
template <int AT_ONCE>
__device__ __forceinline__ void write_whole_sum(const Output& output, const MatrixPlace& block,
                                                const MatrixPlace& place,
                                                const Run<4, Sum>* sums_of_tile, int run,
                                                int parts) {
  constexpr int kAtOnce = kMostParts < AT_ONCE ? kMostParts : AT_ONCE;
  write_run(output, block, place, run / (THREAD_N / 4), run % (THREAD_N / 4) * 4,
            add_partial_sums<kAtOnce>(sums_of_tile, run, parts));
}

// The blocks that share K are a cluster, of which each writes its share of the whole sums.
__device__ __forceinline__ void write_cluster_sums(const Output& output, const MatrixPlace& block,
                                                   const MatrixPlace& place, const Sums& sums,
                                                   Pipeline& pipeline, int part) {
  auto* const sums_of_part = reinterpret_cast<Run<4, Sum>*>(shared);
  pipeline.drain();
  __syncthreads();
  write_partial_sums(sums_of_part, sums);
  synchronise_cluster();
#pragma unroll 2
  for (int run = part; run < kTileRuns / kThreads; run += parts_of_k())
    write_run(output, block, place, run / (THREAD_N / 4), run % (THREAD_N / 4) * 4,
              add_cluster_sums<kMostParts>(sums_of_part, run));
  synchronise_cluster();  // others still read this block's
}

// The sums of a part go to the workspace, where the last block adds them up or a second kernel.
__device__ __forceinline__ void write_part(const Output& output, const MatrixPlace& block,
                                           const MatrixPlace& place, const Sums& sums,
                                           Pipeline& pipeline, int part, Counter* workspace) {
  const int tile =
      static_cast<int>(blockIdx.z) * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
  Run<4, Sum>* const sums_of_tile =
      partial_sums(workspace, static_cast<int>(gridDim.x * gridDim.z), tile, parts_of_k());
  write_partial_sums(sums_of_tile + part * kTileRuns, sums);
  if constexpr (REDUCTION == REDUCTION_BLOCK) {
    pipeline.drain();
    if (!is_last_block(workspace + tile, parts_of_k(), shared)) return;
#pragma unroll 2
    for (int run = 0; run < kTileRuns / kThreads; ++run)
      write_whole_sum<8>(output, block, place, sums_of_tile, run, parts_of_k());
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_blocked(const ElementA* __restrict__ a, const ElementB* __restrict__ b MAP_PARAMETERS,
                 ElementC* c, Real alpha, Real beta, int launch_m, int launch_n, int launch_k,
                 int launch_lda, int launch_ldb, int ldc, int stride_a, int stride_b, int stride_c,
                 Counter* workspace EPILOGUE_PARAMETERS) {
  const int M = kIsCompiledIn ? kM : launch_m;
  const int N = kIsCompiledIn ? kN : launch_n;
  const int K = kIsCompiledIn ? kK : launch_k;
  const int lda = kPackedA ? packed_pitch(M) : kIsCompiledIn ? kLda : launch_lda;
  const int ldb = kPackedB ? packed_pitch(N) : kIsCompiledIn ? kLdb : launch_ldb;
  const int matrix = static_cast<int>(blockIdx.z);
  const MatrixPlace block = block_place(static_cast<int>(blockIdx.x), M, N);
  const MatrixPlace place = thread_place(static_cast<int>(threadIdx.x));
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const Output output = make_output(c, M, N, ldc, stride_c, alpha, beta, epilogue);

  const int all_tiles = (K + BLOCK_K - 1) / BLOCK_K;
  const int part = IS_SPLIT ? static_cast<int>(blockIdx.y) : 0;
  const int first_tile = all_tiles * part / parts_of_k();
  const int last_tile = all_tiles * (part + 1) / parts_of_k();
  const int last_k = min(K, last_tile * BLOCK_K);
  const int matrix_a = stride_a == 0 ? 0 : matrix;
  const int matrix_b = stride_b == 0 ? 0 : matrix;
  const int matrices_a = stride_a == 0 ? 1 : static_cast<int>(gridDim.z);
  const ElementA* const from_a =
      kPackedA ? packed_a(workspace, M, K, matrix_a) : a + matrix_a * stride_a;
  const ElementB* const from_b =
      kPackedB ? packed_b(workspace, M, N, K, matrices_a, matrix_b) : b + matrix_b * stride_b;
  Pipeline pipeline({from_a, lda, M, last_k}, {from_b, ldb, N, last_k}, block, place,
                    first_tile * BLOCK_K MAP_ARGUMENTS);
  Sums sums = {};
  add_products(sums, pipeline, last_tile - first_tile);

  if constexpr (!IS_SPLIT)
    write_sums(output, block, place, sums);
  else if constexpr (REDUCTION == REDUCTION_CLUSTER)
    write_cluster_sums(output, block, place, sums, pipeline, part);
  else
    write_part(output, block, place, sums, pipeline, part, workspace);
}

#if IS_SPLIT && REDUCTION == REDUCTION_LAUNCH
extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_blocked_sum(ElementC* c, Real alpha, Real beta, int M, int N, int ldc, int stride_c,
                     int parts, Counter* workspace EPILOGUE_PARAMETERS) {
  constexpr int kBlocksOfTile = kTileRuns / kThreads;
  const int matrix = static_cast<int>(blockIdx.z);
  const int tiles = static_cast<int>(gridDim.x) / kBlocksOfTile;
  const int tile = static_cast<int>(blockIdx.x) / kBlocksOfTile;
  const int run = static_cast<int>(blockIdx.x) % kBlocksOfTile;
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  write_whole_sum<16>(
      make_output(c, M, N, ldc, stride_c, alpha, beta, epilogue), block_place(tile, M, N),
      thread_place(static_cast<int>(threadIdx.x)),
      partial_sums(workspace, tiles * static_cast<int>(gridDim.z), matrix * tiles + tile, parts),
      run, parts);
}
#endif
