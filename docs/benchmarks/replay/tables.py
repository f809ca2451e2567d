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


def mean_of(scores, i):
    return statistics.mean(score[i] for score in scores)


def left_out(by_record, settings):
    """For each record the setting that is best on all others."""
    chosen = []
    for left in range(len(by_record)):
        rest = [scores for i, scores in enumerate(by_record) if i != left]
        chosen.append(max(settings, key=lambda i: mean_of(rest, i)))
    return chosen


def leave_one_out(data):
    names = [strategy["strategy"].removeprefix("model:") for strategy in data["records"][0]["strategies"]]
    names[0] = "default"
    by_record = [[score(strategy) for strategy in record["strategies"]] for record in data["records"]]
    real = [i for i, record in enumerate(data["records"]) if not record["record"].startswith("made_")]
    made = [scores for i, scores in enumerate(by_record) if i not in real]
    titles = [data["records"][i]["record"].split(".")[0] for i in real]
    print("| setting | " + " | ".join(titles) + f" | mean of {len(made)} made up | mean |")
    print("|---|" + "---|" * (len(real) + 2))
    for i, name in enumerate(names):
        cells = [by_record[r][i] for r in real] + [mean_of(made, i), mean_of(by_record, i)]
        print(f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")
    print()
    print("| setting of | chosen on the others (times) | mean score where left out | the default's |")
    print("|---|---|---|---|")
    groups = {}
    for i, name in enumerate(names[1:], 1):
        if ":" not in name:
            groups.setdefault(name.split("=")[0], [0]).append(i)
    groups["all"] = range(len(names))
    for group, settings in groups.items():
        chosen = left_out(by_record, settings)
        times = ", ".join(f"{names[i]} ({chosen.count(i)})" for i in sorted(set(chosen), key=chosen.count, reverse=True))
        own = statistics.mean(scores[i] for scores, i in zip(by_record, chosen, strict=True))
        print(f"| {group} | {times} | {own:.3f} | {mean_of(by_record, 0):.3f} |")
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
