// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

#if defined(TILEWRIGHT_HOST)
// No system headers here: as in the C library, on 64-bit Linux.
struct SpinTime {
  long seconds, nanoseconds;
};
extern "C" int clock_gettime(int clock, SpinTime* time);

inline long long now(int) {
  SpinTime time;
  clock_gettime(1, &time);  // CLOCK_MONOTONIC
  return time.seconds * 1000000000ll + time.nanoseconds;
}
#else
__device__ inline long long now(int cycles) {
  if (cycles != 0) return clock64();
  long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}
#endif

extern "C" __global__ void spin(int* waited, int ticks, int cycles) {
  const long long start = now(cycles);
  while (now(cycles) - start < ticks) {
  }
  *waited = ticks;
}
