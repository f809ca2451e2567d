#!/usr/bin/env python3
"""Convolutional layers beside cuDNN's best of PyTorch's benchmark mode, on a GPU.

    bench/compare/layers.py --problems > problems       # for tilewright sweep --shapes problems
    PYTHONPATH=bindings/python TILEWRIGHT_LIBRARY=…/libtilewright.so bench/compare/layers.py
        --kernels KERNELS --database FILE [--cache FOLDER] [--only REGEX] [--json FILE]

layers.txt lists them; --only takes those whose group or name the expression matches. Images are
channels_last where the list does not say otherwise; filters are prepared before. Both are captured in CUDA graphs that are replayed in
turn after 150 ms of load, with operands in the L2 and from memory. float8 is compared with cuDNN's float16. Every answer is compared with one in float64.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys
import time
import types

import torch

import tilewright
from any_shape import COLD_BYTES, medians

_LOAD_S = 0.15
_SIZES = "batch channels_in channels_out height width filter stride dilation groups".split()


def layers(only=None):
    file = pathlib.Path(__file__).with_name("layers.txt")
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            continue
        of, name, *sizes = [one for one in line.split() if "=" not in one]
        further = dict(one.split("=") for one in line.split() if "=" in one)
        layout, dtype = further.pop("layout", "nhwc"), sizes.pop()
        if only is None or re.fullmatch(only, of) or re.fullmatch(only, name):
            numbers = dict(zip(_SIZES, map(int, sizes))) | {"depth": 1, "padding": None}
            numbers |= {one: numbers["filter" if one == "filter_depth" else "stride"] for one in ("filter_depth", "stride_depth")}
            numbers |= {one: int(value) for one, value in further.items()}
            precision = dtype if dtype == "tf32" else None
            torch_type = torch.float32 if precision else getattr(torch, dtype)
            yield types.SimpleNamespace(group=of, name=name, dtype=torch_type, precision=precision, layout=layout, **numbers)


def geometry(layer):
    """Lengths, taps, strides and paddings, for each axis: planes if there are several, rows, columns."""
    axes = [(layer.depth, layer.filter_depth, layer.stride_depth)] if layer.depth > 1 else []
    axes += [(layer.height, 1 if layer.height == 1 else layer.filter, 1 if layer.height == 1 else layer.stride)]
    axes += [(layer.width, layer.filter, layer.stride)]
    lengths, taps, strides = zip(*axes)
    same = [layer.dilation * (one - 1) // 2 if layer.padding is None else layer.padding for one in taps]
    return lengths, taps, strides, same


def problem(layer):
    same = "batch channels_in channels_out height width groups".split()
    settings = {name: getattr(layer, name) for name in same}
    settings |= {"filter_width": layer.filter, "stride_x": layer.stride, "dilation_x": layer.dilation}
    if layer.depth > 1:
        settings |= {"depth": layer.depth, "filter_depth": layer.filter_depth, "stride_z": layer.stride_depth}
    if layer.padding is not None:
        settings |= {f"padding_{axis}": layer.padding for axis in ("x", "y", "z")}
    if layer.layout != "nhwc":
        settings["layout"] = layer.layout
    settings["type"] = str(layer.dtype).rpartition(".")[2].removesuffix("fn")
    if layer.precision:
        settings["precision"] = layer.precision
    text = " ".join(f"{name}={value}" for name, value in settings.items())
    return f"conv_layer {text} filter=prepared"


def laid_out(tensor, layout):
    last = torch.channels_last if tensor.dim() == 4 else torch.channels_last_3d
    return tensor.to(memory_format=last if layout == "nhwc" else torch.contiguous_format)


class Entrants:
    """Both ways for one layer: calls with an image and outputs of each."""

    def __init__(self, layer, runtime):
        self.layer = layer
        self.lengths, self.taps, self.strides, self.padding = geometry(layer)
        self.geometry = {"stride": self.strides, "padding": self.padding, "dilation": layer.dilation}
        self.geometry["groups"] = layer.groups
        self.convolution = torch.nn.functional.conv3d if layer.depth > 1 else torch.nn.functional.conv2d
        # What cuDNN computes: it has no float8 here.
        self.plain = torch.float16 if layer.dtype.itemsize == 1 else layer.dtype
        shape = layer.channels_out, layer.channels_in // layer.groups, *self.taps
        filters = torch.randn(shape, device="cuda").to(layer.dtype)
        self.filters, self.plain_filters = (laid_out(one, layer.layout) for one in (filters, filters.to(self.plain)))
        torch.backends.cudnn.allow_tf32 = layer.precision == "tf32"
        self.tuned = tilewright.ConvLayer(runtime, precision=layer.precision, **self.geometry)
        image = self.operands()[0]
        start = time.perf_counter()
        self.prepared = self.tuned.prepare_filter(image, self.filters)
        torch.cuda.synchronize()
        self.prepare_us = 1e6 * (time.perf_counter() - start)

    def operands(self):
        layer = self.layer
        shape = layer.batch, layer.channels_in, *self.lengths
        image = laid_out(torch.randn(shape, device="cuda").to(layer.dtype), layer.layout)
        return image, image if image.dtype == self.plain else laid_out(image.to(self.plain), layer.layout)

    def ours(self, image, _plain):
        return self.tuned(image, self.prepared)

    def cudnn(self, _image, plain):
        return self.convolution(plain, self.plain_filters, **self.geometry)

    def is_right(self):
        """On a part of the outputs: the first rows or planes of the first image."""
        image, plain = self.operands()
        rows = min(self.lengths[0], 8 * self.strides[0] + self.layer.dilation * self.taps[0])
        part, weights = plain[:1, :, :rows].double(), self.plain_filters.double()
        exact = self.convolution(part, weights, **self.geometry)
        size = self.convolution(part.abs(), weights.abs(), **self.geometry)
        whole = exact.shape[2] if rows == self.lengths[0] else max(1, exact.shape[2] - self.padding[0])
        found = self.ours(image, plain)[:1, :, :whole]
        exact, size = exact[:, :, :whole], size[:, :, :whole]
        sums = 2**-10 if self.layer.precision else 2**-12 if image.element_size() == 1 else 2**-20
        allowed = 4 * sums * size + torch.finfo(found.dtype).eps * exact.abs() + 1e-6
        return bool(((found.double() - exact).abs() <= allowed).all())


def load(call, operands):
    end = time.perf_counter() + _LOAD_S
    while time.perf_counter() < end:
        for _ in range(10):
            call(*operands)
        torch.cuda.synchronize()


def measure(layer, runtime):
    entrants = Entrants(layer, runtime)
    calls = {"ours": entrants.ours, "cudnn": entrants.cudnn}
    operands = entrants.operands()
    row = {"group": layer.group, "name": layer.name, "right": entrants.is_right()}
    row["prepare_us"] = entrants.prepare_us
    row["answer"] = str(entrants.tuned.kernel(operands[0], entrants.prepared).answer.implementation)
    bytes_of_both = sum(one.numel() * one.element_size() for one in operands)
    count = max(2, min(100, math.ceil(COLD_BYTES / bytes_of_both)))
    for condition, sets in (
        ("warm", [operands]),
        ("cold", [operands] + [entrants.operands() for _ in range(count - 1)]),
    ):
        load(entrants.cudnn, operands)
        row[condition] = medians(calls, sets)
    return row


def report(rows):
    print(f"{'layer':22} {'ours, µs':>9} {'cuDNN, µs':>9} {'ratio':>6} {'cold':>6}  right  kernel")
    for row in rows:
        warm, cold = (row[condition]["cudnn"] / row[condition]["ours"] for condition in ("warm", "cold"))
        times = f"{row['warm']['ours']:9.2f} {row['warm']['cudnn']:9.2f} {warm:6.2f} {cold:6.2f}"
        print(f"{row['name']:22} {times}  {'yes' if row['right'] else 'NO':5}  {row['answer']}")
    for group in dict.fromkeys(row["group"] for row in rows):
        of = [row["warm"]["cudnn"] / row["warm"]["ours"] for row in rows if row["group"] == group]
        mean = statistics.geometric_mean(of)
        print(f"{group}: geometric mean {mean:.2f}, least {min(of):.2f}, {len(of)} layers")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", action="store_true")
    parser.add_argument("--kernels")
    parser.add_argument("--database")
    parser.add_argument("--cache")
    parser.add_argument("--only")
    parser.add_argument("--json")
    given = parser.parse_args()
    if given.problems:
        print("\n".join(map(problem, layers(given.only))))
        return
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    runtime = tilewright.Runtime(given.database, [given.kernels], cache=given.cache, libraries="off")
    rows = []
    with torch.no_grad():
        for layer in layers(given.only):
            try:
                rows.append(measure(layer, runtime))
            except (tilewright.TilewrightError, RuntimeError) as error:
                print(f"{layer.name}: {error}", file=sys.stderr)
            torch.cuda.empty_cache()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    report(rows)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
