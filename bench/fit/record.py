#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a record for `tilewright replay` of one sweep: a cache of Kernel Tuner, with the cycles that the manifest's formulas expect.

    bench/fit/record.py kernel_templates/gemm/wgmma/wgmma.toml EXPORT.json.gz RECORD.json.gz

EXPORT is what `tilewright export` writes. Duplicates, and parameters that have one value everywhere, are left out. Needs Python 3.11.
"""
import gzip
import json
import pathlib
import sys

from definitions import Definition, compiled, cycles


def main(manifest, export, record):
    definition = Definition(pathlib.Path(manifest))
    (sweep,) = json.loads(gzip.open(export).read())["sweeps"]
    of_problem = definition.of_problem(sweep["key"]["problem"]["values"], sweep["key"]["device"])
    formulas = {name: compiled(text) for name, text in definition.cost().items()}
    trials = {}
    for trial in sweep["trials"]:
        if trial["outcome"] not in ("pruned", "duplicate") and trial["stage"] == "screen":
            trials[tuple(trial["configuration"].values())] = trial
    names = list(next(iter(trials.values()))["configuration"])
    varied = [name for place, name in enumerate(names) if len({key[place] for key in trials}) > 1]
    cache = {}
    for trial in trials.values():
        configuration = trial["configuration"]
        entry = {name: configuration[name] for name in varied}
        entry["time"] = trial["timing"]["median_us"] / 1000 if "timing" in trial else trial["outcome"]
        entry["expected"] = round(cycles(formulas, definition.names(of_problem, configuration), ()), 1)
        cache[",".join(str(configuration[name]) for name in varied)] = entry
    problem = " ".join(f"{name}={value}" for name, value in sweep["key"]["problem"]["values"].items())
    document = {"device_name": sweep["key"]["device"]["name"], "kernel_name": f"{definition.name} {problem}",
                "tune_params_keys": varied, "cache": cache}
    with gzip.GzipFile(record, "wb", mtime=0) as file:
        file.write(json.dumps(document, indent=0).encode())


main(*sys.argv[1:])
