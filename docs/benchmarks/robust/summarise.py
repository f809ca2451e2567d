#!/usr/bin/env python3
"""Prints the table of trust.md from files of `tilewright-trust winners --json`, gzip or plain.

    docs/benchmarks/robust/summarise.py FILE.json.gz…

Left out are problems whose rotation through the operand sets took over 3 ms, as LEFT_OUT lists them.
"""
import gzip
import json
import sys

LEFT_OUT = {
    ("gemm", (128, 128, 128, 1)),
    ("gemm", (33, 77, 129, 1)),
    ("conv1d", (10000,)),
}
SIZES = {"gemm": ("M", "N", "K", "batch"), "conv1d": ("length",)}


def is_left_out(one):
    sizes = SIZES.get(one["operation"], ())
    return (one["operation"], tuple(one["problem"][size] for size in sizes)) in LEFT_OUT


def quantile(values, share):
    position = share * (len(values) - 1)
    low = int(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (position - low) * (values[high] - values[low])


for file in sys.argv[1:]:
    opened = gzip.open(file) if file.endswith(".gz") else open(file, "rb")
    problems = [one for one in json.load(opened)["problems"] if not is_left_out(one)]
    print(f"{file}: {len(problems)} problems")
    print("| winners of | median | 90 % | 95 % | worst | within 1.5 % | within 3 % |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for database in [winner["database"] for winner in problems[0]["winners"]]:
        ratios = sorted(
            winner["worst_ratio"]
            for one in problems
            for winner in one["winners"]
            if winner["database"] == database
        )
        figures = [quantile(ratios, share) for share in (0.5, 0.9, 0.95, 1)]
        counts = [sum(ratio <= most for ratio in ratios) for most in (1.015, 1.03)]
        cells = [database] + [f"{figure:.3f}" for figure in figures] + [str(count) for count in counts]
        print("| " + " | ".join(cells) + " |")
