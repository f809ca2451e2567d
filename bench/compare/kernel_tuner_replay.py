#!/usr/bin/env python3
"""What strategies of Kernel Tuner find in recorded spaces, by its simulation mode, without a GPU.

    bench/compare/kernel_tuner_replay.py RECORD… [--strategy NAME[,NAME…]] [--seeds N] [--times F] [--json FILE]

with kernel_tuner and scikit-learn installed. A record is a cache of Kernel Tuner or an export with one sweep,
gzip. Counted as in `tilewright replay`: 200 different configurations, failed ones included, duplicates of a
kernel left out; a figure is the optimum over the best found, the median (10th percentile) over seeds. All
options of strategies keep their defaults. Times are in ms, as Kernel Tuner's, or multiplied by F: some strategies
compare differences of times with a fixed temperature. A string becomes the number of its place among the sorted ones.
A run ends early if the strategy ends it, or after 5000 requests in a row without a new configuration.
"""

import argparse
import collections
import contextlib
import gzip
import importlib.metadata
import io
import json
import os
import pathlib
import random
import statistics
import tempfile
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import kernel_tuner.interface
import numpy
from kernel_tuner.searchspace import Searchspace
from kernel_tuner.util import StopCriterionReached, TuningBudget

MARKS = 20, 50, 100, 200
STRATEGIES = (
    "adaptive_tabu_greywolf,hybrid_vndx,genetic_algorithm,simulated_annealing,bayes_opt,diff_evo,greedy_ils,pso"
)
MOST_REPEATS = 5000


class Budget(TuningBudget):
    repeats = 0

    def add_evaluations(self, n=1):
        self.repeats = 0
        super().add_evaluations(n)

    def raise_exception_if_done(self):
        super().raise_exception_if_done()
        self.repeats += 1
        if self.repeats > MOST_REPEATS:
            raise StopCriterionReached(f"no new configuration in {MOST_REPEATS} requests")


def trials(document):
    """Pairs of a configuration's parameters and its time in ms, which is None if it failed."""
    if "sweeps" not in document:
        for entry in document["cache"].values():
            failed = "__error__" in entry or not isinstance(entry["time"], (int, float))
            yield {key: entry[key] for key in document["tune_params_keys"]}, None if failed else entry["time"]
        return
    for trial in document["sweeps"][0]["trials"]:
        if trial["stage"] != "screen" or trial["outcome"] in ("pruned", "duplicate"):
            continue
        milliseconds = trial["timing"]["median_us"] / 1000 if "timing" in trial else None
        yield {"implementation": trial["implementation"], **trial["configuration"]}, milliseconds


def cache_of(record, factor):
    """A record as a cache in which all values are numbers and every configuration has all parameters."""
    found = list(trials(json.loads(gzip.decompress(pathlib.Path(record).read_bytes()))))
    values = {}
    for key in dict.fromkeys(key for parameters, _ in found for key in parameters):
        values[key] = sorted({parameters[key] for parameters, _ in found if key in parameters})
    cache = {}
    for parameters, milliseconds in found:
        one = {}
        for key, known in values.items():
            value = parameters.get(key, known[0])  # of another implementation
            one[key] = known.index(value) if isinstance(value, str) else value
        time_or_failure = factor * milliseconds if milliseconds else "RuntimeFailedConfig"
        cache[",".join(map(str, one.values()))] = {**one, "time": time_or_failure}
    assert len(cache) == len(found), f"{record} has a configuration twice"
    numbers = {key: list(range(len(v))) if isinstance(v[0], str) else v for key, v in values.items()}
    return {"device_name": "recorded", "kernel_name": "recorded", "problem_size": 1,
            "tune_params_keys": list(numbers), "tune_params": numbers, "objective": "time", "cache": cache}


class Recorded:
    """A record to tune on."""

    def __init__(self, record, factor, folder):
        self.name = pathlib.Path(record).name.removesuffix(".json.gz")
        self.cache = cache_of(record, factor)
        self.file = pathlib.Path(folder) / f"{self.name}.json"
        self.file.write_text(json.dumps(self.cache, indent=0))
        times = [entry["time"] for entry in self.cache["cache"].values()]
        self.optimum = min(one for one in times if not isinstance(one, str))

    def run(self, strategy, seed):
        """The fractions of the optimum after MARKS, and how many configurations were tried."""
        space = Searchspace(None, None, None, from_cache=self.cache)  # takes no combination that is not recorded
        space._modified_restrictions = lambda parameters: space.is_param_config_valid(tuple(parameters.values()))
        kernel_tuner.interface.Searchspace = lambda *_, **__: space
        random.seed(seed)
        numpy.random.seed(seed)
        results, _ = kernel_tuner.tune_kernel(
            "recorded", "", 1, [], self.cache["tune_params"], lang="C", cache=str(self.file), simulation_mode=True,
            strategy=strategy, strategy_options={"max_fevals": MARKS[-1]}, quiet=True)
        best = {}  # by configuration, in the order of trials
        fraction = 0
        for result in results:
            key = tuple(result[name] for name in self.cache["tune_params"])
            if key not in best:
                fraction = max(fraction, 0 if "__error__" in result else self.optimum / result["time"])
                best[key] = fraction
        reached = list(best.values())[: MARKS[-1]]
        return [reached[min(mark, len(reached)) - 1] for mark in MARKS], len(reached)


def runs_of(record, strategy, seeds):
    entry = {"record": record.name, "configurations": len(record.cache["cache"]), "strategy": strategy}
    start, found = time.process_time(), []
    try:
        for seed in range(1, seeds + 1):
            with contextlib.redirect_stdout(io.StringIO()):
                found.append(record.run(strategy, seed))
    except Exception as error:  # of a strategy: said in the table
        entry["error"] = f"{type(error).__name__}: {error}"
    columns = list(zip(*(reached for reached, _ in found)))
    return entry | {
        "seconds": round(time.process_time() - start, 1), "fewest_trials": min((n for _, n in found), default=0),
        "median": [statistics.median(column) for column in columns],
        "percentile_10": [float(numpy.quantile(column, 0.1)) for column in columns],
        "runs": [[round(one, 5) for one in reached] for reached, _ in found]}


def line(name, medians, unlucky):
    print(f"| {name} | " + " | ".join(f"{m:.3f} ({u:.3f})" for m, u in zip(medians, unlucky)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+")
    parser.add_argument("--strategy", default=STRATEGIES)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--times", type=float, default=1)
    parser.add_argument("--json")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    kernel_tuner.util.TuningBudget = Budget
    packages = "kernel_tuner", "numpy", "scipy", "scikit-learn"
    output = {"versions": {name: importlib.metadata.version(name) for name in packages},
              "seeds": given.seeds, "times": given.times, "marks": MARKS, "found": []}
    by_strategy = collections.defaultdict(list)
    print("| record, strategy | " + " | ".join(map(str, MARKS)) + " |\n|---|" + "---|" * len(MARKS))
    with tempfile.TemporaryDirectory() as folder:
        for file in given.records:
            record = Recorded(file, given.times, folder)
            for strategy in given.strategy.split(","):
                entry = runs_of(record, strategy, given.seeds)
                output["found"].append(entry)
                by_strategy[strategy].append(entry)
                line(f"{record.name}, {strategy}", entry["median"], entry["percentile_10"])
                if "error" in entry:
                    print(f"| {record.name}, {strategy}: {entry['error']} |")
    for strategy, entries in by_strategy.items():
        if not any("error" in entry for entry in entries):
            means = [[statistics.mean(column) for column in zip(*(entry[what] for entry in entries))]
                     for what in ("median", "percentile_10")]
            line(f"mean of {len(entries)}, {strategy}", *means)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(output, indent=1) + "\n")


if __name__ == "__main__":
    main()
