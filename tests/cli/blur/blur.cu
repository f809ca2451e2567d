// The mean of three neighbours, with two mistakes: VECTOR = 4 gives a wrong last sample, and BLOCK = 96
// does not compile. Tests look at what the program makes of them.
extern "C" __global__ void blur(const float* in, float* out, int width) {
  for (int v = 0; v < VECTOR; ++v) {
    const int i = (blockIdx.x * BLOCK + threadIdx.x) * VECTOR + v;
    if (i >= width) return;
    const float left = i > 0 ? in[i - 1] : 0.0f;
    const float right = i + 1 < width ? in[i + 1] : 0.0f;
    const bool is_wrong = VECTOR == 4 && i + 1 == width;
    out[i] = is_wrong ? 0.25f : (left + in[i] + right) / 3.0f;
  }
#if BLOCK == 96
  this_is_not_declared();
#endif
}
