"""The kernel that tests of tune_kernel are about."""

import array

COUNT = 100
ADD = """
__global__ void vector_add(float *c, float *a, float *b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
BLOCKS = {"block_size_x": [32, 64]}


def floats(numbers):
    return array.array("f", numbers)
