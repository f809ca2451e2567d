# SPDX-License-Identifier: MIT
"""Makes an export with many trials from a real one: its trials again with other values of three more parameters, and
with times that differ in a random but repeatable way.

usage: many_trials.py EXPORT.json[.gz] COUNT > FILE.json"""
import gzip
import itertools
import json
import pathlib
import random
import sys

MORE = {"GROUP": [1, 2, 4, 8, 16], "PREFETCH": [0, 1, 2, 3, 4, 5], "SPLIT_K": [1, 2, 3, 4, 6, 8, 12, 16]}
TIMES = ("median_us", "interval_low_us", "interval_high_us", "lower_us", "upper_us", "minimum_us")


def copies(trials, count):
    """`count` trials, each with another configuration."""
    random.seed(1)
    variants = [dict(zip(MORE, values)) for values in itertools.product(*MORE.values())]
    pairs = [(variant, trial) for variant in variants for trial in trials][:count]
    assert len(pairs) == count, f"only {len(pairs)} configurations can be made"
    random.shuffle(pairs)
    for variant, trial in pairs:
        factor = random.lognormvariate(0.02 * variant["PREFETCH"] + 0.1 * variant["SPLIT_K"] ** 0.5, 0.15)
        copy = dict(trial, configuration=dict(trial["configuration"], **variant))
        if "timing" in trial:
            copy["timing"] = dict(trial["timing"], samples_us=[trial["timing"]["median_us"] * factor],
                                  **{name: trial["timing"][name] * factor for name in TIMES})
        yield copy


def export_of(file, count):
    data = pathlib.Path(file).read_bytes()
    export = json.loads(gzip.decompress(data) if file.endswith(".gz") else data)
    sweep = export["sweeps"][0]
    trials = [trial for trial in sweep["trials"] if trial["stage"] == "screen"]
    sweep["trials"] = list(copies(trials, count))
    export["sweeps"] = [dict(sweep, uuid="f" * 32)]
    return export


if __name__ == "__main__":
    json.dump(export_of(sys.argv[1], int(sys.argv[2])), sys.stdout)
