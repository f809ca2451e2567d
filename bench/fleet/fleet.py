#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a job costs on many nodes (docs/benchmarks/many-gpus.md).

usage: bench/fleet/fleet.py simulate                10 000 problems on 1 to 500 nodes, with recorded times
       bench/fleet/fleet.py merge PROGRAM [STORES]  merges 500 databases of 1000 trials each, and measures that"""
import gzip
import heapq
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
GRID = SOURCE / "docs/benchmarks/raw/h200-grid.tar.xz"
BUDGET = 500  # configurations of a problem, by default


def recorded():
    """(expected work, seconds) of each sweep of h200-grid: its seconds for a configuration, BUDGET times.

    The work is what a plan orders by: floating-point operations, and 20 for each byte."""
    sweeps = []
    for name in ("products", "products-again", "images"):
        with tarfile.open(GRID) as records:
            text = records.extractfile(f"h200-grid/{name}.txt").read().decode()
        for part in re.split(r"^(?=\[\d+/\d+\] )", text, flags=re.M)[1:]:
            tried, seconds = re.findall(r"(\d+)/\d+ done in ([\d.]+) s", part)[-1]
            sizes = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", part.splitlines()[0])}
            sweeps.append((work_of(sizes), float(seconds) / int(tried) * BUDGET))
    return sweeps


def work_of(sizes):
    if "K" in sizes:
        m, n, k = sizes["M"], sizes["N"], sizes["K"]
        return 2 * m * n * k + 20 * 4 * (m * k + k * n + 2 * m * n)
    outputs = sizes["width"] * sizes["height"]
    return 2 * outputs * sizes["filter_width"] ** 2 + 20 * 8 * outputs


def run(units, nodes, claim_s):
    """(end, sum of work) of the units, taken in this order by whichever node is free."""
    free = [0.0] * nodes
    for seconds in units:
        heapq.heapreplace(free, free[0] + claim_s + seconds)
    return max(free), sum(units)


def simulate():
    pool = recorded()
    seconds = sorted(one for _, one in pool)
    print(f"{len(pool)} recorded sweeps: {seconds[0]:.1f} to {seconds[-1]:.1f} s for {BUDGET} configurations, "
          f"median {seconds[len(seconds) // 2]:.1f} s")
    # How long a problem takes beside what its size says is chance: within a factor of two, evenly in logarithms.
    chance = random.Random(1)
    drawn = [chance.choice(pool) for _ in range(10_000)]
    problems = [(work, took * 2 ** chance.uniform(-1, 1)) for work, took in drawn]
    orders = {"the plan's order, most work first": sorted(problems, reverse=True),
              "in any order": problems,
              "longest first, if that were known": sorted(problems, key=lambda one: -one[1])}
    for claim_s in (0.05, 1.0):
        print(f"\n{claim_s} s to take and to store a problem")
        print(f"{'nodes':>6} {'order':36} {'hours':>8} {'idle':>7}")
        for nodes in (1, 10, 100, 500):
            for name, order in orders.items():
                end, work = run([took for _, took in order], nodes, claim_s)
                print(f"{nodes:6} {name:36} {end / 3600:8.3f} {100 * (1 - work / (nodes * end)):6.2f}%")


def merge(program, stores=500, trials=1000):
    export = json.loads(gzip.decompress((SOURCE / "bench/records/c5.json.gz").read_bytes()))
    sweep = next(one for one in export["sweeps"] if len(one["trials"]) >= trials)
    final = [one for one in sweep["trials"] if one["stage"] == "final"]
    sweep["trials"] = [one for one in sweep["trials"] if one["stage"] != "final"][:trials - len(final)] + final
    with tempfile.TemporaryDirectory(prefix="tilewright-merge-") as folder:
        files = []
        for i in range(stores):
            sweep["uuid"] = f"{i:032x}"
            sweep["key"]["problem"]["values"]["batch"] = 1 + i
            text = pathlib.Path(folder) / "export.json"
            text.write_text(json.dumps(export))
            files.append(f"{folder}/{i}.db")
            subprocess.run([program, "merge", text, "--into", files[-1]], check=True, stdout=subprocess.DEVNULL)
        size = sum(pathlib.Path(file).stat().st_size for file in files)
        print(f"{stores} databases of {trials} trials each, {size / 1e6:.0f} MB", flush=True)
        for what in ("merged", "merged again"):
            start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([program, "merge", *files, "--into", f"{folder}/all.db"], check=True, text=True,
                                  capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            program_s, system_s = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
            print(f"{what} in {time.monotonic() - start:.1f} s ({program_s:.1f} s of a core in the program, {system_s:.1f} s "
                  f"in the system, {after.ru_maxrss / 1024:.0f} MB): {done.stdout.strip()}", flush=True)
        print(f"{pathlib.Path(folder, 'all.db').stat().st_size / 1e6:.0f} MB")


if sys.argv[1:] == ["simulate"]:
    simulate()
elif len(sys.argv) in (3, 4) and sys.argv[1] == "merge":
    merge(sys.argv[2], *map(int, sys.argv[3:]))
else:
    sys.exit(__doc__)
