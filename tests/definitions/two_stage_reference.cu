extern "C" __global__ void sum(const float4* numbers, const float* factor, float* result,
                               int count) {
  double all = 0;
  for (int i = 0; i < count; ++i)
    all += static_cast<double>(numbers[i].x) + numbers[i].y + numbers[i].z + numbers[i].w;
  *result = static_cast<float>(all * *factor);
}
