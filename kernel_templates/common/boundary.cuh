// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Ghost samples: what stands beyond the ends of a row of `length` samples. PROBLEM_BOUNDARY is
// the operation's choice `boundary`, with SciPy's meanings (its names in brackets), for a row
// a b c d:
//   zero [constant]       0 0 0 | a b c d | 0 0 0
//   replicate [nearest]   a a a | a b c d | d d d
//   reflect               c b a | a b c d | d c b
//   mirror                d c b | a b c d | c b a
//   wrap                  b c d | a b c d | a b c
//   fixed                 not used: points so near to an end that they would need one keep their
//   values
// Reflections go on for ever, so an index may lie any number of rows away; those less than one row
// away need no division.

#if defined(BOUNDARY_FIXED)
constexpr bool kIsFixed = PROBLEM_BOUNDARY == BOUNDARY_FIXED;
#else
constexpr bool kIsFixed = false;  // the operation has no such choice
#endif
constexpr bool kGhostsAreZero = PROBLEM_BOUNDARY == BOUNDARY_ZERO || kIsFixed;

__device__ __forceinline__ long long positive_modulo(long long value, long long divisor) {
  const long long remainder = value % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

// The index of the sample that stands at `index`, or −1 where that is zero.
__device__ __forceinline__ int source_index(int index, int length) {
  if (index >= 0 && index < length) return index;
  if constexpr (kGhostsAreZero) {
    return -1;
  } else if constexpr (PROBLEM_BOUNDARY == BOUNDARY_REPLICATE) {
    return index < 0 ? 0 : length - 1;
  } else if constexpr (PROBLEM_BOUNDARY == BOUNDARY_REFLECT) {
    const int once = index < 0 ? -1 - index : length - 1 - index + length;
    if (once >= 0 && once < length) return once;
    const long long folded = positive_modulo(index, 2LL * length);
    return static_cast<int>(folded < length ? folded : 2LL * length - 1 - folded);
  } else if constexpr (PROBLEM_BOUNDARY == BOUNDARY_MIRROR) {
    if (length == 1) return 0;
    const int once = index < 0 ? -index : length - 1 - index + length - 1;
    if (once >= 0 && once < length) return once;
    const long long folded = positive_modulo(index, 2LL * length - 2);
    return static_cast<int>(folded < length ? folded : 2LL * length - 2 - folded);
  } else {
    static_assert(kGhostsAreZero || PROBLEM_BOUNDARY == BOUNDARY_REPLICATE ||
                      PROBLEM_BOUNDARY == BOUNDARY_REFLECT || PROBLEM_BOUNDARY == BOUNDARY_MIRROR ||
                      PROBLEM_BOUNDARY == BOUNDARY_WRAP,
                  "the boundary is known here");
    const int once = index < 0 ? index + length : index - length;
    if (once >= 0 && once < length) return once;
    return static_cast<int>(positive_modulo(index, length));
  }
}

// The sample at `index`, ghost or not.
template <class T>
__device__ __forceinline__ T sample_or_ghost(const T* row, int index, int length) {
  const int source = source_index(index, length);
  return source < 0 ? T{} : row[source];
}
