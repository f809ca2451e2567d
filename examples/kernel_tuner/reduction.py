# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""A sum in two launches, of which each is tuned: the second depends on the blocks of the first.

python3 reduction.py [DEVICE [SIZE]]     on the first GPU by default; DEVICE may be host
"""

import pathlib
import sys

import numpy

from tilewright import tune_kernel

SOURCE = pathlib.Path(__file__).with_suffix(".cu").read_text()


def tune(size=80_000_000, tune_params=None, **here):
    tune_params = tune_params or {
        "block_size_x": [2**i for i in range(5, 11)],
        "use_shuffle": [0, 1],
        "vector": [2**i for i in range(3)],
        "num_blocks": [2**i for i in range(5, 11)],
    }
    x = numpy.random.rand(size).astype(numpy.float32)
    sums = numpy.zeros(max(tune_params["num_blocks"]), numpy.float32)

    def verify(answer, outputs, atol=None):
        return numpy.isclose(answer[0], numpy.sum(outputs[0], dtype=numpy.float64), rtol=1e-5)

    first, _ = tune_kernel(
        "sum_floats",
        SOURCE,
        "num_blocks",
        [sums, x, numpy.int32(size)],
        tune_params,
        grid_div_x=[],
        answer=[numpy.sum(x, dtype=numpy.float64), None, None],
        verify=verify,
        **here,
    )

    second = {}
    for count in tune_params["num_blocks"]:
        results, _ = tune_kernel(
            "sum_floats",
            SOURCE,
            "num_blocks",
            [sums[:1].copy(), x[:count].copy(), numpy.int32(count)],
            {**tune_params, "num_blocks": [1]},
            grid_div_x=[],
            **here,
        )
        second[count] = min(results, key=lambda result: result["time"])

    for result in first:
        result["total"] = result["time"] + second[result["num_blocks"]]["time"]
    return min(first, key=lambda result: result["total"]), second


if __name__ == "__main__":
    best, second = tune(*map(int, sys.argv[2:3]), device=sys.argv[1] if len(sys.argv) > 1 else 0)
    print(f"first launch: {best}\nsecond launch: {second[best['num_blocks']]}")
