#!/usr/bin/env python3
"""Filters and stencils of volumes beside PyTorch (cuDNN), CuPy's ndimage and Triton, on a GPU.

    PYTHONPATH=bindings/python TILEWRIGHT_LIBRARY=…/libtilewright.so bench/compare/volumes.py KERNELS
        --database FILE [--shipped PLACE] [--side N] [--json FILE]

The database has sweeps of the problems that `bench/compare/volumes.py --problems` lists. All calls are captured in CUDA
graphs, which are replayed in turn, with operands from memory where a set is smaller than three times the L2. Every
answer is compared with one in float64. A column is a rival's time divided by ours. The copy is torch's, of the same
volume: the share of its rate is its time divided by ours. A rival without a package, or whose calls cannot be
captured, has a reason on standard error instead. Triton has no natural form of a 3-D filter; its star reads
neighbours through the cache.
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

FILTERS = (3, 4, 5, 7)
RADII = (1, 2, 3, 4)
FUSED = ((1, 4), (2, 4), (4, 2))  # radius, steps
MOST_TERMS_ERROR = 4 * torch.finfo(torch.float32).eps

try:
    import triton
    import triton.language as tl

    @triton.jit
    def star_kernel(field, taps, output, depth, height, width, RADIUS: tl.constexpr, BLOCK: tl.constexpr):
        x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        y, z = tl.program_id(1), tl.program_id(2)
        plane = height * width
        place = z * plane + y * width + x
        total = tl.load(taps) * tl.load(field + place, x < width, 0.0)
        for r in tl.static_range(1, RADIUS + 1):
            left = tl.load(field + place - r, (x >= r) & (x < width), 0.0)
            right = tl.load(field + place + r, x + r < width, 0.0)
            total += tl.load(taps + r) * (left + right)
            above = tl.load(field + place - r * width, (y >= r) & (x < width), 0.0)
            below = tl.load(field + place + r * width, (y + r < height) & (x < width), 0.0)
            total += tl.load(taps + RADIUS + r) * (above + below)
            before = tl.load(field + place - r * plane, (z >= r) & (x < width), 0.0)
            behind = tl.load(field + place + r * plane, (z + r < depth) & (x < width), 0.0)
            total += tl.load(taps + 2 * RADIUS + r) * (before + behind)
        tl.store(output + place, total, x < width)
except ImportError as missing:
    triton, no_triton = None, missing


def problems(side):
    size = f"width={side} height={side} depth={side}"
    for taps in FILTERS:
        yield f"conv3d {size} filter_width={taps}"
    for radius in RADII:
        yield f"stencil3d {size} radius={radius}"
    for radius, steps in FUSED:
        yield f"stencil3d {size} radius={radius} steps={steps}"


def star_taps(radius, coefficients):
    """The star as a dense filter."""
    taps = torch.zeros((2 * radius + 1,) * 3, dtype=torch.float64, device="cuda")
    taps[radius, radius, radius] = coefficients[0]
    for r in range(1, radius + 1):
        for sign in (-r, r):
            taps[radius, radius, radius + sign] = coefficients[r]
            taps[radius, radius + sign, radius] = coefficients[radius + r]
            taps[radius + sign, radius, radius] = coefficients[2 * radius + r]
    return taps


def correlated(volume, taps):
    """Zeros beyond the faces; an even filter sums from half its size before."""
    before = [size // 2 for size in taps.shape]
    after = [size - 1 - half for size, half in zip(taps.shape, before)]
    padding = [side for pair in zip(reversed(before), reversed(after)) for side in pair]
    return F.conv3d(F.pad(volume[None, None], padding), taps[None, None])[0, 0]


def cupy_filter(taps):
    import cupy
    from cupyx.scipy import ndimage

    weights = cupy.from_dlpack(taps)

    def call(volume, out):
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            ndimage.correlate(cupy.from_dlpack(volume), weights, cupy.from_dlpack(out), "constant", 0.0)

    return call


def triton_star(radius, coefficients):
    if triton is None:
        raise no_triton
    taps = torch.tensor(coefficients, dtype=torch.float32, device="cuda")

    def call(volume, out):
        depth, height, width = volume.shape
        grid = (triton.cdiv(width, 512), height, depth)
        star_kernel[grid](volume, taps, out, depth, height, width, radius, 512)

    return call


def filter_case(runtime, side, size):
    taps = torch.randn(size, size, size, device="cuda")
    ours = tilewright.Convolution3d(runtime)
    filter = tilewright.with_values(taps, taps.cpu().numpy())
    rivals = {"CuPy": lambda: cupy_filter(taps)}
    if size % 2:
        rivals["PyTorch"] = lambda: lambda volume, out: F.conv3d(
            volume[None, None], taps[None, None], padding=size // 2
        )
    return lambda volume, out: ours(volume, filter, out=out), rivals, [taps.double()], size**3


def star_case(runtime, side, radius, steps):
    coefficients = [1 / (6 * radius + 1)] * (3 * radius + 1)
    stencils = {name: tilewright.Stencil3d(runtime, implementation=name) for name in ("march", None)}
    call = lambda stencil: lambda volume, out: stencil(volume, coefficients, steps=steps, out=out)
    rivals = {"single steps": lambda: call(stencils["march"])}
    taps = star_taps(radius, coefficients)
    if steps == 1:
        rivals = {"Triton": lambda: triton_star(radius, coefficients)}
        rivals["PyTorch"] = lambda: lambda volume, out: F.conv3d(
            volume[None, None], taps.float()[None, None], padding=radius
        )
    return call(stencils[None]), rivals, [taps] * steps, (6 * radius + 1) * steps


def is_right(found, volume, taps, terms):
    exact, size = volume.double(), volume.double().abs()
    for one in taps:
        exact, size = correlated(exact, one), correlated(size, one.abs())
    return bool(((found.double() - exact).abs() <= MOST_TERMS_ERROR * terms**0.5 * size).all())


def captured_alone(name, make, operands):
    """The rival's call; None, with the reason on standard error, if it cannot be captured."""
    try:
        call = make()
        medians({name: call}, [operands])
        return call
    except Exception as error:  # whatever a package throws
        print(f"{name}: {error}", file=sys.stderr)
        return None


def measure(problem, side, case):
    ours, rivals, taps, terms = case
    draw = lambda: (torch.randn(side, side, side, device="cuda"), torch.empty(side, side, side, device="cuda"))
    operands = draw()
    ours(*operands)
    torch.cuda.synchronize()
    row = {"problem": problem, "right": is_right(operands[1], operands[0], taps, terms)}
    entrants = {"ours": ours, "copy": lambda volume, out: out.copy_(volume)}
    for name, make in rivals.items():
        if call := captured_alone(name, make, operands):
            entrants[name] = call
    count = math.ceil(COLD_BYTES / (8 * side**3))
    row["us"] = medians(entrants, [operands] + [draw() for _ in range(count - 1)])
    return row


def cases(runtime, side):
    for size in FILTERS:
        yield filter_case(runtime, side, size)
    for radius in RADII:
        yield star_case(runtime, side, radius, 1)
    for radius, steps in FUSED:
        yield star_case(runtime, side, radius, steps)


def report(rows):
    for row in rows:
        ours = row["us"]["ours"]
        others = "  ".join(f"{name} {us / ours:.2f}" for name, us in row["us"].items() if name != "ours")
        print(f"{row['problem']:58} {ours:9.1f} µs  {others}  {'right' if row['right'] else 'WRONG'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernels", nargs="?")
    parser.add_argument("--problems", action="store_true")
    parser.add_argument("--database")
    parser.add_argument("--shipped", nargs="*", default=[])
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--json")
    given = parser.parse_args()
    if given.problems:
        print("\n".join(problems(given.side)))
        return
    torch.manual_seed(1)
    torch.backends.cudnn.allow_tf32 = False
    with tempfile.TemporaryDirectory() as folder:
        runtime = tilewright.Runtime(given.database, [given.kernels], shipped=given.shipped, cache=folder)
        listed = zip(problems(given.side), cases(runtime, given.side))
        rows = [measure(problem, given.side, case) for problem, case in listed]
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}")
    report(rows)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
