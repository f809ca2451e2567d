// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
// FP32 multiply-adds a second by where a tap comes from (FORM 0: kernel parameter, 1: constant
// memory, 2: shared memory) and by the code of the loop around them, TAPS · TX · TY multiply-adds.
#include <cuda_runtime.h>
#include <cstdio>
#ifndef FORM
#define FORM 0
#endif
#ifndef TAPS
#define TAPS 68
#endif
#ifndef TX
#define TX 4
#endif
#ifndef TY
#define TY 4
#endif
struct F {
  float v[1024];
};
__constant__ float C[1024];
__global__ void __launch_bounds__(128) k(float* y, const __grid_constant__ F f, int n) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += 128) s[i] = f.v[i];
  __syncthreads();
  float w[24];
  for (int i = 0; i < 24; ++i) w[i] = y[i * 128 + threadIdx.x];
  float a[TY][TX] = {};
#pragma unroll 1
  for (int r = 0; r < n; ++r) {
    asm volatile("" ::: "memory");
#pragma unroll
    for (int t = 0; t < TAPS; t += 4) {
      float4 q;
      if (FORM == 2) q = *reinterpret_cast<float4*>(s + t);
      const float* p = &q.x;
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const float tap = FORM == 0 ? f.v[t + u] : FORM == 1 ? C[t + u] : p[u];
#pragma unroll
        for (int i = 0; i < TY; ++i)
#pragma unroll
          for (int x = 0; x < TX; ++x)
            a[i][x] = fmaf(tap, w[(t + u + i + x) % 20 + (i & 3)], a[i][x]);
      }
    }
  }
  float z = 0;
  for (int i = 0; i < TY; ++i)
    for (int x = 0; x < TX; ++x) z += a[i][x];
  y[blockIdx.x * 128 + threadIdx.x] = z;
}
int main() {
  float* y;
  cudaMalloc(&y, 1 << 24);
  cudaMemset(y, 0, 1 << 24);
  F f;
  for (int i = 0; i < 1024; ++i) f.v[i] = 1e-3f * i;
  cudaMemcpyToSymbol(C, f.v, 4096);
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  int n = 4000000 / (TAPS * TX * TY);
  for (int blocks : {1, 2, 4, 5, 8}) {
    k<<<132 * blocks, 128>>>(y, f, n);
    cudaDeviceSynchronize();
    cudaEventRecord(a);
    k<<<132 * blocks, 128>>>(y, f, n);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    double fl = 2.0 * 132 * blocks * 128 * (double)n * TAPS * TX * TY;
    printf("form %d taps %d tile %dx%d code %d FFMA, warps/SM %d: %.1f TFLOP/s\n", FORM, TAPS, TX,
           TY, TAPS * TX * TY, blocks * 4, fl / ms / 1e9);
  }
}
