// Rotates an image about its centre: each thread reads one place between four elements, which the
// texture interpolates. Half floats are read as float, too. BLOCK_X × BLOCK_Y: threads of a block,
// of any legal shape; no shared memory and few registers. After the CUDA samples' simpleTexture.
__global__ void rotate(float* rotated, cudaTextureObject_t image, int width, int height,
                       float cosine, float sine) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float across = x + 0.5f - 0.5f * width;
  const float down = y + 0.5f - 0.5f * height;
  rotated[y * width + x] = tex2D<float>(image, cosine * across - sine * down + 0.5f * width,
                                        sine * across + cosine * down + 0.5f * height);
}
