#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

// Not part of any other file, as kernels of one file often are.
__global__ void blend(const TYPE* __restrict__ x, float share, TYPE* __restrict__ y, float part,
                      int count) {
  const int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int i = first + item * BLOCK;
    if (i < count)
      y[i] = static_cast<TYPE>(share * static_cast<float>(x[i]) + part * static_cast<float>(y[i]));
  }
}

}  // namespace
