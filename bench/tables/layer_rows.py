#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/benchmarks/tables/layers.csv, of which the page shows some rows.

    PYTHONPATH=bench/compare:bindings/python layer_rows.py FOLDER…

A folder has what bench/sweeps/layers.sh left, and layers.json, what bench/compare/layers.py measured of these sweeps' winners; of
a layer in two folders, the last counts. Shares are those of an H200's tensor cores at 1980 MHz, and of its memory, 4.8 TB/s, if it
moved image, filter and output once.
"""
import csv
import gzip
import json
import math
import pathlib
import statistics
import sys

import layers

TENSOR_FLOPS = 132 * 4096 * 1.98e9  # float16
MEMORY = 4.8e12
SHORT = {"float32": "tf32", "float8_e4m3fn": "float8", "bfloat16": "bfloat16"}
known = {layer.name: layer for layer in layers.layers()}
names = {layers.problem(layer): name for name, layer in known.items()}


def sizes(layer):
    plane = f"{layer.height}²" if layer.height == layer.width else f"{layer.height} × {layer.width}"
    planes, taps = (f"{layer.depth} × ", f"{layer.filter_depth} × ") if layer.depth > 1 else ("", "")
    text = f"{layer.batch} × {layer.channels_in} × {planes}{plane} → {layer.channels_out}, {taps}{layer.filter}"
    text += "²" if layer.height > 1 else ""
    text += f", stride {layer.stride}" if layer.stride > 1 else ""
    text += f", dilation {layer.dilation}" if layer.dilation > 1 else ""
    text += f", {layer.groups} groups" if layer.groups > 1 else ""
    text += f", {layer.layout}" if layer.layout != "nhwc" else ""
    type = str(layer.dtype).rpartition(".")[2]
    return text + (f", {SHORT[type]}" if type in SHORT else "")


def shares(layer, us):
    size = layer.dtype.itemsize
    lengths, taps, strides, padding = layers.geometry(layer)
    reaches = [layer.dilation * (one - 1) for one in taps]
    axes = zip(lengths, reaches, strides, padding)
    pixels = layer.batch * math.prod((one + 2 * pad - reach - 1) // stride + 1 for one, reach, stride, pad in axes)
    terms = layer.channels_in // layer.groups * math.prod(taps)
    elements = layer.batch * layer.channels_in * math.prod(lengths)
    moved = size * (elements + layer.channels_out * terms) + max(size, 2) * pixels * layer.channels_out
    tensor = 2 * pixels * layer.channels_out * terms / (TENSOR_FLOPS * 2 / size)
    return f"{100e6 * tensor / us:.0f} %", f"{100e6 * moved / MEMORY / us:.0f} %"


def pair(row, entrant, digits=1):
    return " / ".join(f"{row[condition][entrant]:.{digits}f}" for condition in ("warm", "cold"))


def medians(trials):
    """The least cold time of each implementation."""
    least = {}
    for one in trials:
        if one.get("timing"):
            name = one["implementation"].split("/")[1]
            least[name] = min(least.get(name, 1e18), one["timing"]["median_us"])
    return ", ".join(f"{name} {us:.4g}" for name, us in sorted(least.items(), key=lambda pair: pair[1]))


def problem_of(sweep):
    """As layers.problem() says it."""
    values = sweep["key"]["problem"]["values"]
    return next((problem for problem in names if all(
        str(values[name]) == value for name, value in (word.split("=") for word in problem.split()[1:]))), None)


rows, took, tried = {}, {}, {}
for folder in map(pathlib.Path, sys.argv[1:]):
    rows |= {row["name"]: row for row in json.loads((folder / "layers.json").read_text())}
    swept = [line.split("\t") for line in (folder / "tuning.tsv").read_text().splitlines()]
    took |= {names[problem]: float(seconds) for seconds, _, problem in swept}
    if (folder / "layers.json.gz").exists():
        sweeps = json.loads(gzip.decompress((folder / "layers.json.gz").read_bytes()))["sweeps"]
        tried |= {names[of]: sweep for sweep in sweeps if (of := problem_of(sweep)) in {problem for *_, problem in swept}}

table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow(["layers", "columns", "group", "layer", "sizes", "ours, µs: warm / cold", "cuDNN, µs", "ratio", "kernel", "swept",
                "of the tensor cores", "of the memory"])
ratios = {"table": [], "public": []}
for name, layer in known.items():
    row = rows[name]
    ratio = {condition: row[condition]["cudnn"] / row[condition]["ours"] for condition in ("warm", "cold")}
    ratios[layer.group].append(ratio["warm"])
    assert row["right"], name
    table.writerow(["layers", "row", layer.group, name, sizes(layer), pair(row, "ours"), pair(row, "cudnn"),
                    " / ".join(f"{one:.2f}" for one in ratio.values()), row["answer"].split("/")[1], f"{took[name]:.0f} s",
                    *shares(layer, row["warm"]["ours"])])
table.writerow(["sweeps", "columns", "layer", "opening, s", "verifying, s", "final, s", "tried", "least time of each, cold, µs"])
for name, sweep in tried.items():
    report = sweep["report"]
    busy = report["clock"]["busy_s"]
    table.writerow(["sweeps", "row", name, f"{busy['opening']:.1f}", f"{busy['verifying']:.1f}", f"{report['final']['seconds']:.1f}",
                    report["tried"], medians(sweep["trials"])])
for group, of in ratios.items():
    print(f"{group}: {len(of)} layers, geometric mean {statistics.geometric_mean(of):.2f}, least {min(of):.2f}", file=sys.stderr)
