// One thread for each row, in double.
__global__ void softmax_reference(const float* x, float* y, int columns, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  y += static_cast<long long>(row) * columns;
  double most = x[0];
  for (int i = 1; i < columns; ++i) most = fmax(most, static_cast<double>(x[i]));
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += exp(x[i] - most);
  for (int i = 0; i < columns; ++i) y[i] = static_cast<float>(exp(x[i] - most) / sum);
}
