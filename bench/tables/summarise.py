#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Prints the table of first-sweeps.md from the raw output of bench/sweeps/sweeps.sh:
summarise.py FOLDER"""
import pathlib
import re
import sys

WINNER = re.compile(r"^(\w+/\w+)\s+([\d.]+ [mµ]s)\s+([\d.]+ \w+/s)\s+(\S+ ?%?)\s+(\S+ ?%?)\s+(\w+=.*)$")
RATE = re.compile(r"^(\d+) configurations in (.+): ([\d.]+) a second; the device waited for compilers (\d+ %)")
TITLE = re.compile(r"^(\w+) (.*) on NVIDIA .*, (warm|cold)/graph: ([\d ]+) legal")


def rows(file):
    title = rate = None
    winners = []
    for line in file.read_text().splitlines():
        if match := TITLE.match(line):
            title = match
        elif match := WINNER.match(line):
            winners.append(match)
        elif match := RATE.match(line):
            rate = match
    for winner in winners:
        name, time, speed, default, runner_up, configuration = (part.strip() for part in winner.groups())
        yield (title[2], title[3], name, time, speed, default, runner_up, configuration,
               rate[1], rate[3], rate[4])


def main():
    head = ("problem", "operands", "implementation", "best", "rate", "default longer by",
            "runner-up longer by", "configuration", "tried", "per second", "waiting for compilers")
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.txt")):
        for row in rows(file):
            print("|", " | ".join(row), "|")


main()
