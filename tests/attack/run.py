#!/usr/bin/env python3
"""Attacks the program itself with damaged files: tests/attack/run.py PROGRAM [COUNT [SEED]]

Makes a database, an export, winners, a file of another tuner, a manifest, a bundle and a cache of compiled code, changes
COUNT copies of each at random, and gives them to the program. An attack succeeds if the program dies of a signal, ends with
a status that is not documented, takes longer than 20 s, needs more than 4 GB, says more than two lines for bad input, or
changes our own answer. Prints how many attacks of each class had which status; ends with status 1 if one succeeded."""
import collections
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROBLEM = ["gemm/naive", "M=N=K=16"]
DEVICE = ["--device", "host"]
CACHE = """{"device_name": "A100", "kernel_name": "k", "tune_params_keys": ["x"], "tune_params": {"x": [1, 2]},
 "cache": {"1": {"x": 1, "time": 2.5}, "2": {"x": 2, "time": "InvalidConfig"}}}"""


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def run(program, *words, cwd):
    try:
        return subprocess.run([program, *words], cwd=cwd, capture_output=True, timeout=20, preexec_fn=limited)
    except subprocess.TimeoutExpired:
        return None


def changed(data, dice):
    """Bytes, parts or numbers of the data are replaced, removed, repeated, or the end is missing."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4, 16))):
        if not data:
            break
        at = dice.randrange(len(data))
        length = dice.randrange(1, 33)
        way = dice.randrange(6)
        if way == 0:
            data[at] = dice.randrange(256)
        elif way == 1:
            del data[at:at + length]
        elif way == 2:
            data[at:at] = data[dice.randrange(len(data)):][:length] * dice.choice((1, 2, 100))
        elif way == 3:
            data[at:at + length] = dice.choice((b"-1", b"1e999", b"0", b"null", b"[[[[", b"\x1b[2J\r\n", b"9" * 30, b"\xff" * 8))
        elif way == 4:
            del data[at:]
        else:
            data[at] ^= 1 << dice.randrange(8)
    return bytes(data)


class Attack:
    def __init__(self, program, folder, dice):
        self.program, self.folder, self.dice = program, folder, dice
        self.statuses = collections.defaultdict(collections.Counter)
        self.successes = []
        make = lambda *words: run(program, *words, cwd=folder)
        made = make("sweep", *PROBLEM, *DEVICE, "--budget", "2", "--db", "own.db", "--cache", "compiled")
        assert made and made.returncode == 0, made
        make("export", "--format", "json", "--db", "own.db", "--output", "export.json")
        make("export", "--format", "winners", "--db", "own.db", "--output", "winners.json")
        make("bundle", *PROBLEM, *DEVICE, "--db", "own.db", "--output", "one.bundle")
        (folder / "tuner.json").write_text(CACHE)
        shutil.copytree(SOURCE / "examples" / "stencil5", folder / "stencil5")
        self.answer = self.own_answer()

    def own_answer(self):
        return run(self.program, "best", *PROBLEM, *DEVICE, "--db", "own.db", "--format", "defines", cwd=self.folder).stdout

    def judge(self, name, number, kept, finished):
        status = finished.returncode if finished else "too long"
        self.statuses[name][status] += 1
        lines = finished.stderr.decode(errors="replace").strip().splitlines() if finished else []
        if status not in (0, 1, 2, 3) or (status in (2, 3) and len(lines) > 2) or "what()" in " ".join(lines):
            keep = pathlib.Path(f"attack-{name}-{number}")
            keep.write_bytes(kept)
            self.successes.append(f"{keep}: status {status}: {' / '.join(lines[-3:])}")

    def many(self, name, original, count, words, target="attack.bin"):
        data = (self.folder / original).read_bytes()
        for number in range(count):
            kept = changed(data, self.dice)
            (self.folder / target).write_bytes(kept)
            (self.folder / "new.db").unlink(missing_ok=True)
            self.judge(name, number, kept, run(self.program, *words, cwd=self.folder))

    def all(self, count):
        self.many("import of an export", "export.json", count, ["import", "attack.bin", "--db", "new.db"])
        self.many("import into our own", "export.json", count, ["import", "attack.bin", "--db", "own.db"])
        self.many("winners", "winners.json", count, ["best", *PROBLEM, *DEVICE, "--db", "none.db", "--shipped", "attack.bin"])
        self.many("another tuner", "tuner.json", count, ["replay", "attack.bin", "--seeds", "1"])
        self.many("a database", "own.db", count, ["results", "--db", "attack.bin"])
        manifest = next((self.folder / "stencil5").glob("*.toml"))
        self.many("a manifest", manifest.relative_to(self.folder), count, ["plan", str(manifest), *DEVICE], str(manifest))
        entry = next((self.folder / "compiled").rglob("*.code"))
        self.many("compiled code", entry.relative_to(self.folder), max(count // 10, 1),
                  ["sweep", *PROBLEM, *DEVICE, "--budget", "2", "--db", "new.db", "--cache", "compiled"], str(entry))
        if self.own_answer() != self.answer:
            self.successes.append("our own answer changed")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        attack = Attack(program, pathlib.Path(folder), random.Random(seed))
        attack.all(count)
    for name, statuses in attack.statuses.items():
        print(f"{name}: {sum(statuses.values())} attacks,", ", ".join(f"{n} with status {s}" for s, n in sorted(statuses.items(), key=str)))
    print(f"{len(attack.successes)} succeeded", *attack.successes, sep="\n")
    return 1 if attack.successes else 0


if __name__ == "__main__":
    sys.exit(main())
