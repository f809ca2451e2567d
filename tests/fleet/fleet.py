# SPDX-License-Identifier: MIT
"""What the tests of engines share: a job of tests/hostile/clock.toml, and what one sequential run answers.

The programs are those with a fake clock, so that answers are known and a unit takes under a second."""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SKIPPED = 77
UNITS = 12


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Fleet:
    """A folder with a job, and a launcher that gives each process a machine of its own."""

    def __init__(self, program, source, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.manifest = pathlib.Path(source) / "tests/hostile/clock.toml"
        self.job, self.shapes = self.folder / "job", self.folder / "shapes.txt"
        self.shapes.write_text("".join(f"count={1000 + i}\n" for i in range(UNITS)))
        # Locks and local disks of a process, as on a machine that it has for itself.
        self.launcher = self.folder / "bin/tilewright"
        self.launcher.parent.mkdir()
        self.launcher.write_text(
            "#!/bin/sh\n"
            f"export TMPDIR=$(mktemp -d {self.folder}/machine.XXXXXX)\n"
            "export TILEWRIGHT_LOCKS=$TMPDIR HOME=$TMPDIR\n"
            f'exec {program} "$@"\n')
        self.launcher.chmod(0o755)

    def run(self, *words, expected=(0,)):
        done = subprocess.run([self.launcher, *map(str, words)], text=True, capture_output=True, check=False)
        assert done.returncode in expected, f"{words}: {done.returncode}: {done.stderr}"
        return done.stdout

    def plan(self):
        self.run("job", "create", self.job, self.manifest, "--shapes", self.shapes, "--budget", "all", "--lease", "2s")

    def files_in(self, part):
        return sorted(file.name for file in (self.job / part).iterdir())

    def is_done(self):
        return len(self.files_in("done")) == UNITS

    def expect_all_done(self):
        """Nothing lost, nothing double, and merged twice what one sequential run gives."""
        assert self.is_done(), [self.files_in(part) for part in ("todo", "taken", "done")]
        assert not self.files_in("todo") and not self.files_in("taken")
        assert len({name.split(".")[0] for name in self.files_in("done")}) == UNITS
        merged, alone = self.folder / "merged.db", self.folder / "alone.db"
        for _ in range(2):
            self.run("job", "merge", self.job, "--into", merged)
        self.run("sweep", self.manifest, "--shapes", self.shapes, "--device", "host", "--db", alone, "--budget", "all",
                 "--quiet")
        assert answers(merged) == answers(alone), "the merged answers differ from those of one run"
        assert len(answers(merged)) == UNITS


def answers(database):
    """By problem: one finished sweep of its own, each configuration once, the final's times and the winner."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = {}
        for sweep, problem, origin, finished in connection.execute(
                "SELECT s.id, p.settings, s.origin, s.finished IS NOT NULL FROM sweep s "
                "JOIN problem p ON p.id = s.problem"):
            assert problem not in found, f"{problem} has two sweeps"
            trials = connection.execute(
                "SELECT configuration, stage, median_us FROM trial WHERE sweep = ?", (sweep,)).fetchall()
            seen = sorted((configuration, stage) for configuration, stage, _ in trials)
            assert len(seen) == len(set(seen)), f"{problem} has a trial twice"
            # Which of two twins is measured, and which is its duplicate, is chance.
            finals = sorted((without_unused(one), us) for one, stage, us in trials if stage == "final")
            winner = connection.execute(
                "SELECT t.configuration FROM best b JOIN trial t ON t.id = b.trial WHERE t.sweep = ?",
                (sweep,)).fetchall()
            screened = sorted(one for one, stage in seen if stage == "screen")
            found[problem] = (origin, finished, screened, finals, [without_unused(one) for one, in winner])
    return found


def without_unused(configuration):
    return json.dumps({name: value for name, value in json.loads(configuration).items() if name != "UNUSED"})


def main(test):
    """usage: TEST.py TILEWRIGHT_ON_CLOCK SOURCE_FOLDER"""
    folder = tempfile.mkdtemp(prefix="tilewright-fleet-", dir=os.environ.get("TMPDIR"))
    try:
        test(Fleet(sys.argv[1], sys.argv[2], folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
