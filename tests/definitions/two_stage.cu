// Sums of blocks. The launches compile it with different widths of vectors.
#if VECTOR == 4
typedef float4 Element;
static __device__ float sum_of(float4 v) {
  return (v.x + v.y) + (v.z + v.w);
}
#elif VECTOR == 2
typedef float2 Element;
static __device__ float sum_of(float2 v) {
  return v.x + v.y;
}
#else
typedef float Element;
static __device__ float sum_of(float v) {
  return v;
}
#endif

// Numbers that a launch of the implementation's own unit and of one with macros share.
__constant__ float factor[1];

__global__ void reduce(const float* __restrict__ numbers, float* __restrict__ sums, int count) {
  __shared__ float parts[THREADS];
  const Element* elements = reinterpret_cast<const Element*>(numbers);
  float sum = 0;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < count / VECTOR; i += gridDim.x * THREADS)
    sum += sum_of(elements[i]);
  parts[threadIdx.x] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = (STAGE == 1 ? factor[0] : 1) * parts[0];
}
