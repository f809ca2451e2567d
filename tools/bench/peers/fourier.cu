// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
//
// What a filter by Fourier transforms needs beside the transforms. Planes are blockIdx.z.

// The image in the corner of a padded plane, zeros around it. Grid: x covers the padded rows.
extern "C" __global__ void __launch_bounds__(256)
    fourier_pad(const float* __restrict__ image, float* __restrict__ padded, int width, int height,
                int pitch, int padded_width, int padded_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= padded_width) return;
  const long long plane = blockIdx.z;
  for (int y = blockIdx.y; y < padded_height; y += gridDim.y) {
    const bool inside = x < width && y < height;
    padded[(plane * padded_height + y) * padded_width + x] =
        inside ? image[(plane * height + y) * pitch + x] : 0.0f;
  }
}

// The filter's taps, scaled, where a circular convolution has them stand over the anchor; the rest
// of the padded plane is zero already. One block a filter.
extern "C" __global__ void fourier_place(const float* filter, float* padded, int filter_width,
                                         int filter_height, int anchor_x, int anchor_y,
                                         int padded_width, int padded_height, float scale) {
  const int taps = filter_width * filter_height;
  const long long plane = blockIdx.z;
  for (int tap = threadIdx.x; tap < taps; tap += blockDim.x) {
    const int x = (anchor_x - tap % filter_width + padded_width) % padded_width;
    const int y = (anchor_y - tap / filter_width + padded_height) % padded_height;
    padded[(plane * padded_height + y) * padded_width + x] = scale * filter[plane * taps + tap];
  }
}

// Each plane's spectrum times its filter's, in place. Filters take turns over the planes.
extern "C" __global__ void __launch_bounds__(256)
    fourier_multiply(float2* __restrict__ spectrum, const float2* __restrict__ filter,
                     long long count, int filters) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float2 a = spectrum[blockIdx.z * count + i];
  const float2 b = filter[blockIdx.z % filters * count + i];
  spectrum[blockIdx.z * count + i] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// The corner of a padded plane. Grid: x covers the image's rows.
extern "C" __global__ void __launch_bounds__(256)
    fourier_crop(const float* __restrict__ padded, float* __restrict__ output, int width,
                 int height, int pitch, int padded_width, int padded_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  const long long plane = blockIdx.z;
  for (int y = blockIdx.y; y < height; y += gridDim.y)
    output[(plane * height + y) * pitch + x] =
        padded[(plane * padded_height + y) * padded_width + x];
}
