#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Made-up tuning spaces in Kernel Tuner's cache format, to judge search strategies on more than the recorded ones.

usage: made_up.py FOLDER [DEVICES]

Six kernels, each on DEVICES (by default 2) devices whose constants are drawn at random: times follow from occupancy, waves,
coalescing, reuse and unevenness that no model explains; some configurations fail. Nothing in it imitates a recorded space."""
import gzip
import itertools
import json
import math
import pathlib
import random
import sys


def jitter(seed, point, spread):
    """The same for the same point: lognormal, what no parameter explains."""
    return math.exp(random.Random(f"{seed}/{sorted(point.items())}").gauss(0, spread))


class Device:
    def __init__(self, seed):
        draw = random.Random(f"device {seed}")
        self.seed = seed
        self.processors = draw.choice((28, 46, 68, 84, 108, 132))
        self.registers = draw.choice((32768, 65536, 65536))
        self.shared = draw.choice((48, 96, 164)) * 1024
        self.threads = draw.choice((1024, 1536, 2048))
        self.flops = draw.uniform(0.5, 2)       # of a processor and cycle, relative
        self.bandwidth = draw.uniform(0.3, 1.5)
        self.latency = draw.uniform(0.3, 0.9)   # occupancy that hides it
        self.taste = draw                       # further constants, drawn by kernels in turn

    def resident(self, threads, registers, shared):
        """Blocks of a processor at a time; 0: does not run."""
        registers = -(-registers // 8) * 8 * -(-threads // 32) * 32
        return min(self.threads // threads, self.registers // max(registers, 1), self.shared // max(shared, 1), 16)

    def hidden(self, occupancy):
        return min(1.0, occupancy / self.latency) ** 0.7

    def waves(self, blocks, resident):
        """Of whole waves that the blocks take, over what they would fill."""
        exact = blocks / (self.processors * resident)
        return math.ceil(exact) / exact


def tiled(device):
    """A blocked product of matrices: register tiles over shared tiles."""
    size, spill = 2048, device.taste.choice((96, 128, 168))
    prefers = device.taste.choice((1, 2, 4))
    axes = {"BM": (16, 32, 64, 128, 256), "BN": (16, 32, 64, 128, 256), "BK": (8, 16, 32), "TM": (1, 2, 4, 8, 16),
            "TN": (1, 2, 4, 8, 16), "VEC": (1, 2, 4), "STAGES": (1, 2, 3), "PAD": (0, 1)}

    def legal(p):
        return (p["BM"] % p["TM"] == 0 and p["BN"] % (p["TN"] * p["VEC"]) == 0 and p["TM"] * p["TN"] <= 128
                and 32 <= p["BM"] // p["TM"] * (p["BN"] // p["TN"]) <= 1024
                and (p["BM"] + p["BN"]) * p["BK"] * 4 * p["STAGES"] <= 49152)

    def time(p):
        threads = p["BM"] // p["TM"] * (p["BN"] // p["TN"])
        registers = p["TM"] * p["TN"] + 2 * (p["TM"] + p["TN"]) + 18 + 6 * p["STAGES"]
        resident = device.resident(threads, min(registers, spill), (p["BM"] + p["BN"]) * p["BK"] * 4 * p["STAGES"])
        if resident == 0:
            return None
        compute = 1 / device.flops * (1 + 0.6 / p["TM"] + 0.6 / p["TN"] + 2.0 / p["BK"])
        compute *= 1 + 0.8 * max(0, registers - spill) / spill + (0.25 if p["PAD"] == 0 and p["TM"] > 4 else 0)
        memory = 40 / device.bandwidth * (1 / p["BM"] + 1 / p["BN"]) * (1.3 if p["VEC"] != prefers else 1)
        hidden = device.hidden(resident * threads / device.threads * math.sqrt(p["TM"] * p["TN"]) * (1, 1.4, 1.5)[p["STAGES"] - 1])
        blocks = (size // p["BM"]) * (size // p["BN"])
        return (max(compute, memory) + 0.3 * min(compute, memory)) / hidden * device.waves(blocks, resident)
    return axes, legal, time, 0.03


def filtered(device):
    """A filter over an image, with many odd block shapes."""
    width = device.taste.choice((1000, 2048, 4096))
    banks = device.taste.choice((16, 32))
    cached = device.taste.uniform(0.6, 1.5)
    axes = {"block_x": tuple(range(16, 257, 16)), "block_y": (1, 2, 4, 8, 16), "tile_x": (1, 2, 3, 4), "tile_y": (1, 2, 3, 4, 5),
            "constant": (0, 1), "pad": (0, 1), "shared": (0, 1)}

    def legal(p):
        return p["block_x"] * p["block_y"] <= 1024 and (p["shared"] or not p["pad"])

    def time(p):
        threads, outputs = p["block_x"] * p["block_y"], p["tile_x"] * p["tile_y"]
        tile_x, tile_y = p["block_x"] * p["tile_x"] + 8, p["block_y"] * p["tile_y"] + 8
        shared = (tile_x + p["pad"]) * tile_y * 4 * p["shared"]
        resident = device.resident(threads, 24 + 5 * outputs, shared)
        if resident == 0 or shared > 49152:
            return None
        halo = tile_x * tile_y / (p["block_x"] * p["tile_x"] * p["block_y"] * p["tile_y"])
        conflict = 1 if p["pad"] or not p["shared"] else 1 + 0.5 * ((tile_x % banks) == 0) + 0.3 * (p["tile_x"] % 2 == 0)
        reads = halo if p["shared"] else 6 * cached / math.sqrt(outputs)
        compute = (1 + 0.9 / p["tile_y"] + 0.4 / p["tile_x"]) * conflict * (1 if p["constant"] else 1.5) / device.flops
        compute *= 1 + (0.3 if p["block_x"] % 32 else 0)
        blocks = -(-width // (p["block_x"] * p["tile_x"])) * -(-width // (p["block_y"] * p["tile_y"]))
        waste = blocks * p["block_x"] * p["tile_x"] * p["block_y"] * p["tile_y"] / width ** 2
        hidden = device.hidden(resident * threads / device.threads * math.sqrt(outputs))
        return (compute + reads / device.bandwidth) * waste * device.waves(blocks, resident) / hidden
    return axes, legal, time, 0.08


def stepped(device):
    """A stencil that computes several steps in one pass."""
    axes = {"bx": (8, 16, 32, 64, 128, 256, 512), "by": (1, 2, 4, 8, 16, 32), "wx": (1, 2, 3, 4, 6, 8), "wy": (1, 2, 3, 4, 6, 8),
            "steps": (1, 2, 3, 4, 5, 6, 8), "unroll": (1, 2, 4), "keep": (0, 1)}
    cost = device.taste.uniform(0.1, 0.5)

    def legal(p):
        return (32 <= p["bx"] * p["by"] <= 1024 and p["steps"] % p["unroll"] == 0
                and p["bx"] * p["wx"] > 2 * p["steps"] and p["by"] * p["wy"] > 2 * p["steps"])

    def time(p):
        threads = p["bx"] * p["by"]
        width, height = p["bx"] * p["wx"], p["by"] * p["wy"]
        shared = width * height * 4 * (2 + p["keep"])
        resident = device.resident(threads, 18 + 3 * p["wx"] * p["wy"] + 4 * p["unroll"], shared)
        if resident == 0:
            return None
        useful = (width - 2 * p["steps"]) * (height - 2 * p["steps"]) / (width * height)
        compute = cost / device.flops * (1.5 - 0.2 * math.log2(p["unroll"]) - 0.15 * p["keep"]) * (2 if p["bx"] < 32 else 1)
        memory = 1 / device.bandwidth / p["steps"] * (1.6 if p["bx"] < 32 else 1)
        hidden = device.hidden(resident * threads / device.threads * (p["wx"] * p["wy"]) ** 0.3)
        return (compute + memory) / useful / hidden
    return axes, legal, time, 0.04


def labelled(device):
    """Few parameters, two of them labels without an order, and one fine scale."""
    first = {name: device.taste.uniform(1, 2) for name in ("lane", "warp", "block", "tree", "none")}
    second = {name: device.taste.uniform(0, 0.8) for name in ("aos", "soa", "mixed")}
    pairs = {key: device.taste.uniform(0.8, 1.3) for key in itertools.product(first, second)}
    axes = {"method": tuple(first), "layout": tuple(second), "block": tuple(range(32, 1025, 32)), "items": (1, 2, 3, 4, 6, 8, 10, 12, 16)}

    def time(p):
        resident = device.resident(p["block"], 20 + 4 * p["items"], 0)
        if resident == 0:
            return None
        hidden = device.hidden(resident * p["block"] / device.threads * math.sqrt(p["items"]))
        work = (first[p["method"]] + second[p["layout"]]) * pairs[p["method"], p["layout"]]
        return (work + 1.5 / p["items"] + 0.02 * p["items"]) / hidden * device.waves(60000 // (p["block"] * p["items"]) + 1, resident)
    return axes, lambda p: True, time, 0.02


def switched(device):
    """Many switches, most of no effect, some of effect only together."""
    names = [f"switch_{i}" for i in range(9)]
    alone = {name: device.taste.choice((0, 0, 0.05, 0.15, -0.1)) for name in names}
    together = {pair: device.taste.choice((0, 0, 0, 0.2, -0.25)) for pair in itertools.combinations(names, 2)}
    sizes = {"chunk": (1, 2, 4, 8, 16), "block": (64, 128, 256, 512)}
    likes = {name: device.taste.uniform(0, len(values) - 1) for name, values in sizes.items()}

    def legal(p):
        return p["chunk"] * p["block"] <= 4096 and not (p["switch_0"] and p["switch_1"])

    def time(p):
        if p["switch_2"] and p["chunk"] == 16:
            return None
        cost = sum(alone[name] * p[name] for name in names)
        cost += sum(amount for (a, b), amount in together.items() if p[a] and p[b])
        cost += sum(0.08 * (values.index(p[name]) - likes[name]) ** 2 for name, values in sizes.items())
        return math.exp(cost)
    return {**sizes, **{name: (0, 1) for name in names}}, legal, time, 0.03


def rugged(device):
    """Every value with a worth of its own, and every pair of neighbouring axes, too: no order helps."""
    axes = {f"p{i}": tuple(range(levels)) for i, levels in enumerate((6, 5, 4, 4, 3, 3, 3))}
    names = list(axes)
    worth = {(n, v): device.taste.gauss(0, 0.25) for n in names for v in axes[n]}
    pair = {(a, v, b, w): device.taste.gauss(0, 0.18) for a, b in zip(names, names[1:] + names[:1]) for v in axes[a] for w in axes[b]}
    bad = {(device.taste.choice(names[:3]), device.taste.choice((0, 1, 2)), device.taste.choice(names[3:]), device.taste.choice((0, 1, 2)))
           for _ in range(3)}

    def time(p):
        if any(p[a] == v and p[b] == w for a, v, b, w in bad):
            return None
        return math.exp(sum(worth[n, p[n]] for n in names)
                        + sum(pair[a, p[a], b, p[b]] for a, b in zip(names, names[1:] + names[:1])))
    return axes, lambda p: True, time, 0.02


def write(folder, kernel, number):
    device = Device(f"{kernel.__name__} {number}")
    axes, legal, time, spread = kernel(device)
    cache = {}
    for values in itertools.product(*axes.values()):
        point = dict(zip(axes, values))
        if not legal(point):
            continue
        took = time(point)
        entry = {"time": "RuntimeFailedConfig"} if took is None else {"time": round(took * jitter(device.seed, point, spread), 6)}
        cache[",".join(map(str, values))] = {**point, **entry}
    data = {"device_name": f"made-up {number}", "kernel_name": kernel.__name__, "problem_size": 0, "tune_params_keys": list(axes),
            "tune_params": axes, "objective": "time", "cache": cache}
    path = folder / f"made_{kernel.__name__}_{number}.json.gz"
    path.write_bytes(gzip.compress(json.dumps(data).encode(), mtime=0))
    times = sorted(entry["time"] for entry in cache.values() if not isinstance(entry["time"], str))
    print(f"{path.name}: {len(cache)} configurations, {len(cache) - len(times)} failed, "
          f"median {times[len(times) // 2] / times[0]:.2f} times the best")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in (tiled, filtered, stepped, labelled, switched, rugged):
        for number in range(1, 1 + int(sys.argv[2] if len(sys.argv) > 2 else 2)):
            write(folder, kernel, number)


main()
