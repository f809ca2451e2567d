#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Prints the tables of ../../tensor-cores.md from the raw output in this folder: h200/tables.py

A ratio is the better library's time over tilewright's; above 1 tilewright is faster. Those below a bar are bold. (The
tables of bench/tensor_peers.sh, which writes JSON, are by ../../tensor_peers.py.)
"""
import json
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from peers import print_table  # noqa: E402

SMS = 132
# FLOP in a clock of a multiprocessor
RATES = {"bf16": 4096, "fp16": 4096, "tf32": 2048, "fp8": 8192, "int8": 8192}
BARS = {"1024": 1.03, "2048": 1.01, "4096": 1.01, "4096nt": 0.99, "8192": 1.00, "k512": 1.05, "1": 1.00, "4": 1.00,
        "16": 1.08, "64": 1.00, "300": 0.95, "777": 0.95, "1048": 0.95, "128": 1.05, "ffn": 1.00, "batch": 1.00,
        "gelu": 1.00, "gelu1024": 1.00}  # in 16 bits, by size, and for A · Bᵀ where it differs
BARS_OF_TYPES = {"tf32": 0.98, "fp8": 0.98, "int8": 1.00}
BAR_OF_DEPENDENT = {"1024": 1.10}
SIZES = [size for size in BARS if not size.endswith("nt")]
OTHERS = ["fp8-2048nt", "fp8-4096nt", "fp8-8192nt", "fp8-16nt", "tf32-2048", "tf32-2048nt", "tf32-4096", "tf32-4096nt",
          "int8-4096nt"]
NAMES = {"bf16": "bfloat16", "fp16": "float16", "fp8": "float8_e4m3, bfloat16 out,", "int8": "int8, int32 out,"}
POLICIES = "cold", "warm", "own"


def measured(file):
    """The seconds of the sweeps, and for each policy tilewright's line and the ratios by library."""
    sweeps, *runs = re.split(r"^\$ tilewright-peers", file.read_text(), flags=re.M)
    assert sweeps.count("$ tilewright sweep") == sweeps.count("all correct"), f"{file}: not all were correct"
    found = {"seconds": sum(map(float, re.findall(r"tried in ([\d.]+) s", sweeps)))}
    for run in runs:
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in run.splitlines() if "| tensor-" in line]
        ours = next(line for line in lines if line[1] == "**tilewright**")
        ratios = {library: float(ratio) for library, ratio in re.findall(r"/(\w+)/iterations.* ratio=([\d.]+)", run)}
        policy = "own" if "--lead-in" in run else re.search(r"--policy (\w+)", run)[1]
        found[policy] = {"case": ours[0], "us": float(ours[2]), "tflops": float(ours[5]), "mhz": float(ours[7]),
                         "how": ours[9], "ratios": ratios, "ratio": min(ratios[name] for name in
                                                                        ratios.keys() & {"cuBLAS", "cublasLt"})}
    return found


def kind_size_and_layout(name):
    kind, size = name.split("-", 1)
    return kind, size.removesuffix("nt"), "nt" if size.endswith("nt") else ""


def bar(name):
    kind, size, layout = kind_size_and_layout(name)
    return BARS_OF_TYPES.get(kind) or BARS.get(size + layout) or BARS[size]


def size_text(case):
    m, n, k, batch, epilogue = re.match(r"tensor-\w+-(\d+)x(\d+)x(\d+)(-b\d+)?.*?(bias_gelu)?$", case).groups()
    text = f"{m}³" if m == n == k else f"{m} × {n} × {k}"
    return (f"{batch[2:]} of {text}" if batch else text) + (", bias and GELU" if epilogue else "")


def products(names, rows):
    """What the rows are called, each without what it shares with the row above it."""
    above = None
    for name in names:
        kind, size, layout = kind_size_and_layout(name)
        same = above == (kind, size)
        type_text = "" if above and above[0] == kind else NAMES.get(kind, kind) + " "
        size_and_layout = size_text(rows[name]["cold"]["case"]) + (", A · Bᵀ" if layout else "")
        yield type_text + ("A · Bᵀ" if same else size_and_layout)
        above = kind, size


def winner(how):
    if how.startswith("gemm/thin"):
        return "gemm/thin"
    value = dict(re.findall(r"(\w+)=(\S+)", how))
    blocks = int(value["CLUSTER_M"]) * int(value["CLUSTER_N"])
    parts = [f"{value['BLOCK_M']} × {value['BLOCK_N']}" + (" turned" if value["SWAPPED"] == "yes" else ""),
             {"cooperative": "cooperative", "pingpong": "in turns"}.get(value["SCHEDULE"]),
             f"clusters of {blocks}" if blocks > 1 else None,
             f"K shared by {value['SPLIT_K']}" if value["SPLIT_K"] != "1" else None,
             {"none": None, "a": "A packed", "b": "B packed"}.get(value["PACKED"], "both packed")]
    return ", ".join(filter(None, parts))


def ratio_text(found, policy, least):
    if policy not in found:
        return ""
    value = found[policy]["ratio"]
    return f"**{value:.3f}**" if least and value < least else f"{value:.3f}"


def main_row(name, found):
    kind, size, _ = kind_size_and_layout(name)
    cold = found["cold"]
    share = cold["tflops"] * 1e12 / (SMS * RATES[kind] * cold["mhz"] * 1e6)
    us = f"{cold['us']:.1f}" if cold["us"] < 100 else f"{cold['us']:.0f}"
    return [f"{found['seconds']:.0f}", winner(cold["how"]), us,
            *(ratio_text(found, policy, bar(name)) for policy in POLICIES), f"{bar(name):.2f}", f"{cold['mhz']:.0f}",
            "" if size in ("1", "4", "16") else f"{100 * share:.0f} %"]


def half_row(size, rows):
    """A product in float16, A · B and A · Bᵀ."""
    names = [f"fp16-{size}", f"fp16-{size}nt"]
    bars = dict.fromkeys(f"{bar(name):.2f}" for name in names)
    ratios = [ratio_text(rows[name], policy, bar(name)) for name in names for policy in POLICIES]
    return [size_text(rows[names[0]]["cold"]["case"]), *ratios, " and ".join(bars)]


def dependent_row(name, found):
    """Nothing where the winner has no dependent launches."""
    if "DEPENDENT=yes" not in found.get("cold", {}).get("how", ""):
        return ["", ""]
    least = BAR_OF_DEPENDENT.get(kind_size_and_layout(name)[1])
    return [ratio_text(found, policy, least) for policy in ("cold", "warm")]


def triton_row(found, triton):
    """Triton's time over tilewright's, by the ratios of both to cuBLAS, or by the times where it has no product."""
    texts = []
    for policy in "cold", "warm":
        ours, theirs = found[policy], triton.get((found["cold"]["case"], policy))
        if theirs is None:
            return ["", ""]
        beside_cublas = ours["ratios"].get("cuBLAS")
        value = beside_cublas * theirs["ratio"] if beside_cublas else theirs["triton_us"] / ours["us"]
        texts.append(f"{value:.1f}")
    return texts


def print_counts(rows):
    least = {name: min(found[policy]["ratio"] for policy in POLICIES if policy in found) - bar(name)
             for name, found in rows.items()}
    for kind in RATES:
        of_kind = [value for name, value in least.items() if name.startswith(kind + "-")]
        print(f"{kind}: {sum(value < 0 for value in of_kind)} of {len(of_kind)} miss their bar in a column")
    missed = sorted((value, name) for name, value in least.items() if value < 0)
    print(", ".join(f"{name} {value:.4f}" for value, name in missed))


def print_comparison(rows):
    """With the rows of the run before, of the same kernels, some of which chose between ties by other rules."""
    differences = []
    for file in sorted((HERE / "before-cycles").glob("*-*.txt")):
        before = measured(file)
        differences += [(rows[file.stem][policy]["ratio"] / before[policy]["ratio"] - 1, file.stem, policy)
                        for policy in POLICIES if policy in before and policy in rows[file.stem]]
    sizes = sorted(abs(difference) for difference, _, _ in differences)
    print(f"\n{len(sizes)} ratios of the run before: half differ by less than {statistics.median(sizes):.1%}")
    large = sorted(difference for difference in differences if abs(difference[0]) > 0.02)
    print(", ".join(f"{name} {policy} {value:+.1%}" for value, name, policy in large))


def main():
    rows = {file.stem: measured(file) for file in HERE.glob("*-*.txt") if file.stem.split("-")[0] in RATES}
    dependent = {file.stem: measured(file) for file in HERE.glob("dependent/*.txt")}
    records = map(json.loads, (HERE / "triton.jsonl").read_text().splitlines())
    triton = {(record["case"], record["policy"]): record for record in records}
    assert all(record["right"] for record in triton.values())

    names = [f"bf16-{size}{layout}" for size in SIZES for layout in ("", "nt")] + OTHERS
    print_table(["product", "sweep, s", "winner", "µs cold", "ratio cold", "warm", "own clock", "bar", "MHz",
                 "of the rate"],
                [[product, *main_row(name, rows[name])] for name, product in zip(names, products(names, rows))],
                "lrlrrrrrrr")
    print()
    print_table(["float16", "A · B, cold", "warm", "own clock", "A · Bᵀ, cold", "warm", "own clock", "bar"],
                [half_row(size, rows) for size in SIZES], "lrrrrrrl")
    print()
    beside = {name: [*dependent_row(name, dependent.get(name, {})), *triton_row(rows[name], triton)] for name in names}
    shown = [name for name in names if any(beside[name])]
    print_table(["product", "dependent launches, cold", "warm", "Triton's time, cold", "warm"],
                [[product, *beside[name]] for name, product in zip(shown, products(shown, rows))], "lrrrr")
    print()
    print_counts(rows)
    print_comparison(rows)


if __name__ == "__main__":
    main()
