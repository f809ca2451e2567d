// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

extern "C" __global__ void convolution_reference(float* output, const float* input,
                                                 const float* filter, int width, int height,
                                                 int filter_width, int filter_height) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= width * height) return;
  const int row = index / width;
  const int column = index % width;
  double sum = 0;
  for (int j = 0; j < filter_height; ++j)
    for (int i = 0; i < filter_width; ++i)
      sum += static_cast<double>(filter[j * filter_width + i]) *
             input[(row + j) * (width + filter_width - 1) + column + i];
  output[index] = static_cast<float>(sum);
}
