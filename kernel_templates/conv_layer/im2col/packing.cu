// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Patches (stride = filter, without padding) as the rows of a product: the elements that the filter
// meets for one output lie side by side, in the order of the filter. No pixel is met twice, so the
// copy has the image's size.
//
// PROBLEM_LAYOUT      nhwc: the filter's order is krsc; nchw: kcrs
// TYPE                types.cuh
//
// Shared memory: none. Block: kThreads runs of a row. Grid: x = ceil(runs of a row / kThreads) ·
// ceil(rows / kRows).

#include "run.cuh"
#include "types.cuh"

constexpr int kThreads = 128;
constexpr int kRows = 16;  // of a block
constexpr int kRun = sizeof(Element) < 4 ? 4 / sizeof(Element) : 1;

// Lengths along columns, rows, planes and channels.
struct Lengths {
  int x;
  int y;
  int z;
  int channels;

  __device__ __forceinline__ int all() const { return x * y * z * channels; }
};

// The place in an image of these sizes of the element that is the number-th of these lengths.
__device__ __forceinline__ int place_of(int number, const Lengths& lengths, const Lengths& image) {
  const auto next = [&](int length) {
    const int found = number % length;
    number /= length;
    return found;
  };
  constexpr bool kPlanar = PROBLEM_LAYOUT == LAYOUT_NCHW;
  int channel = kPlanar ? 0 : next(lengths.channels);
  const int x = next(lengths.x);
  const int y = next(lengths.y);
  const int z = next(lengths.z);
  if (kPlanar) channel = next(lengths.channels);
  if (kPlanar) return ((channel * image.z + z) * image.y + y) * image.x + x;
  return ((z * image.y + y) * image.x + x) * image.channels + channel;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    conv_layer_pack(const Element* __restrict__ images, Element* __restrict__ packed, int rows,
                    int channels, int width, int height, int depth, int filter_width,
                    int filter_height, int filter_depth, int width_out, int height_out,
                    int depth_out) {
  const Lengths image = {width, height, depth, channels};
  const Lengths filter = {filter_width, filter_height, filter_depth, channels};
  const int length = filter.all();  // a multiple of kRun
  const int across = (length / kRun + kThreads - 1) / kThreads;
  const int first_row = static_cast<int>(blockIdx.x) / across * kRows;
  const int k =
      (static_cast<int>(blockIdx.x) % across * kThreads + static_cast<int>(threadIdx.x)) * kRun;
  if (k >= length) return;
  int places[kRun];
#pragma unroll
  for (int i = 0; i < kRun; ++i) places[i] = place_of(k + i, filter, image);

  for (int row = first_row; row < min(first_row + kRows, rows); ++row) {
    const int line = row / width_out;
    const int plane = line / height_out;
    const int number = plane / depth_out;
    const int x = (row - line * width_out) * filter_width;
    const int y = (line - plane * height_out) * filter_height;
    const int z = (plane - number * depth_out) * filter_depth;
    const int pixel = (z * height + y) * width + x;
    const Element* const patch =
        images + (number * image.all() + pixel * (PROBLEM_LAYOUT == LAYOUT_NCHW ? 1 : channels));
    Run<kRun, Element> run;
#pragma unroll
    for (int i = 0; i < kRun; ++i) run.value[i] = patch[places[i]];
    *reinterpret_cast<Run<kRun, Element>*>(packed + row * static_cast<long long>(length) + k) = run;
  }
}
