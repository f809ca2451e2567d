# SPDX-License-Identifier: MIT
"""Measured times: of exported sweeps, of files of winners, and of tables of docs/benchmarks/raw."""
import collections
import csv
import gzip
import json

# Of the tables, which do not name their device.
H200 = {"sm_count": 132, "registers_per_sm": 65536, "shared_bytes_per_sm": 233472, "max_threads_per_sm": 2048,
        "compute_capability": 90, "kind": "cuda", "name": "NVIDIA H200"}
Row = collections.namedtuple("Row", "problem device configuration time_us")


def number_or_label(text):
    return int(text) if text.lstrip("-").isdigit() else text


def rows_of_table(lines, parameters):
    for line in csv.DictReader(lines):
        values = {name: number_or_label(text) for name, text in line.items() if text and not name.endswith("_us")}
        problem = {name: value for name, value in values.items() if name not in parameters}
        configuration = {name: value for name, value in values.items() if name in parameters}
        yield Row(problem, H200, configuration, float(line["cold_us"]))


def rows_of_sweeps(sweeps, implementation):
    for sweep in sweeps:
        for trial in sweep["trials"]:
            if trial["implementation"] == implementation and "timing" in trial:
                yield Row(sweep["key"]["problem"]["values"], sweep["key"]["device"], trial["configuration"],
                          trial["timing"]["median_us"])


def rows_of_winners(groups, implementation):
    for group in groups:
        for winner in group["winners"]:
            if winner["implementation"] != implementation:
                continue
            yield Row(winner["problem"], group["device"], winner["configuration"], winner["timing"]["median_us"])
            for one in (winner.get("default", {}), winner.get("runner_up", {})):
                if "median_us" in one:
                    yield Row(winner["problem"], group["device"], one["configuration"], one["median_us"])


def read(file, definition):
    """What the file has of the implementation."""
    implementation = f"{definition.operation['operation']['name']}/{definition.name}"
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as stream:
        if ".csv" in file.suffixes:
            return list(rows_of_table(stream, definition.defaults))
        contents = json.load(stream)
    if "sweeps" in contents:
        return list(rows_of_sweeps(contents["sweeps"], implementation))
    return list(rows_of_winners(contents["groups"], implementation))
