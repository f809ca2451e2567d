// The same as texture.cu without a texture. BLOCK_X: threads in x, any legal number.
#include <cuda_fp16.h>

__device__ float element(const TYPE* image, int width, int height, int pitch, int x, int y) {
  return x >= 0 && x < width && y >= 0 && y < height ? static_cast<float>(image[y * pitch + x]) : 0;
}

__global__ void rotate(float* rotated, const TYPE* image, int width, int height, int pitch,
                       float cosine, float sine) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float across = x + 0.5f - 0.5f * width;
  const float down = y + 0.5f - 0.5f * height;
  const float from_x = cosine * across - sine * down + 0.5f * width - 0.5f;
  const float from_y = sine * across + cosine * down + 0.5f * height - 0.5f;
  const int left = static_cast<int>(floorf(from_x));
  const int top = static_cast<int>(floorf(from_y));
  const float a = from_x - left;
  const float b = from_y - top;
  const float above = (1 - a) * element(image, width, height, pitch, left, top) +
                      a * element(image, width, height, pitch, left + 1, top);
  const float below = (1 - a) * element(image, width, height, pitch, left, top + 1) +
                      a * element(image, width, height, pitch, left + 1, top + 1);
  rotated[y * width + x] = (1 - b) * above + b * below;
}
