__device__ double wrapped(double at) {
  return at - floor(at);
}
__device__ double mirrored(double at) {
  const double whole = floor(at);
  return fmod(whole, 2.0) == 0 ? at - whole : 1 - (at - whole);
}
__device__ int clamped(int at, int count) {
  return min(max(at, 0), count - 1);
}

__global__ void slice_of(float4* slice, const uchar4* voxels, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= width) return;
  const double across = (x + 0.5) / width;
  const double down = (y + 0.5) / height;
  const double u = wrapped(1.5 * across - 0.75) * width - 0.5;
  const double v = (1.25 * down - 0.125) * height - 0.5;
  const double w = mirrored(across - 2 * down) * depth - 0.5;
  double sum[4] = {0, 0, 0, 0};
  for (int corner = 0; corner < 8; ++corner) {
    const double i = floor(u) + (corner & 1);
    const double j = floor(v) + (corner >> 1 & 1);
    const double k = floor(w) + (corner >> 2);
    const double weight = (1 - fabs(u - i)) * (1 - fabs(v - j)) * (1 - fabs(w - k));
    const int column = (static_cast<int>(i) + width) % width;
    const int row = clamped(static_cast<int>(j), height);
    const int plane = clamped(static_cast<int>(k), depth);
    const uchar4 one = voxels[(static_cast<size_t>(plane) * height + row) * width + column];
    sum[0] += weight * one.x / 255;
    sum[1] += weight * one.y / 255;
    sum[2] += weight * one.z / 255;
    sum[3] += weight * one.w / 255;
  }
  slice[y * width + x] =
      make_float4(static_cast<float>(sum[0]), static_cast<float>(sum[1]),
                  static_cast<float>(sum[2]), static_cast<float>(sum[3]));
}
