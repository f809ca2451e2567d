# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""The sum of two vectors, as a script for Kernel Tuner would tune it.

python3 vector_add.py [DEVICE [SIZE]]     on the first GPU by default; DEVICE may be host
"""

import sys

import numpy

from tilewright import tune_kernel  # Kernel Tuner: from kernel_tuner import tune_kernel

KERNEL = """
__global__ void vector_add(float *c, float *a, float *b, int n) {
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
"""


def tune(size=10_000_000, **here):
    a = numpy.random.randn(size).astype(numpy.float32)
    b = numpy.random.randn(size).astype(numpy.float32)
    c = numpy.zeros_like(a)
    arguments = [c, a, b, numpy.int32(size)]
    tune_params = {"block_size_x": [64 * i for i in range(1, 17)]}
    metrics = {"GB/s": lambda p: 3 * 4 * size / (p["time"] * 1e6)}
    return tune_kernel(
        "vector_add",
        KERNEL,
        size,
        arguments,
        tune_params,
        answer=[a + b, None, None, None],
        metrics=metrics,
        **here,
    )


if __name__ == "__main__":
    tune(*map(int, sys.argv[2:3]), device=sys.argv[1] if len(sys.argv) > 1 else 0)
