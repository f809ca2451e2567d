// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Each block writes the SM that it runs on, that SM's cycle counter, and the time in nanoseconds.
extern "C" __global__ void tilewright_clock_probe(unsigned long long* out) {
  unsigned int sm;
  unsigned long long nanoseconds;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  unsigned long long* row = out + 3ull * blockIdx.x;
  row[1] = static_cast<unsigned long long>(clock64());
  row[0] = sm;
  row[2] = nanoseconds;
}

// The compiler keeps the loop, because clock64 is asm volatile.
extern "C" __global__ void tilewright_delay(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
