# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""One step of a stencil with five points.

python3 stencil.py [DEVICE [WIDTH HEIGHT]]     on the first GPU by default; DEVICE may be host
"""

import pathlib
import sys

import numpy

from tilewright import tune_kernel

SOURCE = str(pathlib.Path(__file__).with_suffix(".cu"))


def tune(width=4096, height=2048, **here):
    old = numpy.random.randn(height, width).astype(numpy.float32)
    new = old.copy()
    right = old.copy()
    inner = old[1:-1, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:] + old[:-2, 1:-1] + old[2:, 1:-1]
    right[1:-1, 1:-1] = inner / numpy.float32(5)
    tune_params = {
        "block_size_x": [32 * i for i in range(1, 9)],
        "block_size_y": [2**i for i in range(6)],
    }
    return tune_kernel(
        "stencil_kernel",
        SOURCE,
        (width, height),
        [new, old],
        tune_params,
        restrictions="block_size_x*block_size_y<=1024",
        defines={"domain_width": width, "domain_height": height},
        answer=[right, None],
        **here,
    )


if __name__ == "__main__":
    tune(*map(int, sys.argv[2:4]), device=sys.argv[1] if len(sys.argv) > 1 else 0)
