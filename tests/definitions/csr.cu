// LANES threads of a block share a row. The block adds their sums in shared memory.
static __device__ float part_of_row(const int* places, const float* numbers, const float* x,
                                    int begin, int end) {
  float sum = 0;
  for (int i = begin; i < end; i += LANES) sum += numbers[i] * x[places[i]];
  return sum;
}

__global__ void csr_product(const int* __restrict__ begins, const int* __restrict__ places,
                            const float* __restrict__ numbers, const unsigned* __restrict__ order,
                            const float* __restrict__ x, float* __restrict__ y, int rows) {
  __shared__ float sums[BLOCK];
  const int turn = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  const int row = turn < rows ? static_cast<int>(order[turn]) : 0;
  sums[threadIdx.x] =
      turn < rows ? part_of_row(places, numbers, x, begins[row] + lane, begins[row + 1]) : 0;
  __syncthreads();
  if (lane != 0 || turn >= rows) return;
  float sum = 0;
  for (int i = 0; i < LANES; ++i) sum += sums[threadIdx.x + i];
  y[row] = sum;
}
