#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which wrong answers the checks of the built-in operations, the examples and tests/definitions find, as Markdown.

usage: checks.py PROGRAM, from the root of the repository; sweeps one configuration of each on the host device"""
import json
import pathlib
import subprocess
import sys
import tempfile

OPERATIONS = ["gemm", "gemm type_a=bfloat16", "gemm type_a=int8", "conv1d", "conv2d", "conv2d_separable", "conv3d", "stencil3d"]
EXAMPLES = ["rms_norm", "stencil5", "kernel_tuner_convolution"]
COLUMNS = ["zeros", "input", "missing term", "1.01 times"]


def share(answers):
    """Of the elements that are wrong in these simple answers, how many are found."""
    texts = []
    for one in answers:
        percent = 100 * one["told"] / max(one["altered"], 1)
        text = "right" if one["altered"] == 0 else f"{percent:.3g} %"
        texts.append(text + (", passes" if one["passes"] and one["altered"] else ""))
    return "; ".join(texts) or "none"


def rows(program, name, words, home):
    command = [program, "sweep", *words, "--device", "host", "--budget", "1", "--json", "--db", f"{home}/checks.db"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        yield f"| {name} | | {done.stderr.strip().splitlines()[-1]} | | | |"
        return
    simple = [one for one in json.loads(done.stdout)["report"]["simple_answers"] if one["problem"] == 0]
    for output in dict.fromkeys(one["output"] for one in simple):
        own = [one for one in simple if one["output"] == output]
        cells = [share([one for one in own if one["answer"].startswith(column)]) for column in COLUMNS]
        yield f"| {name} | {' | '.join([output, *cells])} |"


def main(program):
    root = pathlib.Path(__file__).resolve().parents[2]
    subjects = [(name, name.split()) for name in OPERATIONS]
    subjects += [(name, [root / "examples" / name / f"{name}.toml"]) for name in EXAMPLES]
    subjects += [(file.stem, [file]) for file in sorted((root / "tests/definitions").glob("*.toml"))]
    print("| definition | output | zeros | inputs | missing term | 1.01 times |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as home:
        for name, words in subjects:
            for row in rows(program, name, words, home):
                print(row, flush=True)


main(sys.argv[1])
