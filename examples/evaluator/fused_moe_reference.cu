#include <cuda_bf16.h>
#include <cuda_fp16.h>

// One thread for each element, in double.
template <class T>
__device__ double product(const T* matrix, const T* vector, long long row, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += double(float(matrix[row * count + i])) * double(float(vector[i]));
  return sum;
}

template <class T>
__global__ void first_product(const T* x, const T* w1, const int* chosen, float* hidden, int top, int N, int K) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= N) return;
  const long long place = blockIdx.y;
  x += place / top * K;
  const long long row = 2LL * chosen[place] * N + n;
  const double gate = product(w1, x, row, K);
  hidden[place * N + n] = static_cast<float>(gate / (1 + exp(-gate)) * product(w1, x, row + N, K));
}

template <class T>
__global__ void second_product(const float* hidden, const T* w2, const float* weights, const int* chosen, T* y, int top, int N, int K) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= K) return;
  const long long token = blockIdx.y;
  double sum = 0;
  for (long long place = token * top; place < (token + 1) * top; ++place) {
    const T* row = w2 + (static_cast<long long>(chosen[place]) * K + k) * N;
    for (int n = 0; n < N; ++n) sum += double(weights[place]) * double(hidden[place * N + n]) * double(float(row[n]));
  }
  y[token * K + k] = static_cast<T>(static_cast<float>(sum));
}
