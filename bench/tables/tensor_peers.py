#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Prints the tables of products on tensor cores from the raw output of bench/compare/tensor_peers.sh, as Markdown:

    bench/tables/tensor_peers.py FOLDER [--dependent FOLDER] [--before FOLDER]

A ratio is the better library's time over tilewright's; above 1 tilewright is faster. The better library is the faster
of cuBLAS and cublasLt without fast accumulation. Bold: the lower end of its 95 % interval is below the bar of
tensor-cores.md. --dependent: a run with dependent launches. --before: an earlier run, whose ratios are compared.
"""
import argparse
import json
import pathlib
import re
import statistics

from peers import print_table

SMS = 132  # of an H200
# FLOP in a clock of a multiprocessor
RATES = {"bf16": 4096, "fp16": 4096, "tf32": 2048, "fp8": 8192, "int8": 8192}
BARS = {"1024x1024x1024": 1.03, "2048x2048x2048": 1.01, "4096x4096x4096": 1.01, "4096x4096x4096-nt": 0.99,
        "8192x8192x8192": 1.00, "4096x4096x512": 1.05, "1x4096x4096": 1.00, "4x4096x4096": 1.00, "16x4096x4096": 1.08,
        "64x4096x4096": 1.00, "300x1000x2000": 0.95, "777x999x1234": 0.95, "1048x2056x1096": 0.95,
        "128x28672x8192": 1.05, "8192x3584x8192": 1.00, "512x512x512-b64": 1.00, "2048x2048x2048-bias_gelu": 1.00,
        "8192x8192x1024-bias_gelu": 1.00, "3000x3000x3000": 0.99, "2500x2500x100": 0.99,
        "5120x5120x1280": 0.99}  # in 16 bits, by size, and for A · Bᵀ where it differs
BARS_OF_TYPES = {"tf32": 0.98, "fp8": 0.98, "int8": 1.00}
BAR_OF_DEPENDENT = {"1024x1024x1024": 1.10}
NAMES = {"bf16": "bfloat16", "fp16": "float16", "fp8": "float8_e4m3, bfloat16 out,", "int8": "int8, int32 out,"}
POLICIES = "cold", "warm", "own"
CASE = re.compile(r"tensor-([a-z0-9]+)-(\d+)x(\d+)x(\d+)(-b\d+)?(-nt)?(-bias_gelu)?$")


class Case:
    """What the name of a case says."""

    def __init__(self, name):
        self.name = name
        self.kind, self.m, self.n, self.k, batch, layout, epilogue = CASE.match(name).groups("")
        self.batch, self.is_transposed, self.has_epilogue = batch[2:], bool(layout), bool(epilogue)
        self.size = f"{self.m}x{self.n}x{self.k}{batch}{epilogue}"

    def order(self):
        sizes = list(BARS)
        place = sizes.index(self.size) if self.size in BARS else len(sizes)
        return place, self.size, self.is_transposed

    def bar(self):
        """None for a case without one."""
        by_size = BARS.get(self.size + ("-nt" if self.is_transposed else ""), BARS.get(self.size))
        return BARS_OF_TYPES.get(self.kind, by_size)

    def size_text(self):
        text = f"{self.m}³" if self.m == self.n == self.k else f"{self.m} × {self.n} × {self.k}"
        return (f"{self.batch} of {text}" if self.batch else text) + (", bias and GELU" if self.has_epilogue else "")


def measured(file):
    """The seconds of the sweeps, and for each policy tilewright's line, the ratios by library, and the lower end of the
    intervals of those that count."""
    sweeps, *runs = re.split(r"^\$ tilewright-peers", file.read_text(), flags=re.M)
    if sweeps.count("$ tilewright sweep") != sweeps.count("all correct"):
        raise SystemExit(f"tensor_peers.py: {file}: a sweep did not end, or not all of its answers were correct")
    found = {"seconds": sum(map(float, re.findall(r"tried in ([\d.]+) s", sweeps)))}
    for run in runs:
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in run.splitlines() if "| tensor-" in line]
        ours = next((line for line in lines if line[1] == "**tilewright**"), None)
        ratios = {library: float(ratio) for library, ratio in re.findall(r"/(\w+)/iterations.* ratio=([\d.]+)", run)}
        compared = ratios.keys() & {"cuBLAS", "cublasLt"}
        if ours is None or not compared:
            continue
        lows = {line[1]: float(re.search(r"\(([\d.]+)–", line[3])[1]) for line in lines if line[1] in compared}
        policy = "own" if "--lead-in" in run else re.search(r"--policy (\w+)", run)[1]
        found[policy] = {"us": float(ours[2]), "tflops": float(ours[5]), "mhz": float(ours[7]), "how": ours[9],
                         "ratios": ratios, "ratio": min(ratios[name] for name in compared), "low": min(lows.values())}
    return found


def rows_in(folder):
    """Case → what was measured, in the order of the tables; without those that were not compared cold and warm."""
    files = {file.stem: file for file in folder.glob("tensor-*.txt") if CASE.match(file.stem)}
    kinds = list(RATES)
    cases = sorted(map(Case, files), key=lambda case: (kinds.index(case.kind), *case.order()))
    found = {case: measured(files[case.name]) for case in cases}
    return {case: row for case, row in found.items() if row.keys() >= {"cold", "warm"}}


def by_name(rows):
    return {case.name: row for case, row in rows.items()}


def products(cases):
    """What the rows are called, each without what it shares with the row above it."""
    above = None
    for case in cases:
        type_text = "" if above and above.kind == case.kind else NAMES.get(case.kind, case.kind) + " "
        same = above and (above.kind, above.size) == (case.kind, case.size)
        layout = "A · Bᵀ" if case.is_transposed else ""
        yield type_text + (layout if same else ", ".join(filter(None, [case.size_text(), layout])))
        above = case


def winner(how):
    value = dict(re.findall(r"(\w+)=(\S+)", how))
    if not how.startswith("gemm/wgmma"):
        return how.split()[0]
    blocks = int(value["CLUSTER_M"]) * int(value["CLUSTER_N"])
    parts = [f"{value['BLOCK_M']} × {value['BLOCK_N']}" + (" turned" if value["SWAPPED"] == "yes" else ""),
             {"cooperative": "cooperative", "pingpong": "in turns"}.get(value["SCHEDULE"]),
             f"clusters of {blocks}" if blocks > 1 else None,
             f"K shared by {value['SPLIT_K']}" if value["SPLIT_K"] != "1" else None,
             {"none": None, "a": "A packed", "b": "B packed"}.get(value["PACKED"], "both packed")]
    return ", ".join(filter(None, parts))


def ratio_text(row, policy, least):
    if policy not in row:
        return ""
    text = f"{row[policy]['ratio']:.3f}"
    return f"**{text}**" if least and row[policy]["low"] < least else text


def bar_text(case):
    return "" if case.bar() is None else f"{case.bar():.2f}"


def main_row(case, row):
    cold = row["cold"]
    share = cold["tflops"] * 1e12 / (SMS * RATES[case.kind] * cold["mhz"] * 1e6)
    us = f"{cold['us']:.1f}" if cold["us"] < 100 else f"{cold['us']:.0f}"
    return [f"{row['seconds']:.0f}", winner(cold["how"]), us,
            *(ratio_text(row, policy, case.bar()) for policy in POLICIES), bar_text(case), f"{cold['mhz']:.0f}",
            "" if int(case.m) <= 16 else f"{100 * share:.0f} %"]


def half_rows(rows):
    """Products in float16, A · B and A · Bᵀ beside each other."""
    sizes = {}
    for case in rows:
        if case.kind == "fp16":
            sizes.setdefault(case.size, {})[case.is_transposed] = case
    for cases in sizes.values():
        ratios = [ratio_text(rows[cases[side]], policy, cases[side].bar()) if side in cases else ""
                  for side in (False, True) for policy in POLICIES]
        first = next(iter(cases.values()))
        yield [first.size_text(), *ratios, " and ".join(dict.fromkeys(map(bar_text, cases.values())))]


def dependent_cells(case, row):
    """Nothing where the winner has no dependent launches."""
    if "DEPENDENT=yes" not in row.get("cold", {}).get("how", ""):
        return ["", ""]
    return [ratio_text(row, policy, BAR_OF_DEPENDENT.get(case.size)) for policy in ("cold", "warm")]


def triton_cells(case, row, triton):
    """Triton's time over tilewright's, by the ratios of both to cuBLAS, or by the times where it has no product."""
    texts = []
    for policy in "cold", "warm":
        ours, theirs = row[policy], triton.get((case.name, policy))
        if theirs is None:
            return ["", ""]
        beside_cublas = ours["ratios"].get("cuBLAS")
        value = beside_cublas * theirs["ratio"] if beside_cublas else theirs["triton_us"] / ours["us"]
        texts.append(f"{value:.1f}" + ("" if theirs["right"] else " (WRONG)"))
    return texts


def triton_in(folder):
    file = folder / "triton.jsonl"
    records = map(json.loads, file.read_text().splitlines() if file.exists() else [])
    return {(record["case"], record["policy"]): record for record in records if "policy" in record}


def print_counts(rows):
    barred = {case: row for case, row in rows.items() if case.bar() is not None}
    for what, policies in ("cold or warm", POLICIES[:2]), ("at its own clock", POLICIES[2:]):
        least = {case: min(row[policy]["low"] for policy in policies if policy in row) - case.bar()
                 for case, row in barred.items() if row.keys() & set(policies)}
        for kind in dict.fromkeys(case.kind for case in least):
            of_kind = [value for case, value in least.items() if case.kind == kind]
            print(f"{kind}: {sum(value < 0 for value in of_kind)} of {len(of_kind)} miss their bar {what}")
        missed = sorted((value, case.name) for case, value in least.items() if value < 0)
        print(", ".join(f"{name.removeprefix('tensor-')} {value:.4f}" for value, name in missed))


def print_comparison(rows, before):
    now = by_name(rows)
    differences = sorted((now[name][policy]["ratio"] / row[policy]["ratio"] - 1, name, policy)
                         for name, row in by_name(before).items() for policy in POLICIES
                         if policy in row and policy in now.get(name, {}))
    sizes = [abs(difference) for difference, _, _ in differences]
    print(f"\n{len(sizes)} ratios of the run before: the median difference is {statistics.median(sizes):.1%}")
    large = [one for one in differences if abs(one[0]) > 0.02]
    print(", ".join(f"{name.removeprefix('tensor-')} {policy} {value:+.1%}" for value, name, policy in large))


def print_tables(rows, dependent, triton):
    shown = [case for case in rows if case.kind != "fp16"]
    if shown:
        print_table(["product", "sweep, s", "winner", "µs cold", "ratio cold", "warm", "own clock", "bar", "MHz",
                     "of the rate"],
                    [[product, *main_row(case, rows[case])] for case, product in zip(shown, products(shown))],
                    "lrlrrrrrrr")
        print()
    halves = list(half_rows(rows))
    if halves:
        print_table(["float16", "A · B, cold", "warm", "own clock", "A · Bᵀ, cold", "warm", "own clock", "bar"],
                    halves, "lrrrrrrl")
        print()
    beside = {case: [*dependent_cells(case, dependent.get(case.name, {})), *triton_cells(case, row, triton)]
              for case, row in rows.items()}
    shown = [case for case, cells in beside.items() if any(cells)]
    if shown:
        print_table(["product", "dependent launches, cold", "warm", "Triton's time, cold", "warm"],
                    [[product, *beside[case]] for case, product in zip(shown, products(shown))], "lrrrr")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in "folder", "--dependent", "--before":
        parser.add_argument(name, type=pathlib.Path)
    given = parser.parse_args()
    for folder in filter(None, [given.folder, given.dependent, given.before]):
        if not folder.is_dir():
            raise SystemExit(f"tensor_peers.py: '{folder}' is not a folder; give an output folder of "
                             "bench/compare/tensor_peers.sh")
    rows = rows_in(given.folder)
    print_tables(rows, by_name(rows_in(given.dependent)) if given.dependent else {}, triton_in(given.folder))
    print_counts(rows)
    if given.before:
        print_comparison(rows, rows_in(given.before))


if __name__ == "__main__":
    main()
