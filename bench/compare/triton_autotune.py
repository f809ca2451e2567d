#!/usr/bin/env python3
"""Products of Triton tuned by tilewright beside triton.autotune with the 16 configurations of its tutorial.

    bench/compare/triton_autotune.py product|experts [--shapes FROM:TO] [--seconds S] [--worker PROGRAM] [--database FILE] >FILE.jsonl

The kernels are those of examples/evaluator, in bfloat16, each at 20 shapes. A line is a shape: how many configurations each
side tried and in how many seconds, then the times with warm operands from CUDA graphs that are replayed alternately. A ratio
is the median of the pairs' ratios, triton.autotune's time ÷ tilewright's. The last line is another process, which measures
nothing: the host time of its calls, and of those of a triton.autotune that has chosen. Needs a GPU, PyTorch, Triton and
libtilewright.so; without them it says so and ends with status 1.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / "evaluator"), str(ROOT / "bench" / "compare")]

from triton_gemm import PAIRS, Graph, heat, ratio_of, rounds  # noqa: E402

TUNED = {
    "BLOCK_M": [64, 16, 32, 128, 256],
    "BLOCK_N": [64, 16, 32, 128, 256],
    "BLOCK_K": [32, 16, 64, 128],
    "GROUP_M": [8, 1, 4, 16],
    "num_warps": [4, 2, 8],
    "num_stages": [3, 2, 4, 5],
}
CONSTRAINTS = ["2 * (BLOCK_M + BLOCK_N) * BLOCK_K * (num_stages - 1) <= 232448", "BLOCK_M * BLOCK_N <= 8192 * num_warps"]


class Product:
    """(M, N, K): squares, few rows as in decoding, and layers of language models."""

    key, output = ["M", "N", "K"], 2
    shapes = (
        *((n, n, n) for n in (512, 1024, 2048, 4096, 8192)),
        *((m, n, k) for n, k in ((4096, 4096), (14336, 4096), (4096, 14336)) for m in (16, 64, 256, 2048)),
        (128, 128, 16384), (1000, 1000, 1000), (8192, 512, 2048),
    )  # fmt: skip

    def __init__(self):
        import product_triton

        self.kernel, self.grid = product_triton.product, product_triton.grid

    def operands(self, torch, shape):
        m, n, k = shape
        draw = lambda *sizes: torch.randn(*sizes, device="cuda", dtype=torch.bfloat16)
        return (draw(m, k), draw(k, n), draw(m, n), m, n, k, n, 1), {}


class Experts:
    """(tokens, top, experts, N, K): layers of 8 and of 64 experts."""

    key, output = ["slots", "top", "experts", "N", "K"], 5
    shapes = tuple(
        (tokens, *layer)
        for layer in ((2, 8, 3584, 4096), (6, 64, 2816, 2048))
        for tokens in (1, 2, 4, 8, 16, 32, 64, 256, 1024, 4096)
    )

    def __init__(self):
        import experts_triton

        self.kernel, self.grid = experts_triton.experts_product, experts_triton.grid

    def operands(self, torch, shape):
        tokens, top, experts, n, k = shape
        slots = top * tokens
        draw = lambda *sizes: torch.randn(*sizes, device="cuda", dtype=torch.bfloat16)
        chosen = torch.rand(tokens, experts, device="cuda").topk(top).indices.flatten()
        begins = torch.zeros(experts + 1, device="cuda", dtype=torch.int32)
        begins[1:] = chosen.bincount(minlength=experts).cumsum(0)
        order, weights = chosen.argsort().int(), torch.rand(slots, device="cuda")
        operands = draw(tokens, k), draw(experts, n, k), begins, order, weights, draw(slots, n)
        return (*operands, slots, top, experts, n, k), {"WIDTH": experts}


def autotuned(triton, case):
    from triton_product import CONFIGURATIONS

    configurations = [
        triton.Config(
            {"BLOCK_M": one.block_m, "BLOCK_N": one.block_n, "BLOCK_K": one.block_k, "GROUP_M": one.group},
            num_warps=one.warps, num_stages=one.stages,
        )
        for one in CONFIGURATIONS
    ]  # fmt: skip
    return triton.autotune(configurations, key=case.key)(case.kernel)


def tuned(case, database):
    from tilewright.triton import tuned

    return tuned(case.kernel, key=case.key, tune_params=TUNED, constraints=CONSTRAINTS, database=database)


def measured(torch, case, shape, theirs, ours, given):
    args, constants = case.operands(torch, shape)
    sides = {}
    begun = time.monotonic()
    theirs[case.grid](*args, **constants)
    torch.cuda.synchronize()
    sides["autotune"] = {"tried": len(theirs.configs), "seconds": time.monotonic() - begun}
    sides["autotune"]["configuration"] = str(theirs.best_config)
    right = args[case.output].clone()
    begun = time.monotonic()
    result = ours[case.grid].tune(*args, time_limit_s=given.seconds, worker=given.worker, **constants)
    sides["tilewright"] = {"tried": sum(result.outcomes.values()), "seconds": time.monotonic() - begun}
    sides["tilewright"]["configuration"] = result.configuration
    graphs = [Graph(torch, lambda *given, one=one: one[case.grid](*given, **constants), [args]) for one in (theirs, ours)]
    error = float((args[case.output] - right).norm() / right.norm())
    heat(graphs, 1)
    samples = rounds(graphs, PAIRS)
    their_us, our_us = ([pair[side] for pair in samples] for side in (0, 1))
    times = {"autotune_us": statistics.median(their_us), "tilewright_us": statistics.median(our_us)}
    sizes = {name: args[case.kernel.arg_names.index(name)] for name in case.key}
    return {"shape": sizes, **times, **ratio_of(their_us, our_us), **sides, "apart": error}


def host_times(torch, case, theirs, ours):
    """Microseconds that a call takes of the host, where both have chosen. The shape is the first one."""
    args, constants = case.operands(torch, case.shapes[0])
    found = {}
    for name, one in ("autotune", theirs), ("tilewright", ours):
        begun = time.monotonic()
        one[case.grid](*args, **constants)
        torch.cuda.synchronize()
        found[f"{name}_first_s"] = time.monotonic() - begun
        times = []
        for _ in range(30):
            begun = time.perf_counter()
            for _ in range(100):
                one[case.grid](*args, **constants)
            times.append((time.perf_counter() - begun) * 1e4)
            torch.cuda.synchronize()
        found[f"{name}_host_us"] = statistics.median(times)
    return found


def part(text):
    return slice(*map(int, text.split(":")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", choices=["product", "experts"])
    parser.add_argument("--shapes", type=part, default=slice(None), metavar="FROM:TO", help="those of the 20, from 0 on")
    parser.add_argument("--seconds", type=float, default=15, help="for tilewright at each shape")
    parser.add_argument("--worker", type=pathlib.Path, help="tilewright-worker, if it is not the package's")
    parser.add_argument("--database", type=pathlib.Path, help="where tilewright's results are kept")
    parser.add_argument("--host-times", action="store_true", help="only those of calls, with what the database has")
    given = parser.parse_args()
    try:
        import torch
        import triton

        case = Product() if given.kernel == "product" else Experts()
    except ImportError as missing:
        sys.exit(f"triton_autotune.py: needs PyTorch, Triton and libtilewright.so: {missing}")
    if not torch.cuda.is_available():
        sys.exit("triton_autotune.py: PyTorch finds no GPU")
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        database = given.database or pathlib.Path(folder, "results.db")
        theirs, ours = autotuned(triton, case), tuned(case, database)
        if given.host_times:
            print(json.dumps(host_times(torch, case, theirs, ours)), flush=True)
            return
        print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}", file=sys.stderr)
        for shape in case.shapes[given.shapes]:
            print(json.dumps(measured(torch, case, shape, theirs, ours, given)), flush=True)
        again = [sys.executable, __file__, given.kernel, "--host-times", "--database", database]
        subprocess.run(again, check=True)


if __name__ == "__main__":
    main()
