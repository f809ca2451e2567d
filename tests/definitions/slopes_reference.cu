__device__ float slope_at(const float* heights, int i, int n) {
  return i + 1 < n ? heights[i + 1] - heights[i] : 0.0f;
}

// Fills an argument of the operation.
__global__ void edge_slopes(const float* heights, float* slopes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slopes[i] = slope_at(heights, i, n);
}

// Uses neither of the arguments that kernels fill: what they hold must follow from the heights.
__global__ void slopes_slowly(const float* heights, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float slope = slope_at(heights, i, n);
  y[i] = slope * slope + slope * heights[i];
}
