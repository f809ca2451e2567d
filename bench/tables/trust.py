#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""How stable are winners? Reads what bench/trust/stability.sh wrote and prints a Markdown table.

    bench/tables/trust.py FOLDER/*.json.gz

Every sweep gives each configuration one time: the median of its screening, in which all were
measured on the same buffers. The final, which names the winner, is held on others, whose place in
memory alone can move a short kernel by some percent, so its times are not mixed with these. A
configuration's pooled median is the median of its times over the sweeps, its interval the sign
test's at 95 % (the whole range below six sweeps). The regret of a winner is its
pooled median over the least pooled median, less one; it lies inside the interval if the winner's
and the best one's intervals meet. A naive timing of all configurations has the least time as its
winner, which is judged by the same pooled medians of the sweeps.
"""
import gzip
import json
import sys
from statistics import median

LARGE = 0.01  # a regret that must be explained


def values_below_interval(count):
    """How many of the smallest of `count` values lie outside the 95 % interval of their median."""
    probability = 0.5**count
    total = 0.0
    for k in range(count):
        total += probability
        if total > 0.025:
            return max(k - 1, 0)
        probability *= (count - k) / (k + 1)
    return 0


def interval(values):
    ordered = sorted(values)
    outside = values_below_interval(len(ordered))
    return ordered[outside], ordered[len(ordered) - 1 - outside]


def key_of(item):
    return item["implementation"] + " " + json.dumps(item["configuration"], sort_keys=True)


def times_of_sweep(sweep):
    """Configuration → median of its screening in microseconds."""
    return {
        key_of(trial): trial["timing"]["median_us"]
        for trial in sweep["trials"]
        if trial["stage"] == "screen" and trial["outcome"] == "measured"
    }


def pool(sweeps):
    """Configuration → (pooled median, interval) of those that every sweep measured."""
    times = [times_of_sweep(sweep) for sweep in sweeps]
    common = set.intersection(*(set(of_sweep) for of_sweep in times)) if times else set()
    pooled = {}
    for key in common:
        values = [of_sweep[key] for of_sweep in times]
        pooled[key] = (median(values), interval(values))
    return pooled


def judge(winners, pooled):
    """What the winners' regrets amount to. A winner that not every sweep measured is left out."""
    best = min(pooled, key=lambda key: pooled[key][0])
    best_us, (_, best_high) = pooled[best]
    regrets = []
    unexplained = 0
    for key in winners:
        if key not in pooled:
            continue
        winner_us, (winner_low, _) = pooled[key]
        regret = winner_us / best_us - 1
        regrets.append(regret)
        if regret > LARGE and winner_low > best_high:
            unexplained += 1
    return {
        "runs": len(winners),
        "different": len(set(winners)),
        "changes": sum(a != b for a, b in zip(winners, winners[1:])),
        "judged": len(regrets),
        "median_regret": median(regrets) if regrets else None,
        "largest_regret": max(regrets) if regrets else None,
        "above": sum(regret > LARGE for regret in regrets),
        "unexplained": unexplained,
    }


def naive_winners(naive):
    entries = [item for item in naive["configurations"] if "why_not" not in item]
    return [
        key_of(min(entries, key=lambda item: item["times_us"][run]))
        for run in range(naive["repeats"])
        if entries
    ]


def aliases_of(sweeps):
    """Configuration → the one that stands for it, where their code is equal in some sweep.

    A sweep measures one of several with equal code, by which compiled first."""
    names = {}

    def first(key):
        while names.get(key, key) != key:
            key = names[key]
        return key

    for sweep in sweeps:
        by_code = {}
        for trial in sweep["trials"]:
            if trial["stage"] == "screen" and trial["outcome"] == "duplicate":
                twin = trial["message"].removeprefix("same code and launch as ")
                by_code.setdefault((trial["implementation"], twin), []).append(key_of(trial))
        for trial in sweep["trials"]:
            if trial["outcome"] != "measured":
                continue
            text = " ".join(f"{k}={v}" for k, v in sorted(trial["configuration"].items()))
            for twin in by_code.get((trial["implementation"], text), []):
                one, other = sorted((first(key_of(trial)), first(twin)))
                names[other] = one
    return first


def rename(sweeps, naive, first):
    """All under the names that aliases_of gives, so that equal code is one configuration."""

    def renamed(item):
        implementation, configuration = first(key_of(item)).split(" ", 1)
        return item | {
            "implementation": implementation,
            "configuration": json.loads(configuration),
        }

    for sweep in sweeps:
        sweep["trials"] = [
            renamed(trial) for trial in sweep["trials"] if trial["outcome"] == "measured"
        ]
    naive["configurations"] = [renamed(item) for item in naive["configurations"]]


def analyse(document):
    """Per implementation: what sweeps and naive timings found, and how often sweeps said tie."""
    sweeps = document["export"]["sweeps"]
    naive = document["naive"]
    first = aliases_of(sweeps)
    rename(sweeps, naive, first)
    rows = []
    for implementation in sorted({w["implementation"] for s in document["sweeps"] for w in s["winners"]}):
        own = [
            {"trials": [t for t in sweep["trials"] if t["implementation"] == implementation]}
            for sweep in sweeps
        ]
        pooled = pool(own)
        if not pooled:
            continue
        found = [w for s in document["sweeps"] for w in s["winners"] if w["implementation"] == implementation]
        ours = judge([first(key_of(winner)) for winner in found], pooled)
        ours["ties"] = sum(winner["tie"] for winner in found)
        entries = [c for c in naive["configurations"] if c["implementation"] == implementation]
        theirs = judge(naive_winners(naive | {"configurations": entries}), pooled)
        rows.append((document["name"], implementation, "sweep", len(pooled), ours))
        rows.append((document["name"], implementation, "naive", len(pooled), theirs))
    return rows


def percent(value):
    return "" if value is None else f"{100 * value:.2f} %"


def table(rows):
    lines = [
        "| problem | implementation | method | configurations | runs | different winners | changes | "
        "called a tie | median regret | largest regret | above 1 % | of them outside the interval |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, implementation, method, configurations, result in rows:
        cells = [name, implementation, method, configurations, result["runs"], result["different"],
                 result["changes"], result.get("ties", ""), percent(result["median_regret"]),
                 percent(result["largest_regret"]), result["above"], result["unexplained"]]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def main(paths):
    if not paths:
        sys.exit(__doc__)
    print(table([row for path in paths for row in analyse(read(path))]))


if __name__ == "__main__":
    main(sys.argv[1:])
