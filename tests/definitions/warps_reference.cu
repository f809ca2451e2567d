#include <cmath>

__global__ void add_warps(const float* numbers, float* sums, int warps) {
  const int warp = blockIdx.x * 64 + threadIdx.x;
  if (warp >= warps) return;
  double sum = 0;
  int positive = 0, negative = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const float number = numbers[32 * warp + lane];
    sum += number;
    positive += number > 0.0f;
    negative += std::signbit(number);
  }
  const int others = 32 - negative;
  sums[warp] = static_cast<float>(sum) + positive + negative * negative + others * others;
}
