#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""The tables of docs/search.md, from what `tilewright replay --json` printed.

usage: tables.py FOLDER; reads strategies.json, batch32.json, made_up.json and settings.json
(or set_*.json, one for each setting, the default first) there."""
import json
import pathlib
import statistics
import sys

MARKS = (20, 50, 100, 200, 500, 1000)


def load(folder, name):
    file = pathlib.Path(folder) / name
    return json.loads(file.read_text()) if file.exists() else None


def load_settings(folder):
    """All settings as if one run had judged them."""
    parts = [json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob("set_*.json"))]
    if not parts:
        return load(folder, "settings.json")
    for part in parts[1:]:
        for record, more in zip(parts[0]["records"], part["records"], strict=True):
            record["strategies"] += more["strategies"]
    return parts[0]


def marks(strategy):
    return {mark["trials"]: mark for mark in strategy["marks"]}


def strategies(data, title):
    print(f"| {title} | " + " | ".join(str(mark) for mark in MARKS if mark <= data["budget"]) + " |")
    print("|---|" + "---|" * sum(mark <= data["budget"] for mark in MARKS))
    for record in data["records"]:
        name = record["record"].split(".")[0]
        for strategy in record["strategies"]:
            cells = [f"{m['median']:.3f} ({m['percentile_10']:.3f})" for m in strategy["marks"]]
            print(f"| {name}, {strategy['strategy']} | " + " | ".join(cells) + " |")
        cells = [f"{m['median_low']:.3f}–{m['median_high']:.3f}" for m in record["random"]["marks"]]
        print(f"| {name}, at random: 95 % of medians | " + " | ".join(cells) + " |")
    print()


def score(strategy):
    """Median and 10th percentile at 50, 100 and 200 trials, all alike."""
    at = marks(strategy)
    return statistics.mean(at[t][key] for t in (50, 100, 200) for key in ("median", "percentile_10"))


def leave_one_out(data):
    names = [strategy["strategy"] for strategy in data["records"][0]["strategies"]]
    by_record = [[score(strategy) for strategy in record["strategies"]] for record in data["records"]]
    print("| settings | " + " | ".join(r["record"].split(".")[0] for r in data["records"]) + " | mean |")
    print("|---|" + "---|" * (len(by_record) + 1))
    for i, name in enumerate(names):
        own = [scores[i] for scores in by_record]
        print(f"| {name} | " + " | ".join(f"{s:.3f}" for s in own) + f" | {statistics.mean(own):.3f} |")
    print()
    print("| left out | chosen on the others | its score there | the default's |")
    print("|---|---|---|---|")
    for left, record in enumerate(data["records"]):
        rest = [scores for i, scores in enumerate(by_record) if i != left]
        chosen = max(range(len(names)), key=lambda i: statistics.mean(s[i] for s in rest))
        print(f"| {record['record'].split('.')[0]} | {names[chosen]} | {by_record[left][chosen]:.3f} "
              f"| {by_record[left][0]:.3f} |")
    print()


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for name, title in (("strategies.json", "one at a time"), ("batch32.json", "32 on their way"), ("made_up.json", "made up")):
        data = load(folder, name)
        if data:
            strategies(data, title)
    data = load_settings(folder)
    if data:
        leave_one_out(data)


main()
