#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <signs.cuh>
#include <stdint.h>

#include "cuda_runtime.h"

namespace cg = cooperative_groups;

__device__ float sum_of_warp(float number) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if (WAY == WAY_GROUPS) return cg::reduce(warp, number, cg::plus<float>());
  if (WAY == WAY_TILES) {
    const cg::thread_block_tile<16> half = cg::tiled_partition<16>(cg::this_thread_block());
    for (int other = 8; other > 0; other /= 2) number += half.shfl_xor(number, other);
    return number + warp.shfl(number, 16);
  }
  for (int distance = 16; distance > 0; distance /= 2)
    number += __shfl_down_sync(UINT32_MAX, number, distance);
  return number;
}

__global__ void add_warp(const float* __restrict__ numbers, float* __restrict__ sums, int warps) {
  const uint32_t thread = blockIdx.x * BLOCK + threadIdx.x;
  if (thread / 32 >= warps) return;
  const float number = numbers[thread];
  const uint32_t positive = __ballot_sync(UINT32_MAX, IS_POSITIVE(number));
  const uint32_t alike = __popc(__match_any_sync(UINT32_MAX, signbit(number) ? 1 : 0));
  const uint32_t pairs = __reduce_add_sync(UINT32_MAX, alike);
  const float sum = sum_of_warp(number);
  if (thread % 32 == 0) sums[thread / 32] = sum + __popc(positive) + pairs;
}
