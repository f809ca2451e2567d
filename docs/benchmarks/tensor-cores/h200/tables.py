#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Prints the tables of ../../tensor-cores.md from the raw output in this folder: h200/tables.py

A ratio is the better library's time over tilewright's; above 1 tilewright is faster. Those below a bar are bold.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from peers import print_table  # noqa: E402

SMS = 132
RATES = {"bf16": 4096, "fp16": 4096, "tf32": 2048, "fp8": 8192, "int8": 8192}  # FLOP per clock of a multiprocessor
BARS = {"1024": 1.03, "2048": 1.01, "4096": 1.01, "4096nt": 0.99, "8192": 1.00, "k512": 1.05, "16": 1.08, "1": 1.00,
        "4": 1.00, "64": 1.00, "300": 0.95, "777": 0.95, "1048": 0.95, "128": 1.05, "ffn": 1.00, "batch": 1.00,
        "gelu": 1.00, "gelu1024": 1.00}
OTHER_BARS = {"tf32": 0.98, "fp8": 0.98, "int8": 1.00}
BARS_OF_DEPENDENT = {"1024": 1.10}
NAMES = {"bf16": "bfloat16", "fp8": "float8_e4m3, bfloat16 out,", "int8": "int8, int32 out,"}
SIZES = ["1024", "2048", "4096", "8192", "k512", "1", "4", "16", "64", "300", "777", "1048", "128", "ffn", "batch",
         "gelu", "gelu1024"]
LIBRARIES = "cuBLAS", "cublasLt"


def measured(file):
    """Of a sweep and the comparisons after it: the seconds, and for each comparison tilewright's line and the ratios."""
    sweep, *runs = re.split(r"^\$ tilewright-peers", file.read_text(), flags=re.M)
    assert "all correct" in sweep, file
    found = {"seconds": sum(map(float, re.findall(r"tried in ([\d.]+) s", sweep)))}
    for run in runs:
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in run.splitlines() if "| tensor-" in line]
        policy = "own" if "--lead-in" in run else re.search(r"--policy (\w+)", run)[1]
        ours = next(line for line in lines if line[1] == "**tilewright**")
        ratios = [float(line[3].split()[0]) for line in lines if line[1] in LIBRARIES and line[2] != "–"]
        found[policy] = {"ratio": min(ratios), "us": float(ours[2]), "tflops": float(ours[5]), "mhz": float(ours[7]),
                         "case": ours[0], "how": ours[9], "beside_cublas": ratios[0] if len(ratios) > 1 else None}
    return found


def split(name):
    kind, size = name.split("-", 1)
    return kind, size.removesuffix("nt"), size.endswith("nt")


def bar(name):
    kind, size, turned = split(name)
    return OTHER_BARS.get(kind) or BARS.get(size + "nt" * turned) or BARS[size]


def label(case):
    m, n, k, batch, epilogue = re.match(r"tensor-\w+-(\d+)x(\d+)x(\d+)(-b\d+)?.*?(bias_gelu)?$", case).groups()
    text = f"{m}³" if m == n == k else f"{m} × {n} × {k}"
    return (f"{batch[2:]} of {text}" if batch else text) + (", bias and GELU" if epilogue else "")


def products(names, rows):
    """What the rows are called, each without what it shares with the row above it."""
    above = None
    for name in names:
        kind, size, turned = split(name)
        type_name = "" if above and above[0] == kind else NAMES.get(kind, kind) + " "
        same = above and above[:2] == (kind, size)
        yield type_name + ("A · Bᵀ" if same else label(rows[name]["cold"]["case"]) + ", A · Bᵀ" * turned)
        above = kind, size


def winner(how):
    value = dict(re.findall(r"(\w+)=(\S+)", how))
    if how.startswith("gemm/thin"):
        return "gemm/thin"
    blocks = int(value["CLUSTER_M"]) * int(value["CLUSTER_N"])
    parts = [f"{value['BLOCK_M']} × {value['BLOCK_N']}" + " turned" * (value["SWAPPED"] == "yes"),
             {"cooperative": "cooperative", "pingpong": "in turns"}.get(value["SCHEDULE"]),
             f"clusters of {blocks}" if blocks > 1 else None,
             f"K shared by {value['SPLIT_K']}" if value["SPLIT_K"] != "1" else None,
             "packed" if value["PACKED"] != "none" else None]
    return ", ".join(filter(None, parts))


def ratio(found, policy, least):
    if policy not in found:
        return ""
    value = found[policy]["ratio"]
    return f"{value:.3f}" if least is None or value >= least else f"**{value:.3f}**"


def row(name, found):
    kind, size, _ = split(name)
    cold = found["cold"]
    share = cold["tflops"] * 1e12 / (SMS * RATES[kind] * cold["mhz"] * 1e6)
    us = f"{cold['us']:.1f}" if cold["us"] < 100 else f"{cold['us']:.0f}"
    return [f"{found['seconds']:.0f}", winner(cold["how"]), us,
            *(ratio(found, policy, bar(name)) for policy in ("cold", "warm", "own")), f"{bar(name):.2f}",
            f"{cold['mhz']:.0f}", "" if size in ("1", "4", "16") else f"{100 * share:.0f} %"]


def triton_times(name, rows, triton):
    """Triton's time over tilewright's, by the ratios of both to cuBLAS, or by the times where it has no such product."""
    found = []
    for policy in "cold", "warm":
        ours, theirs = rows[name][policy], triton.get((rows[name]["cold"]["case"], policy))
        if theirs is None:
            return ["", ""]
        value = ours["beside_cublas"] * theirs["ratio"] if ours["beside_cublas"] else theirs["triton_us"] / ours["us"]
        found.append(f"{value:.2f}")
    return found


def main():
    rows = {file.stem: measured(file) for file in HERE.glob("*-*.txt") if split(file.stem)[0] in RATES}
    dependent = {file.stem: measured(file) for file in HERE.glob("dependent/*.txt")}
    triton = {(record["case"], record["policy"]): record
              for record in map(json.loads, (HERE / "triton.jsonl").read_text().splitlines())}
    assert all(record["right"] for record in triton.values())
    pairs = [size + turned for size in SIZES for turned in ("", "nt")]
    names = [f"bf16-{size}" for size in pairs] + ["fp8-2048nt", "fp8-4096nt", "fp8-8192nt", "fp8-16nt", "tf32-2048",
                                                  "tf32-2048nt", "tf32-4096", "tf32-4096nt", "int8-4096nt"]
    print_table(["product", "sweep, s", "winner", "µs cold", "ratio cold", "warm", "own clock", "bar", "MHz",
                 "of the rate"], [[product, *row(name, rows[name])] for name, product in zip(names, products(names, rows))])
    print()
    print_table(["float16", "A · B, cold", "warm", "own clock", "A · Bᵀ, cold", "warm", "own clock", "bars"],
                [[label(rows[f"fp16-{size}"]["cold"]["case"]),
                  *(ratio(rows[f"fp16-{size}{turned}"], policy, bar(f"fp16-{size}{turned}"))
                    for turned in ("", "nt") for policy in ("cold", "warm", "own")),
                  " and ".join(dict.fromkeys(f"{bar('fp16-' + size + turned):.2f}" for turned in ("", "nt")))]
                 for size in SIZES])
    print()
    both = [name for name in names if name in dependent or (rows[name]["cold"]["case"], "cold") in triton]
    print_table(["product", "dependent launches, cold", "warm", "beside Triton, cold", "warm"],
                [[product, *(ratio(dependent.get(name, {}), policy, BARS_OF_DEPENDENT.get(split(name)[1]))
                             for policy in ("cold", "warm")), *triton_times(name, rows, triton)]
                 for name, product in zip(both, products(both, rows))])
    least = {name: min(found[policy]["ratio"] for policy in ("cold", "warm", "own") if policy in found) - bar(name)
             for name, found in rows.items()}
    for kind in dict.fromkeys(name.split("-")[0] for name in sorted(least)):
        of_kind = [value for name, value in least.items() if name.startswith(kind)]
        print(f"\n{kind}: {sum(value >= 0 for value in of_kind)} of {len(of_kind)} reach their bar in every column")


if __name__ == "__main__":
    main()
