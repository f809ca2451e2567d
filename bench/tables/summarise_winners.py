#!/usr/bin/env python3
"""Prints a table of trust.md from files of `tilewright-trust winners --json`, gzip or plain.

    bench/tables/summarise_winners.py FILE.json…

Where files have the same problem, the last one counts. Their databases must be in the same order.
"""
import gzip
import json
import sys


def quantile(values, share):
    position = share * (len(values) - 1)
    low = int(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (position - low) * (values[high] - values[low])


def row(name, ratios):
    ratios = sorted(ratios)
    figures = [f"{quantile(ratios, share):.3f}" for share in (0.5, 0.9, 0.95, 1)]
    counts = [str(sum(ratio <= most for ratio in ratios)) for most in (1.015, 1.03)]
    print("| " + " | ".join([name, str(len(ratios))] + figures + counts) + " |")


problems = {}
for file in sys.argv[1:]:
    opened = gzip.open(file) if file.endswith(".gz") else open(file, "rb")
    for one in json.load(opened)["problems"]:
        problems[one["operation"], json.dumps(one["problem"], sort_keys=True)] = one["winners"]

print("| winners of | problems | median | 90 % | 95 % | worst | within 1.5 % | within 3 % |")
print("|---|--:|--:|--:|--:|--:|--:|--:|")
winners = list(problems.values())
for place, first in enumerate(winners[0]):
    row(first["database"], [one[place]["worst_ratio"] for one in winners])
row("all", [winner["worst_ratio"] for one in winners for winner in one])
