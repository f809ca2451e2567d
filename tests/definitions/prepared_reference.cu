extern "C" __global__ void ring_filter(const float* x, const float* filter, float* y, int count,
                                       int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int t = 0; t < taps && i < count; ++t)
    sum += static_cast<double>(filter[t]) * x[(i + t) % count];
  if (i < count) y[i] = static_cast<float>(sum);
}
