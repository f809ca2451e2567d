// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
//
// The second kernel for libraries that leave the epilogue to one. It works in place on `count` vectors
// of four floats; a row of the matrix has `columns` floats. GELU has the form with tanh, as in cublasLt
// and the snippet bias_gelu.
__device__ __forceinline__ float gelu(float x) {
  return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

extern "C" __global__ void __launch_bounds__(256)
    bias_gelu(float4* matrix, const float4* __restrict__ bias, int columns, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float4 value = matrix[i];
  const float4 added = bias[i % (columns / 4)];
  value.x = gelu(value.x + added.x);
  value.y = gelu(value.y + added.y);
  value.z = gelu(value.z + added.z);
  value.w = gelu(value.w + added.w);
  matrix[i] = value;
}
