#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Reads what bench/fleet/node.sh wrote and prints Markdown. With --pairs it prints the shell commands that measure, side by
side on one device, winners which differ between the run on one device and a run on several.

    bench/fleet/node.py FOLDER [--pairs]

The speed-up is the wall time on one device over that on N, both with all code in the cache. The change of times by busy
neighbours compares each configuration's screening median on one device with the one on N: the neighbours work, and so
do their workers on the CPU. On N devices a configuration may have run on another GPU of the same kind."""
import glob
import gzip
import json
import os
import re
import shlex
import sys
from statistics import median

OPERATIONS = ("gemm", "convolution")


def wall_s(folder, run, operation):
    moment = {}
    for end in ("begin", "end"):
        with open(f"{folder}/{run}-{operation}.{end}", encoding="ascii") as file:
            moment[end] = float(file.read())
    return moment["end"] - moment["begin"]


def problems(folder, run):
    found = []
    for operation in OPERATIONS:
        with open(f"{folder}/{run}-{operation}.json", encoding="utf-8") as file:
            found += [one | {"part": operation} for one in json.load(file)["problems"]]
    return found


def key(problem):
    return json.dumps([problem["operation"], problem["problem"]], sort_keys=True)


def time_us(row):
    return row["timing"]["median_us"]


def best(problem):
    return min(problem["winners"], key=time_us) if problem["winners"] else None


def screened(folder, run):
    """(sweep's problem, implementation, configuration) → median of its screening."""
    times = {}
    with gzip.open(f"{folder}/{run}.export.json.gz", "rt", encoding="utf-8") as file:
        for sweep in json.load(file)["sweeps"]:
            of = json.dumps(sweep["key"]["problem"], sort_keys=True)
            for trial in sweep["trials"]:
                if trial["stage"] == "screen" and trial.get("timing"):
                    name = json.dumps(trial["configuration"], sort_keys=True)
                    times[of, trial["implementation"], name] = trial["timing"]["median_us"]
    return times


def runs(folder, kind):
    names = [os.path.basename(name)[: -len(".export.json.gz")] for name in glob.glob(f"{folder}/{kind}-*.export.json.gz")]
    return sorted(names, key=lambda name: int(name.split("-")[1]))


def differing(folder):
    """(name, problem, winner on one device, winner on several)."""
    one = {key(problem): best(problem) for problem in problems(folder, "warm-1")}
    for run in runs(folder, "warm")[1:]:
        for i, problem in enumerate(problems(folder, run)):
            first, second = one.get(key(problem)), best(problem)
            if first and second and first["configuration"] != second["configuration"]:
                yield f"{run}-{i}", problem, first, second


def condition(configuration):
    words = [f"{name} == {value}" if isinstance(value, int) else f'{name} == "{value}"' for name, value in configuration.items()]
    return "(" + " && ".join(words) + ")"


def print_pairs(folder):
    for name, problem, first, second in differing(folder):
        if first["implementation"] != second["implementation"]:
            continue
        where = condition(first["configuration"]) + " || " + condition(second["configuration"])
        settings = [f"{dim}={value}" for dim, value in problem["problem"].items()]
        print("pair", *map(shlex.quote, [name, first["implementation"], where, *settings]))


def print_times(folder):
    print("| run | devices | wall time | speed-up | per device | trials | GPU used | compilers all used | from cache |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    alone = None
    for run in runs(folder, "cold") + runs(folder, "warm"):
        count = int(run.split("-")[1])
        seconds = sum(wall_s(folder, run, operation) for operation in OPERATIONS)
        if run == "warm-1":
            alone = seconds
        reports = [problem["report"] for problem in problems(folder, run)]
        total = sum(report["clock"]["total_s"] for report in reports) or 1
        device = sum(report["clock"]["device_s"] for report in reports)
        compilers = sum(report["clock"]["all_compilers_s"] for report in reports)
        cached = sum(report["compiles"]["from_cache"] for report in reports)
        done = sum(report["compiles"]["done"] for report in reports)
        speed_up = alone / seconds if alone and run.startswith("warm") else None
        print(f"| {run} | {count} | {seconds:.1f} s | " + (f"{speed_up:.2f} | {speed_up / count:.2f}" if speed_up else "– | –")
              + f" | {sum(report['seen'] for report in reports)} | {device / total:.0%} | {compilers / total:.0%}"
              + f" | {cached} of {cached + done} |")


def print_neighbours(folder):
    one = screened(folder, "warm-1")
    for run in runs(folder, "warm")[1:]:
        other = screened(folder, run)
        ratios = sorted(other[name] / one[name] for name in one.keys() & other.keys())
        if not ratios:
            continue
        at = lambda share: ratios[min(len(ratios) - 1, int(share * len(ratios)))]
        print(f"\nBusy neighbours, {run} against warm-1: {len(ratios)} equal configurations; time over the time alone: median "
              f"{median(ratios):.4f}, 5 % below {at(0.05):.4f}, 5 % above {at(0.95):.4f}.")


def print_winners(folder):
    all_problems = problems(folder, "warm-1")
    different = list(differing(folder))
    print(f"\nWinners: {len(all_problems)} problems; {len(different)} differ between one device and several.")
    if different:
        print("\n| problem | alone | with neighbours | side by side on one device |\n|---|---:|---:|---|")
    for name, problem, first, second in different:
        text = "not measured"
        if os.path.exists(f"{folder}/pair-{name}.json") and os.path.getsize(f"{folder}/pair-{name}.json"):
            with open(f"{folder}/pair-{name}.json", encoding="utf-8") as file:
                pair = json.load(file)
            text = side_by_side(pair, first, second)
        print(f"| {problem_text(problem)} | {time_us(first):.2f} µs | {time_us(second):.2f} µs | {text} |")


def side_by_side(pair, first, second):
    row = best(pair)
    if row is None:
        return "neither was measured"
    which = "alone" if row["configuration"] == first["configuration"] else "with neighbours" if row["configuration"] == second["configuration"] else "another"
    tie = " (tie)" if row.get("tie") else ""
    return f"the winner {which} is faster{tie}: {time_us(row):.2f} µs, the other {row['runner_up_median_us']:.2f} µs"


def problem_text(problem):
    shown = {name: value for name, value in problem["problem"].items() if re.fullmatch("M|N|K|width|filter_width|length|taps", name)}
    return problem["operation"] + " " + " ".join(f"{name}={value}" for name, value in shown.items())


def main():
    folder = sys.argv[1]
    if "--pairs" in sys.argv[2:]:
        return print_pairs(folder)
    with open(f"{folder}/machine.txt", encoding="utf-8") as file:
        print("```text\n" + file.read().rstrip() + "\n```\n")
    print_times(folder)
    print_neighbours(folder)
    print_winners(folder)


main()
