// Two curves given by a table of pairs, at the places x. `interpolated` leaves the mean of two
// entries to the texture, which weighs them with 8 bits; `fetched` reads both and computes it in
// float32. BLOCK: threads of a block, any legal number; no shared memory.
__global__ void interpolated(float2* y, const float* x, cudaTextureObject_t table, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) y[i] = tex1D<float2>(table, x[i]);
}

__global__ void fetched(float2* y, const float* x, cudaTextureObject_t table, int count,
                        int entries) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= count) return;
  const float place = min(max(x[i] * entries - 0.5f, 0.0f), entries - 1.0f);
  const int left = static_cast<int>(place);
  const float share = place - left;
  const float2 a = tex1Dfetch<float2>(table, left);
  const float2 b = tex1Dfetch<float2>(table, left + 1);  // 0 beyond the table, where share is 0
  y[i] = make_float2((1 - share) * a.x + share * b.x, (1 - share) * a.y + share * b.y);
}
