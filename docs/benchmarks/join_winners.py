#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Joins files of winners (tilewright export --format winners) into one of shipped_results/:

    docs/benchmarks/join_winners.py OUTPUT ABOUT FILE…

Of each problem and policy the fastest implementation stays; of a problem in several files the
first file's.
"""
import json
import pathlib
import sys


def problem_of(winner):
    return json.dumps([winner["implementation"].split("/")[0], winner["problem"]], sort_keys=True)


def fastest(winners):
    best = {}
    for winner in winners:
        known = best.setdefault(problem_of(winner), winner)
        if winner["timing"]["median_us"] < known["timing"]["median_us"]:
            best[problem_of(winner)] = winner
    return best


def joined(files):
    groups = {}
    for file in files:
        for group in json.loads(pathlib.Path(file).read_text())["groups"]:
            head = {key: group[key] for key in ("device", "environment", "policy")}
            known = groups.setdefault(json.dumps(head, sort_keys=True), (head, {}))[1]
            for problem, winner in fastest(group["winners"]).items():
                known.setdefault(problem, winner)
    return [{**head, "winners": [winners[problem] for problem in sorted(winners)]}
            for head, winners in groups.values()]


def lines_of(winner):
    keys = [f'          "{key}": {json.dumps(value, separators=(",", ":"))}' for key, value in winner.items()]
    return "        {\n" + ",\n".join(keys) + "\n        }"


def group_text(group):
    heads = [f'      "{key}": {json.dumps(group[key], separators=(",", ":"))},\n' for key in ("device", "environment", "policy")]
    winners = ",\n".join(lines_of(winner) for winner in group["winners"])
    return "    {\n" + "".join(heads) + '      "winners": [\n' + winners + "\n      ]\n    }"


def main():
    output, about, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    groups = ",\n".join(group_text(group) for group in joined(files))
    head = f'{{\n  "format": "tilewright-winners",\n  "version": 1,\n  "about": {json.dumps(about)},\n  "groups": [\n'
    pathlib.Path(output).write_text(head + groups + "\n  ]\n}\n")


main()
