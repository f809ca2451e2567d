# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""A two-dimensional filter. A plain kernel gives the answer by which the tuned one is judged.

python3 convolution.py [DEVICE [WIDTH HEIGHT]]     on the first GPU by default; DEVICE may be host
"""

import pathlib
import sys

import numpy

from tilewright import run_kernel, tune_kernel

SOURCE = pathlib.Path(__file__).with_suffix(".cu")
FILTER = (5, 5)  # width and height


def tune(width=4096, height=4096, tune_params=None, **here):
    problem_size = (width, height)
    output = numpy.zeros(width * height, numpy.float32)
    inputs = (width + FILTER[0] - 1) * (height + FILTER[1] - 1)
    image = numpy.random.rand(inputs).astype(numpy.float32)
    weights = numpy.random.rand(FILTER[0] * FILTER[1]).astype(numpy.float32)
    arguments = [output, image, weights]
    sizes = {"image_width": width, "image_height": height}
    sizes |= {"filter_width": FILTER[0], "filter_height": FILTER[1]}

    naive = {name: here[name] for name in ("device", "code_cache", "scratch") if name in here}
    params = {"block_size_x": 16, "block_size_y": 16}
    right = run_kernel(
        "convolution_naive", SOURCE, problem_size, arguments, params, defines=sizes, **naive
    )

    tune_params = tune_params or {
        "block_size_x": [16 * i for i in range(1, 9)],
        "block_size_y": [2**i for i in range(6)],
        "tile_size_x": [1, 2, 4],
        "tile_size_y": [1, 2, 4],
        "use_padding": [0, 1],
    }
    return tune_kernel(
        "convolution_kernel",
        SOURCE,
        problem_size,
        arguments,
        tune_params,
        grid_div_x=["block_size_x", "tile_size_x"],
        grid_div_y=["block_size_y", "tile_size_y"],
        restrictions=[
            "use_padding==0 or block_size_x % 32 != 0",
            "64 <= block_size_x*block_size_y <= 1024",
        ],
        defines=sizes,
        answer=[right[0], None, None],
        atol=1e-4,
        metrics={"GFLOP/s": f"2 * {width * height * FILTER[0] * FILTER[1]} / (time * 1e6)"},
        **here,
    )


if __name__ == "__main__":
    tune(*map(int, sys.argv[2:4]), device=sys.argv[1] if len(sys.argv) > 1 else 0)
