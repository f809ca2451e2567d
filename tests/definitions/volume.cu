// A slice through a volume, of which a corner is outside it. The texture repeats, ends or mirrors
// the volume and turns its bytes into 0 … 1. BLOCK_X × BLOCK_Y: threads of a block, of any legal
// shape; no shared memory. After the CUDA samples' simpleTexture3D.
__global__ void slice_of(float4* slice, cudaTextureObject_t voxels, int width, int height) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float across = (x + 0.5f) / width;
  const float down = (y + 0.5f) / height;
  slice[y * width + x] =
      tex3D<float4>(voxels, 1.5f * across - 0.75f, 1.25f * down - 0.125f, across - 2 * down);
}
