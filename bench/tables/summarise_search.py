#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""The tables of docs/benchmarks/search.md's "Sweeps of an H200" from the JSON that bench/sweeps/search.sh left in a folder.

    summarise_search.py FOLDER
"""
import json
import pathlib
import statistics
import sys


def answers(folder):
    """Sweep name → its JSON; those that gave none are named, not skipped."""
    found = {}
    for file in sorted(folder.glob("*.json")):
        text = file.read_text()
        if not text:
            print(f"{file.name} is empty: {file.with_suffix('.txt').name} says why", file=sys.stderr)
            continue
        found[file.stem] = json.loads(text)
    return found


def best_us(answer):
    return answer["winners"][0]["timing"]["median_us"]


def row(name, answer, best):
    report, clock = answer["report"], answer["report"]["clock"]
    share = lambda part: f"{100 * clock[part] / clock['total_s']:.0f} %"
    us = best_us(answer)
    return [name, f"{us:.1f} µs", f"{best / us:.3f}", str(report["seen"]), report["end"],
            f"{clock['total_s']:.1f} s", f"{report['configurations_per_second']:.1f}",
            share("device_s"), share("all_compilers_s"), share("occupied_s"), clock["bottleneck"]]


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for cells in rows:
        print("| " + " | ".join(cells) + " |")
    print()


def main():
    found = answers(pathlib.Path(sys.argv[1]))
    head = ["sweep", "best", "of the best known", "tried", "end", "took", "a second", "device",
            "all compilers", "either", "bottleneck"]
    for width in sorted({name.split("-")[0] for name in found if name.startswith("k") and name[1].isdigit()},
                        key=lambda text: int(text[1:])):
        sweeps = {name: answer for name, answer in found.items() if name.split("-")[0] == width}
        best = min(best_us(answer) for answer in sweeps.values())
        print_table(head, [row(name, answer, best) for name, answer in sweeps.items()])
        seeds = [best / best_us(answer) for name, answer in sweeps.items() if "-seed" in name]
        if seeds:
            print(f"{width}: of the best known, median {statistics.median(seeds):.3f}, "
                  f"least {min(seeds):.3f} over {len(seeds)} seeds\n")
    others = {name: answer for name, answer in found.items() if name.startswith("kernel")}
    if others:
        best = min(best_us(answer) for answer in others.values())
        print_table(head, [row(name, answer, best) for name, answer in others.items()])


if __name__ == "__main__":
    main()
