// One launch adds all numbers: each block its share, then the first block the blocks' sums.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static __device__ double sum_of_block(double own, double* sums) {
  cg::thread_block block = cg::this_thread_block();
  sums[threadIdx.x] = own;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    block.sync();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  block.sync();
  return sums[0];
}

__global__ void sum_all(const float* __restrict__ x, float* result, double* parts, int count) {
  __shared__ double sums[BLOCK];
  cg::grid_group grid = cg::this_grid();
  double sum = 0;
  for (long long i = grid.thread_rank(); i < count; i += grid.size()) sum += x[i];
  sum = sum_of_block(sum, sums);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  grid.sync();
  if (blockIdx.x != 0) return;
  sum = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) sum += parts[i];
  sum = sum_of_block(sum, sums);
  if (threadIdx.x == 0) *result = static_cast<float>(sum);
}
