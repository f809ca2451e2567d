#include <cuda_bf16.h>
#include <cuda_fp16.h>

// One thread for each element of y, in double.
template <class T>
__global__ void experts_reference(const T* x, const T* w, const int* begins, const int* order, const float* weights, T* y, int top, int experts, int N, int K) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= N) return;
  int expert = 0;
  while (expert < experts - 1 && begins[expert + 1] <= static_cast<int>(blockIdx.y)) ++expert;
  const long long place = order[blockIdx.y];
  x += place / top * K;
  w += (static_cast<long long>(expert) * N + n) * K;
  double sum = 0;
  for (int k = 0; k < K; ++k) sum += double(float(x[k])) * double(float(w[k]));
  y[place * N + n] = static_cast<T>(static_cast<float>(weights[place] * sum));
}
