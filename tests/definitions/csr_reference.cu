__global__ void csr_product(const int* begins, const int* places, const float* numbers,
                            const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = begins[row]; i < begins[row + 1]; ++i)
    sum += static_cast<double>(numbers[i]) * x[places[i]];
  y[row] = static_cast<float>(sum);
}
