# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""A product of two square matrices.

python3 matmul.py [DEVICE [WIDTH]]     on the first GPU by default; DEVICE may be host
"""

import pathlib
import sys

import numpy

from tilewright import tune_kernel

SOURCE = pathlib.Path(__file__).with_suffix(".cu")


def tune(width=512, tune_params=None, **here):
    problem_size = (width, width)
    A = numpy.random.randn(*problem_size).astype(numpy.float32)
    B = numpy.random.randn(*problem_size).astype(numpy.float32)
    C = numpy.zeros_like(A)
    tune_params = tune_params or {
        "block_size_x": [16, 32, 64],
        "block_size_y": [2**i for i in range(6)],
        "tile_size_x": [2**i for i in range(4)],
        "tile_size_y": [2**i for i in range(4)],
    }
    return tune_kernel(
        "matmul_kernel",
        SOURCE,
        problem_size,
        [C, A, B],
        tune_params,
        grid_div_x=["block_size_x", "tile_size_x"],
        grid_div_y=["block_size_y", "tile_size_y"],
        restrictions=[
            "block_size_x == block_size_y * tile_size_y",
            f"{width} % (block_size_x * tile_size_x) == 0",
        ],
        defines={"WIDTH": width},
        answer=[A @ B, None, None],
        atol=1e-3,
        metrics={"GFLOP/s": lambda p: 2 * width**3 / (p["time"] * 1e6)},
        objective="GFLOP/s",
        **here,
    )


if __name__ == "__main__":
    tune(*map(int, sys.argv[2:3]), device=sys.argv[1] if len(sys.argv) > 1 else 0)
