#include <cuda_fp16.h>

template <class T>
__device__ double element(const T* image, int width, int height, int pitch, int x, int y) {
  return x >= 0 && x < width && y >= 0 && y < height ? static_cast<float>(image[y * pitch + x]) : 0;
}

template <class T>
__global__ void rotate(float* rotated, const T* image, int width, int height, int pitch,
                       float cosine, float sine) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= width) return;
  const double across = x + 0.5 - 0.5 * width;
  const double down = y + 0.5 - 0.5 * height;
  const double from_x = cosine * across - sine * down + 0.5 * width - 0.5;
  const double from_y = sine * across + cosine * down + 0.5 * height - 0.5;
  const int left = static_cast<int>(floor(from_x));
  const int top = static_cast<int>(floor(from_y));
  double sum = 0;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      sum += (1 - fabs(from_x - (left + i))) * (1 - fabs(from_y - (top + j))) *
             element(image, width, height, pitch, left + i, top + j);
  rotated[y * width + x] = static_cast<float>(sum);
}
