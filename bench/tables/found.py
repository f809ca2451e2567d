#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/benchmarks/large-spaces.md's "Twelve products" from the files that bench/sweeps/found.sh left in folders.

    found.py FOLDER_OF_DEFAULT_SWEEPS [FOLDER_OF_LONG_SWEEPS…]

A time is the geometric mean of the answer's cold and warm medians in its sweep's own final. Behind is that of a default sweep's
answer over the least of all sweeps of the product.
"""
import collections
import json
import math
import pathlib
import sys


def answers(folder):
    """The time, cold and warm, implementation, trials and seconds of every sweep, by product, in the order of the seeds."""
    found = collections.defaultdict(list)
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        sweep = json.loads(file.read_text())
        times = [(one["timing"]["median_us"], one.get("warm_timing", one["timing"])["median_us"], one["implementation"].split("/")[1])
                 for one in sweep["winners"]]
        if not times:
            raise SystemExit(f"{file} has no answer")
        cold, warm, name = min(times, key=lambda one: one[0] * one[1])
        report = sweep["report"]
        found[file.stem.rsplit("-", 1)[0]].append((math.sqrt(cold * warm), cold, warm, name, report["tried"], report["clock"]["total_s"]))
    return found


default, *long = map(answers, sys.argv[1:])
behind = {product: [one[0] / min(one[0] for folder in (default, *long) for one in folder[product]) for one in sweeps]
          for product, sweeps in default.items()}
print("| product | best known: cold / warm, µs | behind | tried | took, s |\n|---|---|---|---|---|")
for product, sweeps in default.items():
    _, cold, warm, name, *_ = min(one for folder in (default, *long) for one in folder[product])
    print(f"| {product} | {cold:.3g} / {warm:.3g} {name} | {', '.join(f'{one:.3f}' for one in behind[product])} | "
          f"{', '.join(str(one[4]) for one in sweeps)} | {', '.join(f'{one[5]:.1f}' for one in sweeps)} |")
ratios = [one for product in behind.values() for one in product]
print(f"\n{sum(one <= 1.02 for one in ratios)} of {len(ratios)} within 2 %, {sum(one <= 1.04 for one in ratios)} within 4 %, "
      f"the longest sweep took {max(one[5] for sweeps in default.values() for one in sweeps):.1f} s")
