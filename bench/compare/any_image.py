#!/usr/bin/env python3
"""Convolutions of random images that nobody tuned, beside a default sweep of each, on a GPU, with
PyTorch.

    bench/compare/any_image.py --seed N --count N [--taps LEAST MOST] > shapes.txt  # a problem a line
    tilewright sweep conv2d --shapes shapes.txt --priors none --shipped none --db tuned.db
    PYTHONPATH=bindings/python TILEWRIGHT_LIBRARY=…/libtilewright.so bench/compare/any_image.py \\
        --seed N --count N [--taps LEAST MOST] --kernels KERNELS --tuned tuned.db [--shipped PLACE]
        [--database FILE] [--json FILE]

The two are captured in CUDA graphs that are replayed in turn, with the image in the L2 and from
memory. A loss is the time of the untuned answer over that of the tuned one.
"""

import argparse
import json
import math
import random
import statistics
import sys
import tempfile

import torch

import tilewright
from any_shape import COLD_BYTES, medians

BOUNDARIES = "zero", "replicate", "reflect", "mirror", "wrap"


def shapes(given):
    draw = random.Random(given.seed)
    for _ in range(given.count):
        width, height = draw.randint(100, 4000), draw.randint(100, 4000)
        side = draw.randint(*given.taps)
        yield width, height, side, draw.choice(BOUNDARIES)


def line(width, height, side, boundary):
    return f"width={width} height={height} filter_width={side} filter_height={side} " + (
        f"boundary={boundary}"
    )


def entrant(runtime, shape, image):
    """The answer, and a call with an image and its output."""
    _, _, side, boundary = shape
    blur = tilewright.Convolution2d(runtime, boundary=boundary)
    weights = torch.rand(side, side, device="cuda")
    filter = tilewright.with_values(weights, weights.cpu().numpy())
    return blur.kernel(image, filter).answer, lambda image, out: blur(image, filter, out=out)


def measure(shape, untuned, tuned):
    width, height, _, _ = shape
    draw = lambda: tuple(torch.rand(height, width, device="cuda") for _ in range(2))
    count = min(300, math.ceil(COLD_BYTES / (8 * width * height)))
    sets = [draw() for _ in range(count)]
    row, calls = {"shape": line(*shape)}, {}
    for name, runtime in (("untuned", untuned), ("tuned", tuned)):
        answer, calls[name] = entrant(runtime, shape, sets[0][0])
        row[name] = [answer.rung_name, answer.implementation, answer.configuration]
    row["warm"], row["cold"] = medians(calls, sets[:1]), medians(calls, sets)
    return row


def report(rows):
    for condition in ("warm", "cold"):
        losses = sorted(row[condition]["untuned"] / row[condition]["tuned"] for row in rows)
        mean, tenth = statistics.geometric_mean(losses), losses[len(losses) * 9 // 10]
        print(
            f"{condition}: {len(losses)} images, loss {mean:.3f}, 90th percentile {tenth:.2f}, "
            f"most {losses[-1]:.2f}"
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--taps", type=int, nargs=2, default=(3, 21), help="of a filter's side, both included")
    parser.add_argument("--kernels")
    parser.add_argument("--tuned")
    parser.add_argument("--shipped", nargs="*", default=[])
    parser.add_argument("--database")
    parser.add_argument("--json")
    given = parser.parse_args()
    if not given.tuned:
        for shape in shapes(given):
            print(line(*shape))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        open_runtime = lambda database, shipped: tilewright.Runtime(
            database, [given.kernels], shipped=shipped, cache=folder
        )
        untuned = open_runtime(given.database or folder + "/none.db", given.shipped)
        tuned = open_runtime(given.tuned, [])
        for shape in shapes(given):
            row = measure(shape, untuned, tuned)
            if row["tuned"][0] == "exact":
                rows.append(row)
            else:
                print(f"{row['shape']}: left out, because it is not tuned")
    if not rows:
        sys.exit(f"{given.tuned}: none of these images is tuned")
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, seed {given.seed}")
    report(rows)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file)


if __name__ == "__main__":
    main()
