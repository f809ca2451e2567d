// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The plain way, in double: a thread for each filter's output at each pixel, 4 of them.
extern "C" __global__ void layer_reference(const float* x, const float* filters, float* out,
                                           int images, int depth, int height, int width,
                                           int channels, int out_y, int out_x, int taps_z,
                                           int taps_y, int taps_x, int stride_y, int stride_x,
                                           int padding_y, int padding_x, int dilation, int ghost) {
  const int output = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (output >= images * depth * out_y * out_x * 4) return;
  const int pixel = output / 4;
  const int row = pixel / out_x;
  const int plane = row / out_y;
  const int padding_z = dilation * (taps_z - 1) / 2;
  const float* filter = filters + output % 4 * taps_z * taps_y * taps_x * channels;
  double sum = 0;
  for (int tap = 0; tap < taps_z * taps_y * taps_x; ++tap) {
    const int from_x = pixel % out_x * stride_x + tap % taps_x * dilation - padding_x;
    const int from_y = row % out_y * stride_y + tap / taps_x % taps_y * dilation - padding_y;
    const int from_z = plane % depth + tap / taps_x / taps_y * dilation - padding_z;
    const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height &&
                        from_z >= 0 && from_z < depth;
    const int from = ((plane / depth * depth + from_z) * height + from_y) * width + from_x;
    for (int c = 0; c < channels; ++c)
      sum += static_cast<double>(filter[tap * channels + c]) *
             (inside ? x[from * channels + c] : ghost);
  }
  out[output] = static_cast<float>(sum);
}
