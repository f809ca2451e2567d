#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Prints the tables of products on tensor cores from the raw output of bench/tensor_peers.sh, as Markdown:

    docs/benchmarks/tensor_peers.py FOLDER…

A ratio is the better library's time over tilewright's, the median of the pairs with its 95 % interval; above 1
tilewright is faster. The better library is the faster of cuBLAS and cublasLt without fast accumulation. Triton's
times are from another run, beside torch.matmul.
"""
import json
import pathlib
import sys

from peers import doubts_of, print_table, tuning_seconds

LIBRARIES = "cuBLAS", "cublasLt"
POLICIES = {"cold": "peers.json", "warm": "warm.json"}


def records_of(folder):
    """Policy → what tilewright-peers measured in the folder of a case."""
    files = {policy: folder / name for policy, name in POLICIES.items()}
    return {policy: json.loads(file.read_text()) for policy, file in files.items() if file.exists()}


def cases_in(folders):
    """Case → (its folder, its records), in the order of the folders' modification."""
    found = {}
    for folder in folders:
        inside = (one for one in folder.iterdir() if (one / "tuning.txt").exists())
        for one in sorted(inside, key=lambda one: (one / "tuning.txt").stat().st_mtime):
            found[one.name] = one, records_of(one)
    return found


def triton_in(folders):
    """(case, policy) → Triton's record; (case, None) → why there is none."""
    files = [folder / "triton.jsonl" for folder in folders]
    lines = [line for file in files if file.exists() for line in file.read_text().splitlines()]
    return {(one["case"], one.get("policy")): one for one in map(json.loads, lines)}


def measured(record, rivals=LIBRARIES):
    if record is None:
        return []
    return [one for one in record["matches"] if one["rival"] in rivals and "ratio" in one]


def better(record):
    """The match with the faster library; None if none was measured."""
    return min(measured(record), key=lambda match: match["ratio"], default=None)


def us_text(us):
    return f"{us:.2f}" if us < 100 else f"{us:.1f}" if us < 1000 else f"{us:.0f}"


def ratio_text(match):
    return f"{match['ratio']:.3f} ({match['ratio_low']:.3f}–{match['ratio_high']:.3f}){doubts_of(match)}"


def cells_of(record):
    """Under one policy: tilewright's time, rate and clock, the better library and its ratio, the ratio with fast
    accumulation."""
    match = better(record)
    if match is None:
        return ["–"] + [""] * 5
    ours = match["ours"]
    fast = [ratio_text(one) for one in measured(record, ["cublasLt fast"])]
    return [us_text(ours["median_us"]), f"{match['flops'] / ours['median_us'] / 1e6:.0f}",
            f"{ours['sm_mhz']:.0f}", match["rival"], ratio_text(match), "".join(fast)]


def triton_text(name, policy, triton):
    one = triton.get((name, policy))
    if one is None:
        return ""
    wrong = "" if one["right"] else ", WRONG"
    return f"{us_text(one['triton_us'])} ({one['ratio']:.2f} of torch{wrong})"


def configuration_of(records):
    for record in records.values():
        for match in measured(record):
            return match["ours"]["how"]
    reasons = {match["why_not"] for record in records.values() for match in record["matches"] if "why_not" in match}
    return "; ".join(sorted(reasons)) or "not measured: see its logs"


def print_cases(cases, triton):
    head = ["case"]
    for policy in POLICIES:
        head += [f"µs {policy}", "TFLOP/s", "MHz", "better library", "its time over ours", "with fast accumulation",
                 "Triton µs"]
    rows = []
    for name, (folder, records) in cases.items():
        row = [name.removeprefix("tensor-")]
        for policy in POLICIES:
            row += cells_of(records.get(policy)) + [triton_text(name, policy, triton)]
        seconds = tuning_seconds(folder).get(name)
        rows.append(row + ["" if seconds is None else f"{seconds:.0f} s", configuration_of(records)])
    print_table(head + ["tuned in", "configuration"], rows)


def print_libraries(cases):
    """What each library took and how, under both policies."""
    rows = []
    for name, (_, records) in cases.items():
        for policy, record in records.items():
            for match in record["matches"]:
                row = [name.removeprefix("tensor-"), policy, match["rival"]]
                if "ratio" in match:
                    theirs = match["theirs"]
                    rows.append(row + [us_text(theirs["median_us"]), ratio_text(match), theirs["how"],
                                       f"{match['ours']['worst_error']:.1e}", f"{theirs['worst_error']:.1e}"])
                else:
                    rows.append(row + ["–", "", match["why_not"], "", ""])
    print_table(["case", "operands", "rival", "µs", "its time over ours", "how", "tilewright's error", "its error"], rows)


def print_machine(cases):
    """One line for each machine and software."""
    lines = {f"{record['device']['name']}, driver {record['environment']['driver']}, CUDA "
             f"{record['environment']['runtime']}, {record['environment']['compiler']}."
             for _, records in cases.values() for record in records.values()}
    print("\n".join(sorted(lines)) + "\n")


def print_folders(folders):
    cases, triton = cases_in(folders), triton_in(folders)
    print_machine(cases)
    print_cases(cases, triton)
    print()
    print_libraries(cases)
    reasons = {name: one["why_not"] for (name, _), one in triton.items() if "why_not" in one}
    print("".join(f"\n- Triton: {why}: {name}" for name, why in reasons.items()))


def main(arguments):
    folders = [pathlib.Path(one) for one in arguments]
    for folder in folders:
        if not folder.is_dir():
            sys.exit(f"tensor_peers.py: '{folder}' is not a folder; give output folders of bench/tensor_peers.sh")
    if not folders:
        sys.exit("usage: tensor_peers.py FOLDER…")
    print_folders(folders)


if __name__ == "__main__":
    main(sys.argv[1:])
