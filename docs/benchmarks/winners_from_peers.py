#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Writes the convolutions of shipped_results/ from the raw output of bench/peers.sh:

    docs/benchmarks/winners_from_peers.py TILEWRIGHT OUTPUT_FOLDER FOLDER…

TILEWRIGHT, the program, completes problems. Of a case the time is the one beside the first rival
that computes the same problem (NPP does not: it has another boundary). Of a case in several folders the last one stands. What was not written down is absent. FOLDER holds peers.json and
peers.log, whose first line is the moment.
"""
import collections
import datetime
import json
import pathlib
import re
import subprocess
import sys

# Limits of compute capability 9.0 that peers.json does not hold.
LIMITS = {"reserved_shared_bytes": 1024, "registers_per_block": 65536,
          "max_threads_per_block": 1024, "max_blocks_per_sm": 32, "warp_size": 32,
          "max_block": [1024, 1024, 64], "max_grid": [2147483647, 65535, 65535]}
DEVICE_KEYS = ["kind", "name", "compute_capability", "partition", "sm_count", "l2_bytes",
               "shared_bytes_per_block", "shared_bytes_per_sm", "reserved_shared_bytes",
               "registers_per_block", "registers_per_sm", "max_threads_per_block",
               "max_threads_per_sm", "max_blocks_per_sm", "warp_size", "max_block", "max_grid"]
ENVIRONMENT_KEYS = ["driver", "runtime", "compiler", "tool"]
TIMING_KEYS = ["median_us", "interval_low_us", "interval_high_us", "lower_us", "upper_us",
               "minimum_us", "calls_per_sample", "rounds", "sm_mhz"]
SIZES = re.compile(r"^(conv2d|depthwise|conv1d)-([\dx]+)(?:-(.*))?$")


def problem_of(case):
    """OPERATION and DIM=VALUE… as bench/peers/cases.cpp names them."""
    kind, sizes, more = SIZES.match(case).groups()
    sizes = [int(size) for size in sizes.split("x")]
    if kind == "conv1d":
        return kind, [f"length={sizes[0]}", f"taps={more[1:]}"]
    filter_width, filter_height = more[1:].split("x")
    words = [f"filter_width={filter_width}", f"filter_height={filter_height}"]
    if kind == "depthwise":
        words += [f"batch={sizes[0]}", f"channels={sizes[1]}", "filters=per_channel"]
    return "conv2d", [f"width={sizes[-2]}", f"height={sizes[-1]}"] + words


def completed(program, operation, words):
    command = [program, "best", operation, *words, "--format", "json", "--shipped", "none",
               "--db", "/dev/null/none"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["problem"]


def configuration_of(how):
    """IMPLEMENTATION, its configuration, and what else the text says."""
    implementation, *rest = how.split(" ")
    settings = [word.split("=") for word in rest if "=" in word and not word.startswith("(")]
    values = {name: int(value) if value.lstrip("-").isdigit() else value for name, value in settings}
    notes = ["tuned with warm operands, timed with cold ones"] if "(tuned warm)" in how else []
    return implementation, values, notes


def winner_of(program, matches, moment, source):
    ours = next((match["ours"] for match in matches
                 if match["rival"] != "NPP" and match.get("ours", {}).get("how")
                 and not match["ours"]["wrong"]), None)
    if ours is None:
        return None
    implementation, configuration, notes = configuration_of(ours["how"])
    operation, words = problem_of(matches[0]["case"])
    winner = {"implementation": implementation, "epoch": 1,
              "problem": completed(program, operation, words),
              "configuration": dict(sorted(configuration.items())), "measured_at": moment,
              "timing": {key: ours[key] for key in TIMING_KEYS}}
    for match in matches:
        theirs = match.get("theirs", {})
        if match["rival"] == "textbook" and theirs.get("how", "").startswith(implementation + " "):
            winner["default"] = {
                "configuration": dict(sorted(configuration_of(theirs["how"])[1].items())),
                "median_us": theirs["median_us"],
                "times_as_long": theirs["median_us"] / ours["median_us"]}
    winner["verification"] = {"outputs_checked": ours["outputs_checked"],
                              "worst_error": ours["worst_error"],
                              "worst_ratio": ours["worst_error_over_tolerance"]}
    winner["note"] = "; ".join([f"{source}, {matches[0]['case']}"] + notes)
    return operation, winner


def one_line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def text_of(winner):
    lines = [f'          "{key}": {one_line(value)}' for key, value in winner.items()]
    return "        {\n" + ",\n".join(lines) + "\n        }"


def file_text(common, winners, about):
    winners = sorted(winners, key=lambda winner: (one_line(winner["problem"]), winner["implementation"]))
    return ('{\n  "format": "tilewright-winners",\n  "version": 1,\n'
            f'  "about": {one_line(about)},\n  "groups": [\n    {{\n{common}      "winners": [\n'
            + ",\n".join(text_of(winner) for winner in winners) + "\n      ]\n    }\n  ]\n}\n")


def main(program, output, folders):
    winners = collections.defaultdict(dict)  # by problem
    commons = set()
    for folder in map(pathlib.Path, folders):
        document = json.loads((folder / "peers.json").read_text())
        line = (folder / "peers.log").read_text().splitlines()[0]
        moment = int(datetime.datetime.fromisoformat(line).timestamp())
        cases = collections.defaultdict(list)
        for match in document["matches"]:
            cases[match["case"]].append(match)
        for case, matches in cases.items():
            found = winner_of(program, matches, moment, str(folder / "peers.json"))
            if found:
                winners[found[0]][one_line(found[1]["problem"])] = found[1]
        device = {key: {**LIMITS, **document["device"]}[key] for key in DEVICE_KEYS}
        policy = {"cache": document["policy"], "submission": "graph"}
        environment = {key: document["environment"][key] for key in ENVIRONMENT_KEYS}
        commons.add(f'      "device": {one_line(device)},\n      "environment": {one_line(environment)},\n'
                    f'      "policy": {one_line(policy)},\n')
        name = device["name"].replace(" ", "_")
    (common,) = commons  # one machine
    about = ("Winners of short sweeps, timed anew beside other libraries, from the files that each note names. "
             "Limits of the device that those do not hold are those of its compute capability.")
    for operation, found in sorted(winners.items()):
        file = pathlib.Path(output) / name / f"{operation}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(file_text(common, found.values(), about))
        print(f"{file}: {len(found)} winners")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
