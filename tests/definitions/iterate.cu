// One step of heat spreading over a grid. The left edge has the number of the step.
__global__ void spread(float* __restrict__ after, const float* __restrict__ before, int width,
                       int height, int step) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int up = y == 0 ? y : y - 1;
  const int down = y == height - 1 ? y : y + 1;
  const int left = x == 0 ? x : x - 1;
  const int right = x == width - 1 ? x : x + 1;
  const float around = before[up * width + x] + before[down * width + x] +
                       before[y * width + left] + before[y * width + right];
  after[y * width + x] = x == 0 ? 0.001f * step : 0.5f * before[y * width + x] + 0.125f * around;
}
