#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Prints the tables of no-gpu.md from the raw output of bench/trust/no_gpu.sh:
summarise_no_gpu.py FOLDER"""
import collections
import pathlib
import re
import sys

SWEEP = re.compile(r"^\$ tilewright sweep (\S+) ?(.*?) ?--device host --budget \d+( --fresh(?: --priors none)?)?$")
COMPILES = re.compile(r"^(\d[\d ]*) compiles?, (\d[\d ]*) taken from the cache$")
TRIED = re.compile(r"^(\d+) configurations in (.+?): ")
TEST = re.compile(r"Test +#\d+: (\S+) .*?(Passed|Failed|Skipped|Not Run).*? ([\d.]+) sec")


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join(str(cell) for cell in row), "|")
    print()


def sweeps(folder):
    for name in ("gemm", "conv1d", "conv2d", "stencil5"):
        title = compiles = None
        for line in (folder / f"{name}.txt").read_text().splitlines():
            if match := SWEEP.match(line):
                title = match
            elif match := COMPILES.match(line):
                compiles = match
            elif (match := TRIED.match(line)) and title:
                problem = title[2] or "its default problem"
                yield name, problem, "--fresh" if title[3] else "first", compiles[1], compiles[2], match[1], match[2]
                title = None


# By suite: the part of a test's name before the dot, without "All/".
def suites(file):
    found = collections.OrderedDict()
    for name, result, seconds in TEST.findall(file.read_text()):
        suite = name.split(".")[0].removeprefix("All/")
        row = found.setdefault(suite, collections.Counter())
        row[result] += 1
        row["seconds"] += float(seconds)
    total = sum(found.values(), collections.Counter())
    for suite, row in [*found.items(), ("all", total)]:
        yield suite, row["Passed"], row["Failed"], row["Skipped"] + row["Not Run"], f"{row['seconds']:.1f}"


def main():
    folder = pathlib.Path(sys.argv[1])
    table(("operation", "problem", "sweep", "compiled", "from the cache", "tried", "took"), sweeps(folder))
    head = ("tests", "passed", "failed", "skipped", "seconds, one after another")
    table(head, suites(folder / "host-tests.txt"))
    table(head, suites(folder / "bad-input-tests.txt"))


main()
