#!/usr/bin/env python3
"""Products and convolutions in every type that they have, beside PyTorch's, on a GPU.

    PYTHONPATH=bindings/python TILEWRIGHT_LIBRARY=…/libtilewright.so bench/compare/every_type.py KERNELS
        --database FILE [--shipped PLACE] [--before KERNELS] [--json FILE]

The database has sweeps of the problems that `bench/compare/every_type.py --problems` lists. PyTorch's calls are
matmul, conv1d and conv2d in the same type (FP32 without TF32). Every answer is compared with one in
float64. --before takes the same answers from other kernel templates, for float32. All are captured
in CUDA graphs that are replayed in turn, with operands in the L2 and from memory.
"""

import argparse
import json
import math
import sys
import tempfile

import torch
import torch.nn.functional as F

import tilewright
from any_shape import COLD_BYTES, medians

TYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
PRODUCTS = (2048, 2048, 2048), (1000, 777, 999), (16, 4096, 4096)
SIGNALS = ((2**24, 9), (2**20, 65))
IMAGES = ((4096, 4096, 5), (1920, 1080, 7))


def problems():
    for name in TYPES:
        for m, n, k in PRODUCTS:
            yield f"gemm M={m} N={n} K={k} type_a={name}"
        for length, taps in SIGNALS:
            yield f"conv1d length={length} taps={taps} type={name}"
        for width, height, side in IMAGES:
            yield f"conv2d width={width} height={height} filter_width={side} type={name}"


def epsilon(dtype):
    return torch.finfo(dtype).eps


def is_right(found, exact, size, terms, dtype):
    """Sums in float32, or float64, of `terms` products; `size` is the sum of their sizes."""
    sums = epsilon(torch.float64 if dtype == torch.float64 else torch.float32)
    allowed = sums * terms**0.5 * 4 * size + epsilon(dtype) * exact.abs() + 1e-7 * (dtype == torch.float16)
    return bool(((found.double() - exact).abs() <= allowed).all())


def normal(*shape, dtype):
    return torch.randn(*shape, device="cuda").to(dtype)


def product(shape, dtype):
    m, n, k = shape
    draw = lambda: (normal(m, k, dtype=dtype), normal(k, n, dtype=dtype), normal(m, n, dtype=dtype))
    entrant = lambda runtime: tilewright.Gemm(runtime)
    call = lambda gemm: lambda a, b, c: gemm(a, b, out=c)
    peer = lambda a, b, c: torch.matmul(a, b, out=c)
    exact = lambda a, b: (a.double() @ b.double(), a.double().abs() @ b.double().abs(), k)
    return draw, entrant, call, peer, exact


def filtered(kind, sizes, side, dtype):
    weights = normal(*(side,) * len(sizes), dtype=dtype)
    values = weights.cpu() if dtype == torch.bfloat16 else weights.cpu().numpy()
    filter = tilewright.with_values(weights, values)
    draw = lambda: (normal(*sizes, dtype=dtype), normal(*sizes, dtype=dtype))
    convolution = F.conv1d if kind is tilewright.Convolution1d else F.conv2d
    padded = lambda image, weights: convolution(image[None, None], weights[None, None], padding=side // 2)
    call = lambda blur: lambda image, out: blur(image, filter, out=out)
    peer = lambda image, out: padded(image, weights)
    exact = lambda image: (
        padded(image.double(), weights.double())[0, 0],
        padded(image.double().abs(), weights.double().abs())[0, 0],
        side ** len(sizes),
    )
    return draw, kind, call, peer, exact


def measure(name, dtype, case, runtimes):
    draw, entrant, call, peer, exact = case
    operands = draw()
    entrants = {"peer": peer}
    for label, runtime in runtimes.items():
        if label == "before" and dtype != torch.float32:
            continue
        entrants[label] = call(entrant(runtime))
    entrants["ours"](*operands)
    torch.cuda.synchronize()
    right = is_right(operands[-1], *exact(*operands[:-1])[:3], dtype)
    size = sum(one.numel() * one.element_size() for one in operands)
    count = min(400, math.ceil(COLD_BYTES / size))
    row = {"problem": name, "type": str(dtype).split(".")[-1], "right": right}
    row["warm"] = medians(entrants, [operands])
    row["cold"] = medians(entrants, [operands] + [draw() for _ in range(count - 1)])
    return row


def cases():
    for dtype in TYPES.values():
        for shape in PRODUCTS:
            yield "gemm " + " × ".join(map(str, shape)), dtype, product(shape, dtype)
        for length, taps in SIGNALS:
            case = filtered(tilewright.Convolution1d, (length,), taps, dtype)
            yield f"conv1d {length}, {taps} taps", dtype, case
        for width, height, side in IMAGES:
            case = filtered(tilewright.Convolution2d, (height, width), side, dtype)
            yield f"conv2d {width} × {height}, {side} × {side}", dtype, case


def report(rows):
    print(f"{'problem':28} {'type':9} {'':5} {'ours':>9} {'PyTorch':>9} ratio  before/now  right")
    for row in rows:
        for condition in ("warm", "cold"):
            times = row[condition]
            before = f"{times['before'] / times['ours']:.3f}" if "before" in times else ""
            print(
                f"{row['problem']:28} {row['type']:9} {condition:5} {times['ours']:9.2f} "
                f"{times['peer']:9.2f} {times['peer'] / times['ours']:5.2f}  {before:>10}  "
                f"{'yes' if row['right'] else 'NO'}"
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernels", nargs="?")
    parser.add_argument("--problems", action="store_true")
    parser.add_argument("--database")
    parser.add_argument("--shipped", nargs="*", default=[])
    parser.add_argument("--before")
    parser.add_argument("--json")
    given = parser.parse_args()
    if given.problems:
        print("\n".join(problems()))
        return
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        runtimes = {"ours": given.kernels} | ({"before": given.before} if given.before else {})
        opened = {
            label: tilewright.Runtime(given.database, [kernels], shipped=given.shipped, cache=folder, libraries="off")
            for label, kernels in runtimes.items()
        }
        for name, dtype, case in cases():
            try:
                rows.append(measure(name, dtype, case, opened))
            except (tilewright.TilewrightError, RuntimeError) as error:
                print(f"{name} {dtype}: {error}", file=sys.stderr)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}; µs")
    report(rows)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
