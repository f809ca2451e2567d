#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__global__ void blend(const T* x, float share, T* y, double part, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double blended = double(share) * double(float(x[i])) + part * double(float(y[i]));
  y[i] = static_cast<T>(static_cast<float>(blended));
}
