#!/usr/bin/env python3
"""Files of earlier versions give the answers that they gave then, byte for byte, in the formats for machines. Texts for
people may change; those that were kept beside them are not compared.

    kept_test.py PROGRAM FOLDER            compares
    kept_test.py PROGRAM FOLDER --write    writes what PROGRAM answers, which is to be of that version

FOLDER, one a version, has compressed files and answers.txt.gz. Whether results are stale depends on the compiler of
the machine and on the present sources, and their age on the clock, so both are left out.
"""

import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# By version: what was measured there.
MEASURED = {
    "0.1": [
        "gemm M=48 N=40 K=33",
        "gemm M=7 N=9 K=5 transpose_a=yes batch=2",
        "conv1d length=5000 taps=9 boundary=mirror",
        "conv2d width=64 height=32 filter_width=3",
    ],
    "0.2": [
        "gemm M=48 N=40 K=33",
        "gemm M=24 N=40 K=16 type_a=bfloat16 type_b=bfloat16 type_c=float32",
        "gemm M=9 N=7 K=5 transpose_b=yes type_a=int8 type_b=int8 type_c=int32 precision=int32",
        "conv1d length=5000 taps=9 boundary=mirror type=float64",
        "stencil3d width=16 height=9 depth=7 steps=2",
    ],
}
SHIPPED = MEASURED["0.1"] + [
    "gemm M=N=K=1024",
    "gemm M=N=K=1000 transpose_b=yes",
    "gemm M=8 N=4096 K=4096",
    "gemm M=100 N=77 K=300 batch=3",
    "gemm M=513 N=700 K=44 accumulate=yes epilogue=bias_gelu",
    "conv1d length=1000000 taps=17",
    "conv2d width=2000 height=1000 filter_width=7",
    "conv2d width=333 height=400 filter_width=3 channels=4 filters=per_channel",
]


def commands(folder):
    yield from ([f"export --format {name}", "--db", "host.db", "--shipped", "none"]
                for name in ("json", "csv", "winners"))
    for problem in MEASURED[folder.name]:
        yield [f"best {problem} --format json", "--db", "host.db", "--shipped", "none", "--device",
               "AMD EPYC"]
    if not list(folder.glob("h200-*")):
        return
    shipped = [word for name in ("gemm", "conv1d", "conv2d")
               for word in ("--shipped", f"h200-{name}.json")]
    for problem in SHIPPED:
        yield [f"best {problem} --format json", "--db", "none.db", *shipped, "--device", "NVIDIA H200"]


def unpack(folder, target):
    for file in folder.glob("*.gz"):
        (target / file.stem).write_bytes(gzip.decompress(file.read_bytes()))


def lasting(answer):
    lines = [line for line in answer.splitlines(keepends=True) if not re.match(r' +"(why_)?stale": ', line)]
    return re.sub(r",(\n *})", r"\1", "".join(lines))


def answers(program, folder):
    with tempfile.TemporaryDirectory() as home:
        unpack(folder, pathlib.Path(home))
        environment = {**os.environ, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home, "LC_ALL": "C.UTF-8"}
        for first, *others in commands(folder):
            words = [program, *first.split(), *others]
            done = subprocess.run(words, cwd=home, env=environment, capture_output=True, text=True)
            yield lasting(f"$ {' '.join([first, *others])}\nstatus {done.returncode}\n"
                          f"{done.stdout}{done.stderr}\n")


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    kept = folder / "answers.txt.gz"
    now = list(answers(program, folder))
    if sys.argv[3:] == ["--write"]:
        kept.write_bytes(gzip.compress("\f".join(now).encode(), 9, mtime=0))
        return 0
    then = {answer.split("\n", 1)[0]: lasting(answer)
            for answer in gzip.decompress(kept.read_bytes()).decode().split("\f")}
    wrong = [(then[new.split("\n", 1)[0]], new) for new in now if new not in then.values()]
    for old, new in wrong:
        print(f"answered then:\n{old}\nanswers now:\n{new}")
    exports = [new for new in now if new.startswith("$ export")]
    for name, text in zip(("json", "csv", "winners"), exports, strict=True):
        file = gzip.decompress((folder / f"host.{name}.gz").read_bytes()).decode()
        if text.split("\n", 2)[2] != file + "\n":
            wrong.append(name)
            print(f"the export as {name} is not the file that was kept")
    print(f"{len(now) - len(wrong)} of {len(now)} answers are those of {folder.name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
