#!/usr/bin/env python3
"""What the first call of a new product consists of, on a GPU, with PyTorch.

    PYTHONPATH=bindings/python TILEWRIGHT_LIBRARY=…/libtilewright.so bench/compare/first_calls.py KERNELS \\
        [--shipped PLACE] [--bundle FILE] [--count N]

Looks N fresh products of sides 20 to 300 up, prepares their kernels and calls them twice. Leaves out
those whose code was compiled, which takes over 20 ms.
"""

import argparse
import random
import statistics
import tempfile
import time

import torch

import tilewright


def operands(draw):
    m, n, k = (draw.randint(20, 300) for _ in range(3))
    return (
        torch.rand(m, k, device="cuda"),
        torch.rand(k, n, device="cuda"),
        torch.empty(m, n, device="cuda"),
    )


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, 1000 * (time.perf_counter() - start)


def steps(gemm, draw):
    a, b, c = operands(draw)
    kernel, looked_up = timed(lambda: gemm.kernel(a, b, out=c))
    prepared = timed(kernel.prepare)[1]
    calls = [timed(lambda: gemm(a, b, out=c))[1] for _ in range(2)]
    return looked_up, prepared, *calls


def report(name, times):
    times = sorted(times)
    tenth = times[len(times) * 9 // 10]
    print(
        f"{name:13} median {statistics.median(times):.3f} ms, 90 % within {tenth:.3f} ms, "
        f"most {times[-1]:.3f} ms"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernels")
    parser.add_argument("--shipped", nargs="*", default=[])
    parser.add_argument("--bundle", nargs="*", default=[])
    parser.add_argument("--count", type=int, default=60)
    given = parser.parse_args()
    draw = random.Random(9)
    with tempfile.TemporaryDirectory() as folder:
        runtime = tilewright.Runtime(
            folder + "/none.db",
            [given.kernels],
            shipped=given.shipped,
            cache=folder,
            bundles=given.bundle,
            libraries="off",
        )
        gemm = tilewright.Gemm(runtime)
        steps(gemm, draw)  # loads the libraries
        rows = [steps(gemm, draw) for _ in range(given.count)]
    kept = [row for row in rows if sum(row[:2]) < 20]
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}: {len(kept)} of {len(rows)}")
    for name, times in zip(("look-up", "prepare", "first launch", "second call"), zip(*kept)):
        report(name, times)
    report("first call", [sum(row[:3]) for row in kept])


if __name__ == "__main__":
    main()
