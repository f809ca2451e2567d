#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits relative_cost of a library's routine to random products that nobody tuned (bench/compare/any_shape.py --json).

usage: library.py [--held-out FILE] TYPE=FILE…
A TYPE may be named several times. Prints the expression, and what would be served of the file that is held out: the time of the faster library over
ours, as it was measured and with this choice. Only answers of the default rung count."""
import json
import math
import sys
from collections import defaultdict

from fit import solved

SMS = 132  # of the H200 that the records are of
# Each is at most 1000 where the name says: few rows or columns, little depth, few blocks.
FEATURES = {
    "min(1000, 32000 / min(M, N))": lambda p: min(1000, 32000 // min(p["M"], p["N"])),
    "min(1000, 128000 / min(M, N))": lambda p: min(1000, 128000 // min(p["M"], p["N"])),
    "min(1000, 512000 / K)": lambda p: min(1000, 512000 // p["K"]),
    "min(1000, device.sm_count * 16384000 / (M * N * batch))":
        lambda p: min(1000, SMS * 16384000 // (p["M"] * p["N"] * p["batch"])),
    "min(1000, 400000000 / (M * N * batch))": lambda p: min(1000, 400000000 // (p["M"] * p["N"] * p["batch"])),
}
CLOSE = 0.05  # a comparison within 5 % counts as one of 5 %, and greater ones for less, because they decide nothing
LEAST, MOST = -0.4, 0.6
IN_DOUBT = 60  # thousandths: where the fit errs by more than the difference, the library answers


def values_of(problem):
    return [1000] + [feature(problem) for feature in FEATURES.values()]


def comparisons(file):
    """(problem, ln(cuBLAS / ours), ln(the faster library / ours)) of each answer and policy."""
    with open(file, encoding="utf-8") as text:
        rows = json.load(text)
    for row in rows:
        for times in (row.get("warm"), row.get("cold")):
            if times and "cublas" in times and row["answer"] and row["answer"][0] == "default":
                faster = min(time for name, time in times.items() if name != "ours")
                yield row, math.log(times["cublas"] / times["ours"]), math.log(faster / times["ours"])


def fitted(compared):
    """A coefficient in thousandths for each of values_of(), by weighted least squares."""
    count = len(FEATURES) + 1
    matrix = [[1e-3 * (i == j) for j in range(count)] for i in range(count)]
    right = [0.0] * count
    for problem, ratio, _ in compared:
        x = [value / 1000 for value in values_of(problem)]
        weight = 1 / (CLOSE + abs(ratio))
        for i in range(count):
            right[i] += weight * x[i] * max(LEAST, min(MOST, ratio))
            for j in range(count):
                matrix[i][j] += weight * x[i] * x[j]
    return [round(1000 * value) for value in solved(matrix, right)]


def relative_cost(coefficients, problem):
    return 1000 - IN_DOUBT + sum(c * v for c, v in zip(coefficients, values_of(problem))) // 1000


def expression(coefficients):
    terms = " ".join(f"{'-' if c < 0 else '+'} {abs(c)} * {name}" for c, name in zip(coefficients[1:], FEATURES))
    return f"{1000 - IN_DOUBT + coefficients[0]} + ({terms.removeprefix('+ ')}) / 1000"


def table(compared, coefficients):
    served = defaultdict(list)
    for problem, ratio, faster in compared:
        chosen = faster - (ratio if relative_cost(coefficients, problem) <= 1000 else 0)
        for name in (problem["kind"], "all"):
            served[name].append((faster, chosen))
    for name, pairs in served.items():
        for what, column in zip(("kernels", "with the library"), zip(*pairs)):
            column = sorted(column)
            mean = math.exp(sum(column) / len(column))
            print(f"{name:8} {what:16} {mean:.3f}, {math.exp(column[len(column) // 10]):.3f}, {math.exp(column[0]):.3f}")


def main(words):
    held_out = words.pop(words.index("--held-out") + 1) if "--held-out" in words else None
    records = defaultdict(list)
    for word in words:
        if word != "--held-out":
            name, file = word.split("=", 1)
            records[name] += comparisons(file)
    for name, compared in records.items():
        coefficients = fitted(compared)
        print(f"type_a == '{name}' && type_b == '{name}' && precision == 'float32' ? {expression(coefficients)} : 0")
        if held_out:
            table(list(comparisons(held_out)), coefficients)


if __name__ == "__main__":
    main(sys.argv[1:])
