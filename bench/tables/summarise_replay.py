#!/usr/bin/env python3
"""Prints the tables of docs/benchmarks/search.md about eleven recorded spaces from bench/records/settings.json.gz.

It has what `tilewright replay RECORD… --strategy S --budget 200 --seeds 20 --json` printed, for each S.
"""
import gzip
import json
import pathlib
import statistics

FIGURES = [(100, "median"), (200, "median"), (100, "percentile_10"), (200, "percentile_10")]
data = json.loads(gzip.decompress((pathlib.Path(__file__).parents[1] / "records/settings.json.gz").read_bytes()))
table = {}  # record → setting → figures
sizes = {}
for record in data["records"]:
    name = record["record"].split()[0].removeprefix("rec-").removesuffix(".db").removesuffix(".json.gz")
    sizes[name] = record["configurations"]
    for strategy in record["strategies"]:
        marks = {mark["trials"]: mark for mark in strategy["marks"]}
        table.setdefault(name, {})[strategy["strategy"]] = [marks[at][kind] for at, kind in FIGURES]


def means(setting, records):
    return [statistics.mean(table[record][setting][i] for record in records) for i in range(4)]


def score(setting, records):
    return statistics.mean(means(setting, records))


def line(name, figures):
    print(f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |")


print("| record | configurations | median, 100 | median, 200 | 10 %, 100 | 10 %, 200 |\n|---|--:|--:|--:|--:|--:|")
for name, settings in table.items():
    line(f"{name} | {sizes[name]}", settings["model"])
line("mean | ", means("model", table))
settings = list(next(iter(table.values())))
print("\n| setting | median, 100 | median, 200 | 10 %, 100 | 10 %, 200 |\n|---|--:|--:|--:|--:|")
for setting in sorted(settings, key=lambda one: -score(one, table)):
    line(setting, means(setting, table))
left_out, chosen = [], []
for record in table:
    others = [other for other in table if other != record]
    chosen.append(max(settings, key=lambda one: score(one, others)))
    left_out.append(table[record][chosen[-1]])
print("\nleave one out:", {one: chosen.count(one) for one in chosen})
line("the chosen, where left out", [statistics.mean(one[i] for one in left_out) for i in range(4)])
