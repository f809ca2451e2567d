#include <cub/block/block_reduce.cuh>

constexpr cub::BlockReduceAlgorithm kAlgorithm =
    WAY == WAY_RAKING ? cub::BLOCK_REDUCE_RAKING : cub::BLOCK_REDUCE_WARP_REDUCTIONS;

__global__ void __launch_bounds__(BLOCK)
    add_segment(const float* __restrict__ numbers, float* __restrict__ sums, int length) {
  using Reduce = cub::BlockReduce<float, BLOCK, kAlgorithm>;
  __shared__ typename Reduce::TempStorage storage;
  const float* const segment = numbers + static_cast<long long>(blockIdx.x) * length;
  float own = 0;
  for (int i = threadIdx.x; i < length; i += BLOCK)
    own += PROBLEM_TERM == TERM_SQUARE ? segment[i] * segment[i] : segment[i];
  const float sum = Reduce(storage).Sum(own);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
