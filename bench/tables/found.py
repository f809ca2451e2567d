#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/benchmarks/large-spaces.md's "Twelve products" from the files that bench/sweeps/found.sh left in folders.

    found.py FOLDER…

A time is the geometric mean of the answer's cold and warm medians in its sweep's own final. Behind is that of the slowest
answer over that of the fastest one of all sweeps of the product.
"""
import collections
import json
import math
import pathlib
import sys

found = collections.defaultdict(list)
for file in sorted(file for folder in sys.argv[1:] for file in pathlib.Path(folder).glob("*.json")):
    answer = json.loads(file.read_text())
    times = [(one["timing"]["median_us"], one.get("warm_timing", one["timing"])["median_us"], one["implementation"].split("/")[1])
             for one in answer["winners"]]
    if not times:
        print(f"{file} has no answer", file=sys.stderr)
        continue
    cold, warm, name = min(times, key=lambda one: one[0] * one[1])
    report = answer["report"]
    found[file.stem.rsplit("-", 1)[0]].append((math.sqrt(cold * warm), cold, warm, report["clock"]["total_s"], report["tried"], name))
print("| product | answers: cold / warm, µs | behind | tried | took, s |\n|---|---|--:|--:|--:|")
for product, sweeps in found.items():
    answers = "; ".join(f"{cold:.3g} / {warm:.3g} {name}" for _, cold, warm, _, _, name in sweeps)
    behind = max(one[0] for one in sweeps) / min(one[0] for one in sweeps)
    print(f"| {product} | {answers} | {behind:.3f} | {', '.join(str(one[4]) for one in sweeps)} | "
          f"{', '.join(f'{one[3]:.1f}' for one in sweeps)} |")
