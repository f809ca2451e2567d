__global__ void lookup(float2* y, const float* x, const float2* table, int count, int entries) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double place = fmin(fmax(static_cast<double>(x[i]) * entries - 0.5, 0.0), entries - 1.0);
  const int left = static_cast<int>(place);
  const int right = left + 1 < entries ? left + 1 : left;
  const double share = place - left;
  y[i] = make_float2(static_cast<float>((1 - share) * table[left].x + share * table[right].x),
                     static_cast<float>((1 - share) * table[left].y + share * table[right].y));
}
