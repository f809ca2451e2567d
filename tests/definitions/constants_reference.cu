__constant__ float gains[64];

extern "C" __global__ void convolution(float* output, const float* input, const float* filter,
                                       int width, int height, int filter_width, int filter_height,
                                       int gain_count) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= width) return;
  double sum = 0;
  for (int j = 0; j < filter_height; ++j)
    for (int i = 0; i < filter_width; ++i)
      sum += static_cast<double>(filter[j * filter_width + i]) *
             input[(y + j) * (width + filter_width - 1) + x + i];
  output[y * width + x] = static_cast<float>(sum * gains[x % gain_count]);
}
