#include <cuda/std/array>

__global__ void __launch_bounds__(THREADS)
    add_segments(const float* numbers, float* sums, int segments, int length) {
  const int segment = blockIdx.x * THREADS + threadIdx.x;
  if (segment >= segments) return;
  cuda::std::array<double, 1> sum = {0};
  for (int i = 0; i < length; ++i) {
    const double number = numbers[static_cast<long long>(segment) * length + i];
    sum[0] += PROBLEM_TERM == TERM_SQUARE ? number * number : number;
  }
  sums[segment] = static_cast<float>(sum[0]);
}
