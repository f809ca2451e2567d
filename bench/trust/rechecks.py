#!/usr/bin/env python3
"""Whether fresh results hold when they are measured again: twenty sweeps, then ten rechecks of all.

    bench/trust/rechecks.py FOLDER [--tilewright build/release/bin/tilewright] [--device cuda:0] [--times 10] [--budget 40]

Keeps the database, the compile cache and what each recheck printed (recheck-1.json and so on) in FOLDER, and goes on
there if it is called again. Prints one line for each result of each recheck, then the verdicts and the ratios of the
times to the stored ones. The exit status is 1 unless every result holds. Twenty sweeps and ten rechecks take about
fifteen minutes on a GPU; --seconds ends it between two commands.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import time

PRODUCTS = [
    f"gemm/{name} M=N=K={size}{types}"
    for types, kernels in [("", ["tiled", "blocked"]), (" type_a=bfloat16", ["mma", "wgmma"])]
    for name in kernels
    for size in [512, 1024, 4096]
]
FILTERS = [
    "conv1d/register length=16777216 taps=9",
    "conv1d/register length=65536 taps=9",
    "conv2d/halo width=4096 height=4096 filter_width=3",
    "conv2d/halo width=4096 height=4096 filter_width=7",
    "conv2d/halo width=1024 height=1024 filter_width=5",
    "conv2d_separable/march width=4096 height=4096 filter_width=9",
    "conv2d_separable/fused width=4096 height=4096 filter_width=17",
    "stencil3d/march width=256 height=256 depth=256",
]


def sweep(given, words):
    command = [given.tilewright, "sweep", *words.split(), "--budget", str(given.budget), *common(given), "--quiet"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    print(f"sweep {words}: {ended.stdout.strip() or f'status {ended.returncode}'}", flush=True)


def recheck(given, file):
    command = [given.tilewright, "recheck", *common(given), "--json"]
    printed = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    if not printed:
        sys.exit("recheck printed nothing")
    results = json.loads(printed)["rechecked"]
    file.write_text(printed, encoding="utf-8")
    return results


def common(given):
    return ["--device", given.device, "--db", str(given.folder / "results.db"), "--cache", str(given.folder / "cache")]


def time_text(time_json):
    return f"{time_json['median_us']:.2f} µs at {time_json['sm_mhz']:.0f} MHz" if time_json else "no time"


def problem_text(problem):
    keys = ["M", "type_a", "length", "width", "filter_width", "type"]
    return " ".join(f"{key}={problem[key]}" for key in keys if key in problem)


def report(number, results):
    for one in results:
        stored, now = one.get("stored"), one.get("now")
        ratio = f"{now['median_us'] / stored['median_us']:.3f}" if stored and now else "-"
        name = f"{one['implementation']} {problem_text(one['problem'])}"
        times = f"stored {time_text(stored)}, now {time_text(now)}"
        remark = f"; {one['message']}" if one["message"] else ""
        print(f"recheck {number} {one['verdict']:6} {ratio} {name}: {times}{remark}", flush=True)


def summary(all_results):
    verdicts = collections.Counter(one["verdict"] for one in all_results)
    noted = sum(one["verdict"] == "holds" and bool(one["message"]) for one in all_results)
    ratios = sorted(one["now"]["median_us"] / one["stored"]["median_us"] for one in all_results if "now" in one)
    text = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    print(f"verdicts: {text} ({noted} hold with a remark)")
    if ratios:
        at = lambda share: ratios[min(len(ratios) - 1, int(share * len(ratios)))]
        print(f"time now over the stored one: median {at(0.5):.3f}, 5 % below {at(0.05):.3f}, 5 % above {at(0.95):.3f}")
    return set(verdicts) == {"holds"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tilewright", default="build/release/bin/tilewright")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--budget", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--problems", nargs="*", default=PRODUCTS + FILTERS, help="each the words of a sweep")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    is_late = lambda: time.monotonic() - start > given.seconds
    for words in given.problems:
        if is_late():
            sys.exit("not finished; the same command goes on")
        sweep(given, words)
    everything = []
    for number in range(1, given.times + 1):
        file = given.folder / f"recheck-{number}.json"
        if not file.exists() and is_late():
            sys.exit("not finished; the same command goes on")
        results = json.loads(file.read_text(encoding="utf-8"))["rechecked"] if file.exists() else recheck(given, file)
        report(number, results)
        everything += results
    sys.exit(0 if summary(everything) else 1)


if __name__ == "__main__":
    main()
