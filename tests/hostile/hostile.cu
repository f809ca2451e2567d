// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// y = x, unless FAULT says otherwise: hostile.toml.

#if FAULT == FAULT_LAUNCH_BOUNDS
#define BOUNDS __launch_bounds__(32)  // and launched with BLOCK
#elif FAULT == FAULT_REGISTERS
#define BOUNDS  // the compiler may use 255
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

#if FAULT == FAULT_COMPILE_MEMORY && !defined(TILEWRIGHT_HOST)
__device__ unsigned char table[1ULL << 33] = {1};
#elif FAULT == FAULT_COMPILE_MEMORY
// About 2 GiB, in case that nothing limits it; then what takes minutes.
template <int LEFT, class... T>
struct Doubled {
  using Type = typename Doubled<LEFT - 1, T..., T...>::Type;
};
template <class... T>
struct Doubled<0, T...> {
  using Type = int;
};
using Memory = Doubled<27, int>::Type;
#endif

#if FAULT == FAULT_COMPILE_ENDLESS || (FAULT == FAULT_COMPILE_MEMORY && defined(TILEWRIGHT_HOST))
constexpr int spin(int seed) {
  int sum = seed;
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 100; ++j)
      for (int k = 0; k < 100; ++k) sum = (sum + k) % 100;
  return sum;
}
template <int LEFT>
struct Spin {
  static constexpr int value = spin(LEFT) + Spin<LEFT - 1>::value;
};
template <>
struct Spin<0> {
  static constexpr int value = 0;
};
__device__ constexpr int kSpun = Spin<800>::value;
#endif

// Mixes more numbers than there are registers. 0, whatever they are.
__device__ __forceinline__ float use_registers(const float* x, int count) {
  constexpr int kNumbers = 300;
  if (count < kNumbers) return 0.0f;
  float numbers[kNumbers];
#pragma unroll
  for (int k = 0; k < kNumbers; ++k) numbers[k] = x[k];
#pragma unroll 1
  for (int round = 0; round < count % 7 + 1; ++round)
#pragma unroll
    for (int k = 0; k < kNumbers; ++k)
      numbers[k] = 0.5f * (numbers[k] + numbers[(k + 1) % kNumbers]);
  return 0.0f * numbers[0];
}

// Outputs are poisoned before a call that is verified, and hold answers before one that is timed.
__device__ __forceinline__ bool is_timed(const float* y) {
  return __float_as_uint(*static_cast<const volatile float*>(y)) != 0xFFFFFFFFu;
}

// Always true, which no compiler can know: no input is this NaN.
__device__ __forceinline__ bool goes_on(const float* x) {
  return __float_as_uint(*static_cast<const volatile float*>(x)) != 0x7FC12345u;
}

extern "C" __global__ void BOUNDS copy(const float* x, float* y, int count) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  const bool is_inside = i < count;
  float value = is_inside ? x[i] : 0.0f;

#if FAULT == FAULT_NOTHING_DONE
  return;
#elif FAULT == FAULT_ONE_ELEMENT
  if (i == count / 2) value += 1.0f;
#elif FAULT == FAULT_RAGGED_EDGE
  if (i >= count / 4 * 4) return;
#elif FAULT == FAULT_UNWRITTEN
  if (i == count / 3) return;
#elif FAULT == FAULT_NAN
  if (i == count / 3) value = __int_as_float(0x7FC00000);
#elif FAULT == FAULT_INPUT_OVERWRITTEN
  if (i == count / 3) const_cast<float*>(x)[i] = 77.0f;
#elif FAULT == FAULT_WRITE_NEAR
  if (i == 0) y[count] = 1.0f;
#elif FAULT == FAULT_WRITE_FAR
  if (i == 0) y[1LL << 40] = 1.0f;
#elif FAULT == FAULT_ENDLESS
  while (goes_on(x)) {
  }
#elif FAULT == FAULT_ENDLESS_WHEN_TIMED
  if (i == 0 && is_timed(y))
    while (goes_on(x)) {
    }
#elif FAULT == FAULT_TRAP
  if (i == 0) __trap();
#elif FAULT == FAULT_TRAP_WHEN_TIMED
  if (i == 0 && is_timed(y)) __trap();
#elif FAULT == FAULT_MISALIGNED
  if (i == 0 && count > 4)
    *reinterpret_cast<float4*>(y + 1) = *reinterpret_cast<const float4*>(x + 1);
#elif FAULT == FAULT_SHARED_STATIC
  __shared__ float much[65536];
  much[threadIdx.x] = value;
  value = static_cast<volatile float*>(much)[threadIdx.x];
#elif FAULT == FAULT_SHARED_TOGETHER
  __shared__ float some[1024];
  some[threadIdx.x] = value;
  value = static_cast<volatile float*>(some)[threadIdx.x];
#elif FAULT == FAULT_REGISTERS
  if (blockIdx.x == 0) value += use_registers(x, count);
#elif FAULT == FAULT_SHUFFLE
  value = __shfl_sync(0xFFFFFFFFu, value, static_cast<int>(threadIdx.x) % 32);
#elif FAULT == FAULT_SYNTAX
  this is not CUDA
#endif

  if (is_inside) y[i] = value;
}
