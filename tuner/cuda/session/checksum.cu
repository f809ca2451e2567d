// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
//
// A sum of the bytes that tells whether they changed. A bijection scrambles each 64-bit word
// together with its place. So one changed word always changes the sum, and swapped words do too.
// Blocks may add in any order. The last word is filled up with zeros.
typedef unsigned long long Word;

__device__ inline Word scrambled(Word word, Word place) {
  Word bits = word + (place + 1) * 0x9E3779B97F4A7C15ull;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
  return bits ^ (bits >> 31);
}

// Adds to *sum. `data` is aligned to 8 bytes. Grid and block may have any size.
extern "C" __global__ void tilewright_checksum(const unsigned char* data, long long bytes,
                                               Word* sum) {
  const Word* words = reinterpret_cast<const Word*>(data);
  const long long whole = bytes / 8;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  Word own = 0;
  for (long long i = thread; i < whole; i += threads) own += scrambled(words[i], i);
  if (thread == 0 && bytes % 8 != 0) {
    Word last = 0;
    for (long long i = whole * 8; i < bytes; ++i)
      last |= static_cast<Word>(data[i]) << (8 * (i - whole * 8));
    own += scrambled(last, whole);
  }
  if (own != 0) atomicAdd(sum, own);
}
