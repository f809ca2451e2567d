template <class Real>
__global__ void squares(const Real* slopes, Real* squares, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) squares[i] = slopes[i] * slopes[i];
}
