constexpr int kSide = TILE + 2;
constexpr int kThreads = 256;

__global__ void smooth(const float* __restrict__ in, float* __restrict__ out, int height,
                       int width) {
#if MEMORY == MEMORY_OF_SOURCE
  __shared__ float tile[kSide][kSide];
#else
  extern __shared__ float memory[];
  float(&tile)[kSide][kSide] = *reinterpret_cast<float(*)[kSide][kSide]>(memory);
#endif
  const int left = blockIdx.x * TILE;
  const int top = blockIdx.y * TILE;
  for (int i = threadIdx.x; i < kSide * kSide; i += kThreads) {
    const int y = top + i / kSide - 1;
    const int x = left + i % kSide - 1;
    const bool is_inside = y >= 0 && y < height && x >= 0 && x < width;
    tile[i / kSide][i % kSide] = is_inside ? in[static_cast<long long>(y) * width + x] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < TILE * TILE; i += kThreads) {
    const int y = i / TILE;
    const int x = i % TILE;
    if (top + y >= height || left + x >= width) continue;
    const bool is_frame =
        top + y == 0 || left + x == 0 || top + y == height - 1 || left + x == width - 1;
    float sum = 0;
    for (int j = 0; j < 9; ++j) sum += tile[y + j / 3][x + j % 3];
    out[static_cast<long long>(top + y) * width + left + x] = is_frame ? 0 : sum / 9;
  }
}
