// y[i] = the sum over t of filter[t] · x[i + t], where x begins again behind its end.
#ifdef STRIDE
// The last tap comes first, and each is doubled.
extern "C" __global__ void reorder(const float* filter, float* prepared, int taps) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < taps) prepared[(taps - 1 - t) * STRIDE] = 2 * filter[t];
}

static __device__ float sum_of(const float* x, const float* prepared, int i, int count, int taps,
                               int first, int end) {
  float sum = 0;
  for (int t = first; t < end; ++t)
    sum += prepared[(taps - 1 - t) * STRIDE] / 2 * x[(i + t) % count];
  return sum;
}

extern "C" __global__ void add_taps(const float* x, const float* prepared, float* sums, int count,
                                    int taps, int end) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) sums[i] = sum_of(x, prepared, i, count, taps, 0, end);
}

extern "C" __global__ void add_other_taps(const float* x, const float* prepared, const float* sums,
                                          float* y, int count, int taps, int first) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count)
    y[i] = (SPLIT ? sums[i] : 0) + sum_of(x, prepared, i, count, taps, first, taps);
}
#else
extern "C" __global__ void plain(const float* x, const float* filter, float* y, int count,
                                 int taps) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < taps && i < count; ++t) sum += filter[t] * x[(i + t) % count];
  if (i < count) y[i] = sum;
}
#endif
