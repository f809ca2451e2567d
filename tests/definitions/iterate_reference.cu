extern "C" __global__ void spread(float* after, const float* before, int width, int height,
                                  int step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= width) return;
  double sum = 0;
  sum += before[(y == 0 ? y : y - 1) * width + x];
  sum += before[(y == height - 1 ? y : y + 1) * width + x];
  sum += before[y * width + (x == 0 ? x : x - 1)];
  sum += before[y * width + (x == width - 1 ? x : x + 1)];
  const double value = x == 0 ? 0.001 * step : 0.5 * before[y * width + x] + 0.125 * sum;
  after[y * width + x] = static_cast<float>(value);
}
