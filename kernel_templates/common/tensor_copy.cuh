// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Boxes of 4 and 5 dimensions, and pixels by tensor maps in im2col mode, which a manifest gives
// corners. bulk_copy.cuh has those of fewer dimensions, the order of all steps, and says where a
// box may begin and lie.
//
// In im2col mode the first dimension is channels, the last one images, and those between are
// columns, rows and planes of pixels. A copy takes box[1] pixels, of each box[0] channels, without
// gaps. Of each image it takes the pixels from lower_corner to dims − 1 + upper_corner, at every
// element_strides-th place: first along a row, then the next row, then the next image. What it
// reads for a pixel lies `offsets` further on, beyond the image zeros (or NaN, with nan_fill). For
// output pixel (x, y) of a convolution that is
//   lower_corner = −padding, upper_corner = padding − dilation · (taps − 1), element_strides =
//   stride; it begins at stride · (x, y) − padding, and the offsets of a tap are dilation · tap.
// After: NVIDIA, PTX ISA, tensors, im2col mode.

#include "bulk_copy.cuh"

#define TENSOR_FETCH(dimensions_and_mode, operands, ...)                   \
  ON_GPU(asm volatile("cp.async.bulk.tensor." dimensions_and_mode          \
                      ".mbarrier::complete_tx::bytes [%0], [%1, " operands \
                      ";\n" ::"r"(shared_address(target)),                 \
                      "l"(&map), "r"(shared_address(barrier)), __VA_ARGS__ \
                      : "memory"))
#define TENSOR_STORE(dimensions, operands, ...)                                                   \
  ON_GPU(asm volatile("cp.async.bulk.tensor." dimensions                                          \
                      ".global.shared::cta.bulk_group [%0, {" operands "}], [%1];\n" ::"l"(&map), \
                      "r"(shared_address(source)), __VA_ARGS__                                    \
                      : "memory"))
#define TENSOR_AT(i) "r"(place[i])
#define TENSOR_OFFSET(i) "h"(static_cast<unsigned short>(offsets[i]))

// As start_box of bulk_copy.cuh, its first element at `place`, neighbours first.
template <int TENSOR_RANK>
__device__ __forceinline__ void start_box(void* target, const TensorMap& map,
                                          const int (&place)[TENSOR_RANK], BulkBarrier* barrier) {
  static_assert(TENSOR_RANK == 4 || TENSOR_RANK == 5, "bulk_copy.cuh has fewer dimensions");
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::start_box, target, &map, place, TENSOR_RANK,
                               barrier, 0U));
  if constexpr (TENSOR_RANK == 4) {
    TENSOR_FETCH("4d.shared::cluster.global", "{%3, %4, %5, %6}], [%2]", TENSOR_AT(0), TENSOR_AT(1),
                 TENSOR_AT(2), TENSOR_AT(3));
  } else {
    TENSOR_FETCH("5d.shared::cluster.global", "{%3, %4, %5, %6, %7}], [%2]", TENSOR_AT(0),
                 TENSOR_AT(1), TENSOR_AT(2), TENSOR_AT(3), TENSOR_AT(4));
  }
}

// box[1] pixels from `place` on: a channel, a pixel between the corners, an image. Offsets are at
// least 0 and at most 65535, 255, 31 with TENSOR_RANK 3, 4, 5. The first channel is at a multiple
// of 16 bytes; `target` and `barrier` are as for boxes.
template <int TENSOR_RANK, int OFFSETS>
__device__ __forceinline__ void start_pixels(void* target, const TensorMap& map,
                                             const int (&place)[TENSOR_RANK],
                                             const int (&offsets)[OFFSETS], BulkBarrier* barrier) {
  static_assert(TENSOR_RANK >= 3 && TENSOR_RANK <= 5 && OFFSETS == TENSOR_RANK - 2,
                "an offset along each dimension but channels and images");
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::start_pixels, target, &map, place, offsets,
                               TENSOR_RANK, barrier));
  if constexpr (TENSOR_RANK == 3) {
    TENSOR_FETCH("3d.shared::cluster.global.im2col", "{%3, %4, %5}], [%2], {%6}", TENSOR_AT(0),
                 TENSOR_AT(1), TENSOR_AT(2), TENSOR_OFFSET(0));
  } else if constexpr (TENSOR_RANK == 4) {
    TENSOR_FETCH("4d.shared::cluster.global.im2col", "{%3, %4, %5, %6}], [%2], {%7, %8}",
                 TENSOR_AT(0), TENSOR_AT(1), TENSOR_AT(2), TENSOR_AT(3), TENSOR_OFFSET(0),
                 TENSOR_OFFSET(1));
  } else {
    TENSOR_FETCH("5d.shared::cluster.global.im2col", "{%3, %4, %5, %6, %7}], [%2], {%8, %9, %10}",
                 TENSOR_AT(0), TENSOR_AT(1), TENSOR_AT(2), TENSOR_AT(3), TENSOR_AT(4),
                 TENSOR_OFFSET(0), TENSOR_OFFSET(1), TENSOR_OFFSET(2));
  }
}

// As store_box of bulk_copy.cuh; not by maps in im2col mode.
template <int TENSOR_RANK>
__device__ __forceinline__ void store_box(const TensorMap& map, const void* source,
                                          const int (&place)[TENSOR_RANK]) {
  static_assert(TENSOR_RANK == 4 || TENSOR_RANK == 5, "bulk_copy.cuh has fewer dimensions");
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::store_box, &map, source, place, TENSOR_RANK));
  if constexpr (TENSOR_RANK == 4) {
    TENSOR_STORE("4d", "%2, %3, %4, %5", TENSOR_AT(0), TENSOR_AT(1), TENSOR_AT(2), TENSOR_AT(3));
  } else {
    TENSOR_STORE("5d", "%2, %3, %4, %5, %6", TENSOR_AT(0), TENSOR_AT(1), TENSOR_AT(2), TENSOR_AT(3),
                 TENSOR_AT(4));
  }
}

#undef TENSOR_FETCH
#undef TENSOR_STORE
#undef TENSOR_AT
#undef TENSOR_OFFSET
