#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits relative_cost of gemm/cublas and gemm/cublaslt to random products that nobody tuned (bench/compare/any_shape.py --json).

usage: library.py [--held-out FILE] FILE…
Prints the keys of the manifests, and for each type what would be served: the time of the faster library over it, by the kernels alone and with this
choice, as geometric mean, 10th percentile and least. That is of the file that is held out, or else of each product by a fit to all others. Only
answers of the default rung count. Where nothing is recorded for 16 bits, the library answers."""
import json
import math
import sys
from collections import defaultdict

from fit import solved
from fitted_file import string

SMS = 132  # of the H200 that the records are of
# Few rows or columns, little depth, few blocks: each is at most 1000.
FEATURES = [
    "min(1000, 32000 / min(M, N))",
    "min(1000, 128000 / min(M, N))",
    "min(1000, 512000 / K)",
    "min(1000, device.sm_count * 16384000 / (M * N * batch))",
    "min(1000, 400000000 / (M * N * batch))",
]
UNALIGNED = "min(1000, 1000 * (lda % 8 + ldb % 8 + ldc % 8))"  # tensor maps cannot copy such matrices of 16 bits


class Group:
    """Types that share a fit: whose first choice answers, where, and by what."""

    def __init__(self, library, types, condition, features=(), unknown=0):
        self.library, self.types, self.condition, self.unknown = library, types, condition, unknown
        self.features = [*FEATURES, *features]


GROUPS = [
    Group("cublas", ["float32"], "type_a == 'float32' && type_b == 'float32' && precision == 'float32'"),
    Group("cublas", ["float16", "bfloat16"], "type_a == type_b && size_of(a) == 2 && precision == 'float32'", [UNALIGNED], unknown=999),
    Group("cublaslt", ["float8_e4m3fn", "float8_e5m2"], "size_of(a) == 1 && size_of(b) == 1 && precision == 'float32'"),
    Group("cublaslt", ["int8"], "type_a == 'int8' && type_b == 'int8'"),
]
CLOSE = 0.05  # a comparison within 5 % counts as one of 5 %, and greater ones for less, because they decide nothing
LEAST, MOST = -0.4, 0.6
IN_DOUBT = 60  # thousandths: where the fit errs by more than the difference, the library answers


def values_of(features, row):
    """1000, then each feature as a look-up computes it."""
    a, b = row["transpose_a"], row["transpose_b"]
    names = {name: row[name] for name in ("M", "N", "K", "batch")} | {"min": min}
    for name, columns in ("lda", row["M" if a else "K"]), ("ldb", row["K" if b else "N"]), ("ldc", row["N"]):
        names[name] = columns + row["pad"]
    texts = [feature.replace("/", "//").replace("device.sm_count", str(SMS)) for feature in features]
    return [1000] + [eval(text, {"__builtins__": {}}, names) for text in texts]


def comparisons(file, group):
    """For each product (its class, its features, ln(the library / ours) and ln(the faster library / ours) by policy)."""
    with open(file, encoding="utf-8") as text:
        rows = json.load(text)
    for row in rows:
        if row.get("type", "float32") not in group.types or not row["answer"] or row["answer"][0] != "default":
            continue
        times = [one for one in (row.get("warm"), row.get("cold")) if one and group.library in one]
        faster = [min(time for name, time in one.items() if name not in ("ours", "served")) for one in times]
        ratios = [(math.log(one[group.library] / one["ours"]), math.log(least / one["ours"])) for one, least in zip(times, faster)]
        if ratios:
            yield row["kind"], values_of(group.features, row), ratios


def normal_equations(products, count):
    """Of weighted least squares: the matrix, and the right side as its last column."""
    sums = [[0.0] * (count + 1) for _ in range(count)]
    for _, values, ratios in products:
        x = [value / 1000 for value in values]
        for ratio, _ in ratios:
            weight = 1 / (CLOSE + abs(ratio))
            for i in range(count):
                for j, other in enumerate([*x, max(LEAST, min(MOST, ratio))]):
                    sums[i][j] += weight * x[i] * other
    return sums


def fitted(sums, less=None):
    """A coefficient in thousandths for each of values_of(); `less` are the equations that are left out."""
    count = len(sums)
    part = lambda i, j: sums[i][j] - (less[i][j] if less else 0)
    matrix = [[part(i, j) + 1e-3 * (i == j) for j in range(count)] for i in range(count)]
    return [round(1000 * value) for value in solved(matrix, [part(i, count) for i in range(count)])]


def relative_cost(coefficients, values):
    return 1000 - IN_DOUBT + sum(c * v for c, v in zip(coefficients, values)) // 1000


def expression(group, coefficients):
    if not coefficients:
        return str(group.unknown)
    terms = " ".join(f"{'-' if c < 0 else '+'} {abs(c)} * {name}" for c, name in zip(coefficients[1:], group.features))
    return f"{1000 - IN_DOUBT + coefficients[0]} + ({terms.removeprefix('+ ')}) / 1000"


def print_table(name, products, coefficients_of):
    served = defaultdict(list)
    for product in products:
        kind, values, ratios = product
        answers = relative_cost(coefficients_of(product), values) <= 1000
        for ratio, faster in ratios:
            for key in (kind, "all"):
                served[key].append((faster, faster - (ratio if answers else 0)))
    print(f"# {name}: geometric mean, 10th percentile, least")
    for kind, pairs in served.items():
        for what, column in zip(("kernels", "with the library"), zip(*pairs)):
            column = sorted(column)
            mean = math.exp(sum(column) / len(column))
            print(f"# {kind:8} {what:16} {mean:.3f}, {math.exp(column[len(column) // 10]):.3f}, {math.exp(column[0]):.3f}")


def main(words):
    held_out = words.pop(words.index("--held-out") + 1) if "--held-out" in words else None
    files = [word for word in words if word != "--held-out"]
    keys = defaultdict(str)
    for group in GROUPS:
        products = [product for file in files for product in comparisons(file, group)]
        count = 1 + len(group.features)
        sums = normal_equations(products, count)
        coefficients = fitted(sums) if products else None
        keys[group.library] += f"{group.condition} ? {expression(group, coefficients)} : "
        if held_out and products:
            print_table(group.types[0], comparisons(held_out, group), lambda _: coefficients)
        elif products:
            print_table(group.types[0], products, lambda one: fitted(sums, normal_equations([one], count)))
    for library, text in keys.items():
        print(f"# gemm/{library}\nrelative_cost = {string(text + '0', 0, 16)}")


if __name__ == "__main__":
    main(sys.argv[1:])
