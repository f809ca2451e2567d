#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/benchmarks/large-spaces.md's "Twelve products".

    found.py FOLDER_OF_DEFAULT_SWEEPS WINNERS.json…

Takes what bench/sweeps/found.sh left, and what `tilewright-trust winners --json` measured of the answers of these sweeps and of
longer ones, side by side; of a product in two files, the first counts. Databases are named seed1.db, seed2.db, and so on. A time is
the geometric mean of an answer's cold and warm medians there. Behind is that of a default sweep's answer over the least of all.
"""
import collections
import json
import math
import pathlib
import sys


def product_of(problem):
    short = {"bfloat16": "bf16", "float16": "fp16", "float8_e4m3": "fp8"}[problem["type_a"]]
    sizes = [problem[one] for one in "MNK"]
    return short + "-" + ("3000" if sizes == [3000] * 3 else "x".join(map(str, sizes)))


def time_of(winner):
    return math.sqrt(winner["cold"]["median_us"] * winner["warm"]["median_us"])


def seconds(values):
    return ", ".join(f"{one:.1f}" for one in values)


winners = {}
for file in sys.argv[2:]:
    for race in json.loads(pathlib.Path(file).read_text())["problems"]:
        winners.setdefault(product_of(race["problem"]), race["winners"])
reports = collections.defaultdict(list)
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    reports[file.stem.rsplit("-", 1)[0]].append(json.loads(file.read_text())["report"])

print("| product | best known: cold / warm, µs | behind | tried | took, s | final, s | verifying, s |\n|---|---|---|---|---|---|---|")
ratios, totals = [], []
for product, sweeps in reports.items():
    best = min(winners[product], key=time_of)
    behind = [time_of(one) / time_of(best) for one in winners[product] if pathlib.Path(one["database"]).stem.startswith("seed")]
    took = [one["clock"]["total_s"] for one in sweeps]
    ratios += behind
    totals += took
    print(f"| {product} | {best['cold']['median_us']:.3g} / {best['warm']['median_us']:.3g} {best['implementation'].split('/')[1]} | "
          f"{', '.join(f'{one:.3f}' for one in behind)} | {', '.join(str(one['tried']) for one in sweeps)} | {seconds(took)} | "
          f"{seconds(one['final']['seconds'] for one in sweeps)} | {seconds(one['clock']['busy_s']['verifying'] for one in sweeps)} |")
print(f"\n{sum(one <= 1.02 for one in ratios)} of {len(ratios)} within 2 %, {sum(one <= 1.04 for one in ratios)} within 4 %, "
      f"the longest sweep took {max(totals):.1f} s")
