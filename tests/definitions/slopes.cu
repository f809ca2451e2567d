// y += slope * height.
__global__ void apply_slopes(const float* heights, const float* slopes, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] += slopes[i] * heights[i];
}
