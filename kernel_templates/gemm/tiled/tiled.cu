// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · A · B + beta · C), row-major, any M, N, K ≥ 1, any leading dimensions,
// a batch; C is read only with PROBLEM_ACCUMULATE. A block computes one tile of C. In each phase
// its threads load a tile of A and a tile of B into shared memory together, zeros where a matrix
// ends, wait for one another, multiply the two tiles, and wait again before the next phase.
//
// BLOCK_X        threads along N                          4 … 32; BLOCK_X · BLOCK_Y ≤ 1024
// BLOCK_Y        threads along M                          4 … 32
// COARSEN_X      columns of C a thread computes           1 … 16; COARSEN_X · COARSEN_Y ≤ 128
// COARSEN_Y      rows of C a thread computes              1 … 16
// TILE_WIDTH     K step: columns of A's tile, rows of B's 4, 8, 16, 32
// VECTOR         elements in one memory access            1, 2, 4; divides COARSEN_X
// PADDING        unused slots at the end of a row of A's  0, 1
//                tile, against bank conflicts
// UNROLL         unrolling of the loop over a tile's K    4 or TILE_WIDTH
// DOUBLE_BUFFER  1: two tiles of each, the next phase's   0, 1
//                are loaded during the product, and one
//                barrier a phase is enough
// MIN_BLOCKS     blocks that must fit on an SM at once    1, 2
// TYPE_A, TYPE_B, TYPE_C, PROBLEM_PRECISION   types.cuh; tiles hold the type of sums
//
// BLOCK_X = BLOCK_Y = TILE_WIDTH, COARSEN_X = COARSEN_Y = 1 and no more is the textbook kernel:
// each thread loads one element of A and one of B a phase.
//
// Which outputs a thread has: columns in runs of VECTOR, run i at (i · BLOCK_X + threadIdx.x) ·
// VECTOR, so neighbouring threads read neighbouring runs of B's tile and no banks conflict. Rows
// likewise. With VECTOR = 1, A's tile lies as in memory; with more it lies transposed, so that a
// run of its rows is one access too. Global memory is read and written in runs of VECTOR where
// every row of the matrix allows it, otherwise one by one.
//
// Shared memory, bytes: (1 + DOUBLE_BUFFER) · sizeof(Sum) · (A's tile + B's tile), static, at most
// 48 KiB; B's tile is TILE_WIDTH · BLOCK_X · COARSEN_X sums, A's the same along Y plus the padding.
// Registers: COARSEN_X · COARSEN_Y + COARSEN_X + COARSEN_Y + about 30, and what DOUBLE_BUFFER
// keeps on its way to the next tiles.
// Grid: x = ceil(N / (BLOCK_X · COARSEN_X)), y = ceil(M / (BLOCK_Y · COARSEN_Y)), z = batch.
// After: Kirk and Hwu, Programming Massively Parallel Processors, chapters 5 (tiling) and 6
// (thread coarsening); Volkov and Demmel, Benchmarking GPUs to tune dense linear algebra, 2008
// (register blocking).

#include "epilogue.cuh"
#include "run.cuh"
#include "types.cuh"

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kRows = BLOCK_Y * COARSEN_Y;
constexpr int kColumns = BLOCK_X * COARSEN_X;
constexpr int kStages = 1 + DOUBLE_BUFFER;
constexpr int kUnroll = UNROLL;  // a pragma takes no macro

// Rows of A that a thread reads at once.
constexpr int kRowRun = COARSEN_Y % VECTOR == 0 ? VECTOR : 1;

// Runs of the tiles, and how many a thread loads.
constexpr int kRunsA = kRows * TILE_WIDTH / VECTOR;
constexpr int kRunsB = TILE_WIDTH * kColumns / VECTOR;
constexpr int kLoadsA = (kRunsA + kThreads - 1) / kThreads;
constexpr int kLoadsB = (kRunsB + kThreads - 1) / kThreads;

struct Tiles {
#if VECTOR == 1
  Sum a[kRows][TILE_WIDTH + PADDING];
#else
  Run<kRowRun, Sum> a[TILE_WIDTH][kRows / kRowRun + PADDING];
#endif
  Run<VECTOR, Sum> b[TILE_WIDTH][kColumns / VECTOR];
};

// What a thread has read of the tiles and not yet written to shared memory.
struct Loads {
  Run<VECTOR, ElementA> a[kLoadsA];
  Run<VECTOR, ElementB> b[kLoadsB];
};

struct Operands {
  Matrix<const ElementA> a;
  Matrix<const ElementB> b;
  bool a_is_aligned, b_is_aligned;
  int first_row, first_column;  // of the block's tile of C
};

__device__ __forceinline__ int thread_x() {
  return static_cast<int>(threadIdx.x);
}
__device__ __forceinline__ int thread_y() {
  return static_cast<int>(threadIdx.y);
}
__device__ __forceinline__ int thread_index() {
  return thread_y() * BLOCK_X + thread_x();
}

// Reads this thread's share of the tiles that begin at column `first_k` of A, row `first_k` of B.
__device__ __forceinline__ void read_tiles(Loads& loads, const Operands& in, int first_k) {
#pragma unroll
  for (int i = 0; i < kLoadsA; ++i) {
    const int run = thread_index() + i * kThreads;
    const int row = run / (TILE_WIDTH / VECTOR);
    const int k = run % (TILE_WIDTH / VECTOR) * VECTOR;
    if (kRunsA % kThreads == 0 || run < kRunsA)
      loads.a[i] = load_run<VECTOR>(in.a, in.first_row + row, first_k + k, in.a_is_aligned);
  }
#pragma unroll
  for (int i = 0; i < kLoadsB; ++i) {
    const int run = thread_index() + i * kThreads;
    const int k = run / (kColumns / VECTOR);
    const int column = run % (kColumns / VECTOR) * VECTOR;
    if (kRunsB % kThreads == 0 || run < kRunsB)
      loads.b[i] = load_run<VECTOR>(in.b, first_k + k, in.first_column + column, in.b_is_aligned);
  }
}

__device__ __forceinline__ void write_tiles(Tiles& tiles, const Loads& loads) {
#pragma unroll
  for (int i = 0; i < kLoadsA; ++i) {
    const int run = thread_index() + i * kThreads;
    const int row = run / (TILE_WIDTH / VECTOR);
    const int k = run % (TILE_WIDTH / VECTOR) * VECTOR;
    if (kRunsA % kThreads == 0 || run < kRunsA) {
#if VECTOR == 1
      tiles.a[row][k] = to<Sum>(loads.a[i].value[0]);
#else
#pragma unroll
      for (int v = 0; v < VECTOR; ++v)
        tiles.a[k + v][row / kRowRun].value[row % kRowRun] = to<Sum>(loads.a[i].value[v]);
#endif
    }
  }
#pragma unroll
  for (int i = 0; i < kLoadsB; ++i) {
    const int run = thread_index() + i * kThreads;
    if (kRunsB % kThreads == 0 || run < kRunsB)
      tiles.b[run / (kColumns / VECTOR)][run % (kColumns / VECTOR)] = run_to<Sum>(loads.b[i]);
  }
}

// Adds the product of the two tiles to this thread's outputs.
__device__ __forceinline__ void multiply_tiles(Sum (&sums)[COARSEN_Y][COARSEN_X],
                                               const Tiles& tiles) {
#pragma unroll kUnroll
  for (int k = 0; k < TILE_WIDTH; ++k) {
    Run<kRowRun, Sum> a[COARSEN_Y / kRowRun];
    Run<VECTOR, Sum> b[COARSEN_X / VECTOR];
#pragma unroll
    for (int j = 0; j < COARSEN_Y / kRowRun; ++j) {
#if VECTOR == 1
      a[j].value[0] = tiles.a[thread_y() + j * BLOCK_Y][k];
#else
      a[j] = tiles.a[k][thread_y() + j * BLOCK_Y];
#endif
    }
#pragma unroll
    for (int i = 0; i < COARSEN_X / VECTOR; ++i) b[i] = tiles.b[k][thread_x() + i * BLOCK_X];
#pragma unroll
    for (int j = 0; j < COARSEN_Y; ++j)
#pragma unroll
      for (int i = 0; i < COARSEN_X; ++i)
        sums[j][i] += a[j / kRowRun].value[j % kRowRun] * b[i / VECTOR].value[i % VECTOR];
  }
}

// Writes this thread's outputs, which are what `result` makes of a sum and its place in C.
template <class Result>
__device__ __forceinline__ void write_sums(const Matrix<ElementC>& c, const Operands& in,
                                           const Sum (&sums)[COARSEN_Y][COARSEN_X],
                                           const Result& result) {
  const bool aligned = c.is_aligned<VECTOR>();
#pragma unroll
  for (int j = 0; j < COARSEN_Y; ++j) {
    const int row = in.first_row + (thread_y() + j / kRowRun * BLOCK_Y) * kRowRun + j % kRowRun;
#pragma unroll
    for (int i = 0; i < COARSEN_X / VECTOR; ++i) {
      const int column = in.first_column + (thread_x() + i * BLOCK_X) * VECTOR;
      Run<VECTOR, ElementC> run;
#pragma unroll
      for (int v = 0; v < VECTOR; ++v)
        if (row < c.rows && column + v < c.columns)
          run.value[v] = result(sums[j][i * VECTOR + v], row, column + v);
      store_run<VECTOR>(c, row, column, aligned, run);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_tiled(const ElementA* __restrict__ a, const ElementB* __restrict__ b,
               ElementC* __restrict__ c, Real alpha, Real beta, int M, int N, int K, int lda,
               int ldb, int ldc, int stride_a, int stride_b, int stride_c EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  __shared__ Tiles tiles[kStages];
  const int batch = static_cast<int>(blockIdx.z);
  const Matrix<const ElementA> left = {a + batch * stride_a, M, K, lda};
  const Matrix<const ElementB> right = {b + batch * stride_b, K, N, ldb};
  const Operands in = {left,
                       right,
                       left.is_aligned<VECTOR>(),
                       right.is_aligned<VECTOR>(),
                       static_cast<int>(blockIdx.y) * kRows,
                       static_cast<int>(blockIdx.x) * kColumns};
  Sum sums[COARSEN_Y][COARSEN_X] = {};
  Loads loads;

  if constexpr (DOUBLE_BUFFER) {
    read_tiles(loads, in, 0);
    write_tiles(tiles[0], loads);
    __syncthreads();
    int stage = 0;
    for (int first_k = 0; first_k < K; first_k += TILE_WIDTH) {
      const bool has_next = first_k + TILE_WIDTH < K;
      if (has_next) read_tiles(loads, in, first_k + TILE_WIDTH);
      multiply_tiles(sums, tiles[stage]);
      stage ^= 1;
      if (has_next) write_tiles(tiles[stage], loads);
      __syncthreads();
    }
  } else {
    for (int first_k = 0; first_k < K; first_k += TILE_WIDTH) {
      read_tiles(loads, in, first_k);
      write_tiles(tiles[0], loads);
      __syncthreads();
      multiply_tiles(sums, tiles[0]);
      __syncthreads();
    }
  }

  const Matrix<ElementC> target = {c + batch * stride_c, M, N, ldc};
  write_sums(target, in, sums, [&](Sum sum, int row, int column) {
    Real value = alpha * sum;
    const int index = batch * stride_c + row * ldc + column;
    if (PROBLEM_ACCUMULATE) value += beta * to<Real>(c[index]);
    return to<ElementC>(epilogue(value, row, column, batch, index));
  });
}
