#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Prints the tables of convolution.md from the raw output of bench/compare/peers.sh:

    bench/tables/peers.py FOLDER [PREFIX…]

Cases that nobody tuned are left out. PREFIX: only cases whose name begins so ("conv", "gemm"). A rival's column is its time over
tilewright's, the median of the pairs with its 95 % interval; above 1 tilewright is faster.
"""
import json
import pathlib
import re
import sys

TUNED = re.compile(r"^([\d.]+) s\t(\d+)\t(\S+)\t")


def tuning_seconds(folder):
    """Name of a sweep → its wall time, of those that ended well."""
    file = folder / "tuning.txt"
    lines = file.read_text().splitlines() if file.exists() else []
    found = [TUNED.match(line) for line in lines]
    return {match[3]: float(match[1]) for match in found if match and match[2] == "0"}


def by_case(matches, prefixes):
    cases = {}
    for match in matches:
        if not prefixes or match["case"].startswith(tuple(prefixes)):
            cases.setdefault(match["case"], []).append(match)
    return {name: own_matches for name, own_matches in cases.items() if is_tuned(own_matches)}


def is_tuned(matches):
    return not all(match.get("why_not", "").startswith("not tuned") for match in matches)


def own(matches):
    """The match that shows tilewright's side on the case itself; None where none was measured."""
    measured = [match for match in matches if "ratio" in match]
    plain = [match for match in measured if "note" not in match]
    return (plain or measured or [None])[0]


def rivals_of(cases):
    names = []
    for matches in cases.values():
        for match in matches:
            if match["rival"] not in names:
                names.append(match["rival"])
    return names


def doubts_of(match):
    """Why a ratio is not what it seems: the rival's answers, or another process on the GPU."""
    return (" (inexact)" if match["theirs"]["wrong"] else "") + (" (not alone)" if "others" in match else "")


def ratio_cell(match):
    if match is None:
        return ""
    if "why_not" in match:
        return "–"
    return f"{match['ratio']:.2f} ({match['ratio_low']:.2f}–{match['ratio_high']:.2f}){doubts_of(match)}"


def row(name, matches, rivals, seconds):
    mine = own(matches)
    found = {match["rival"]: match for match in matches}
    ratios = [ratio_cell(found.get(rival)) for rival in rivals]
    tuned = f"{seconds[name]:.0f} s" if name in seconds else ""
    if mine is None:
        return [name, "", "–", "", "", ""] + ratios + [tuned, matches[0]["why_not"]]
    us = mine["ours"]["median_us"]
    return (
        [name, f"{mine['floor_us']:.1f}", f"{us:.1f}", f"{100 * mine['floor_us'] / us:.0f} %",
         f"{mine['flops'] / us / 1e6:.1f}", f"{mine['ours']['sm_mhz']:.0f}"]
        + ratios
        + [tuned, mine["ours"]["how"]]
    )


def print_table(head, rows, alignments=""):
    """`alignments`: a letter for each column, r for those that are aligned right; by default none is."""
    print("| " + " | ".join(head) + " |")
    print("|" + "".join("--:|" if letter == "r" else "---|" for letter in alignments.ljust(len(head))))
    for cells in rows:
        print("| " + " | ".join(cells) + " |")


def reasons(cases):
    """Why a rival has no figure → the cases without one."""
    found = {}
    for name, matches in cases.items():
        for match in matches:
            if "why_not" in match:
                found.setdefault((match["rival"], match["why_not"]), []).append(name)
    return found


def errors(cases, rivals):
    for name, matches in cases.items():
        found = {match["rival"]: match for match in matches if "ratio" in match}
        if not found:
            continue
        mine = own(matches)["ours"]
        theirs = [f"{found[rival]['theirs']['worst_error']:.1e}" if rival in found else ""
                  for rival in rivals]
        yield [name, f"{mine['worst_error']:.1e}"] + theirs


def print_folder(folder, prefixes):
    record = json.loads((folder / "peers.json").read_text())
    cases = by_case(record["matches"], prefixes)
    rivals = rivals_of(cases)
    software = record["environment"]
    print(f"{record['device']['name']}, driver {software['driver']}, CUDA {software['runtime']}, "
          f"{software['compiler']}, operands {record['policy']}; multiply-adds "
          f"{record['multiply_add_tflops']:.1f} TFLOP/s.\n")
    seconds = tuning_seconds(folder)
    print_table(["case", "floor µs", "tilewright µs", "floor over it", "TFLOP/s", "MHz", *rivals, "tuned in",
                 "configuration"],
                [row(name, matches, rivals, seconds) for name, matches in cases.items()])
    print("\nLargest error against float64:\n")
    print_table(["case", "tilewright", *rivals], errors(cases, rivals))
    print()
    for (rival, why), names in reasons(cases).items():
        print(f"- {rival}: {why}: {', '.join(names)}")


if __name__ == "__main__":
    print_folder(pathlib.Path(sys.argv[1]), sys.argv[2:])
