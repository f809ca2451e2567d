// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The index of the sample that stands at `index` of a row of `length`, or −1 where that is zero,
// for the reference kernels of convolutions, which are not compiled for a boundary: `boundary` is
// the choice's index (zero, replicate, reflect, mirror, wrap). It walks to the row one reflection
// or period at a time, straight from the definitions, and shares nothing with boundary.cuh, which
// it judges.
__device__ inline int reference_source(int index, int length, int boundary) {
  if (boundary == 1) return index < 0 ? 0 : index < length ? index : length - 1;
  if (boundary == 3 && length == 1) return 0;
  while (index < 0 || index >= length) {
    if (boundary == 0) return -1;
    if (boundary == 2) index = index < 0 ? -1 - index : 2 * length - 1 - index;
    if (boundary == 3) index = index < 0 ? -index : 2 * length - 2 - index;
    if (boundary == 4) index += index < 0 ? length : -length;
  }
  return index;
}
