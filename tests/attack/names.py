#!/usr/bin/env python3
"""Another user puts links, pipes and folders where the program makes files outside its user's folders:
tests/attack/names.py PROGRAM

In a /tmp of its own, plants each of them before a sweep, a look-up and a job of a victim, and before a sweep whose database
fails. Every command must work or end with one sentence, in time, and leave the victim's other files as they are. created.py
lists the names. Needs root, who can be both users; otherwise it ends with status 77, and says why."""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import time

VICTIM, ATTACKER = 70001, 70002
TMP, HOMES = pathlib.Path("/tmp"), pathlib.Path("/mnt")
HOME, PRECIOUS = HOMES / "victim", HOMES / "victim" / "precious"
LOCKS, OWN_LOCKS = TMP / "tilewright-locks", TMP / f"tilewright-locks-{VICTIM}"
FEW_SECONDS = 60


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def require(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"there is no {program}")


def run(words, during=lambda: None, **more):
    """Its status and messages. `during` is called as soon as it runs."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more) as running:
        try:
            during()
            _, messages = running.communicate(timeout=FEW_SECONDS)
        finally:
            running.kill()
    return running.returncode, messages


def run_as(user, words, **more):
    home = HOME if user == VICTIM else HOMES
    return run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words], cwd=home,
               env={"PATH": "/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8"}, **more)


def first_sweep(database):
    """The ID of the first sweep in it, as soon as that has stored a trial."""
    query = "SELECT substr(uuid, 1, 8) FROM sweep JOIN trial ON sweep.id = trial.sweep"
    for _ in range(100 * FEW_SECONDS):
        time.sleep(0.01)
        try:
            with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
                for (name,) in opened.execute(query):
                    return name
        except sqlite3.OperationalError:  # not yet there, or locked
            pass
    sys.exit(f"no sweep stores a trial in {database}")


def enter(folders, script, *words):
    """Runs the script in a system with new, empty folders in place of these. Returns its status."""
    require("unshare", "mount")
    needed = [pathlib.Path(file).resolve() for file in (sys.executable, script, *words)]
    if hidden := [file for file in needed if any(file.is_relative_to(folder) for folder in folders)]:
        skip(f"{hidden[0]} would be hidden by an empty folder")
    mounts = "mount --make-rprivate /" + "".join(f" && mount -t tmpfs -o mode=755 none {folder}" for folder in folders)
    unshare = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else []), "sh", "-c"]
    if subprocess.run([*unshare, mounts], capture_output=True).returncode != 0:
        skip(f"{' and '.join(map(str, folders))} of its own cannot be mounted here")
    inside = [sys.executable, "-B", str(pathlib.Path(script).resolve()), "--inside", *words]
    return subprocess.run([*unshare, f'{mounts} && exec "$@"', "sh", *inside]).returncode


def state_of(folder):
    """What is in it, with contents, owners and modes."""
    return {str(file): (file.lstat().st_mode, file.lstat().st_uid,
                        hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "")
            for file in [folder, *sorted(folder.rglob("*"))]}


class Attack:
    def __init__(self, program):
        self.program, self.complaints = program, []
        TMP.chmod(0o1777)
        HOME.mkdir()
        PRECIOUS.mkdir(mode=0o700)
        (PRECIOUS / "host").write_text("#!/bin/sh\n")
        for file in (HOME, PRECIOUS, PRECIOUS / "host"):
            os.chown(file, VICTIM, VICTIM)
        if run_as(VICTIM, [program, "--version"])[0] != 0:
            skip(f"{program} cannot be run by other users")
        self.device = ["--device", "host", "--quiet"]
        self.problem = ["gemm/naive", "M=N=K=16"]
        self.own = ["sweep", *self.problem, "--budget", "1", *self.device, "--fresh"]
        self.expect_done("a first sweep", *self.own)
        self.expect_done("a copy", "export", "--format", "json", "--output", str(PRECIOUS / "export.json"))
        shutil.copy(HOME / ".local/share/tilewright/tilewright.db", PRECIOUS / "0.db")
        os.chown(PRECIOUS / "0.db", VICTIM, VICTIM)
        self.precious = state_of(PRECIOUS)

    def expect_done(self, what, *words):
        status, messages = run_as(VICTIM, [self.program, *words])
        if status != 0:
            sys.exit(f"{what}: status {status}: {messages}")

    def new_job(self):
        """Its folder, and the path of its trials, which everybody can know."""
        folder = HOME / "job"
        shutil.rmtree(folder, ignore_errors=True)
        (HOME / "shapes").write_text("M=16\nM=24\n")
        self.expect_done("a job", "job", "create", str(folder), "gemm/naive", "N=K=16", "--shapes", "shapes", "--budget", "1")
        name = json.loads((folder / "plan.json").read_text())["id"][:12]
        return ["job", "run", str(folder), *self.device], TMP / f"tilewright-job-{name}-{VICTIM}"

    def try_command(self, attack, words, **more):
        what = f"{attack}: {' '.join(words[:2])}"
        try:
            status, messages = run_as(VICTIM, [self.program, *words], **more)
        except subprocess.TimeoutExpired:
            self.complaints.append(f"{what} hangs")
        else:
            lines = messages.strip().splitlines()
            if status not in (0, 3) or len(lines) > 1 or "please report" in messages:
                self.complaints.append(f"{what}: status {status}: {' / '.join(lines)}")
        if state_of(PRECIOUS) != self.precious:
            sys.exit("\n".join([*self.complaints, f"{what}: the victim's files are others now"]))

    def plant(self, attack, place):
        before = f"ln -s $P {LOCKS}; " if place == OWN_LOCKS else ""
        script = f"umask 0; AT={place} P={PRECIOUS}; {before}{PLANTED[attack]}"
        status, messages = run_as(ATTACKER, ["bash", "-ec", script])
        if status != 0:
            sys.exit(f"{attack}: {messages}")
        return f"{attack} at {place.name[:18]}"

    def all(self):
        for attack in PLANTED:
            for place in (LOCKS, OWN_LOCKS, TMP / "tilewright-scratch-before", None):
                job, trials = self.new_job()
                for entry in TMP.iterdir():
                    entry.unlink() if entry.is_symlink() or not entry.is_dir() else shutil.rmtree(entry)
                name = self.plant(attack, place or trials)
                self.try_command(name, [*self.own, "--no-wait"])
                self.try_command(name, ["best", *self.problem, "--device", "host"])
                self.try_command(name, job)
        self.lose_database()

    def lose_database(self):
        """What the database says must not be enough to know where the sweep is rescued to."""
        database = HOME / "lost" / "lost.db"

        def plant():
            self.plant("a link", TMP / f"{database.name}.rescue-{first_sweep(database)}.json")
            shutil.rmtree(database.parent)

        words = ["sweep", *self.problem, *self.device, "--budget", "all", "--jobs", "1", "--db", str(database)]
        self.try_command("a link at a rescue", words, during=plant)
        if all(file.is_symlink() for file in TMP.glob("*.rescue-*.json")):
            self.complaints.append("a sweep is lost with its database")


# $AT is the place, $P the victim's folder.
PLANTED = {
    "a link": "ln -s $P $AT",
    "a link to nothing": "ln -s $P/new $AT",
    "a pipe": "mkfifo $AT",
    "a closed folder": "mkdir -m 700 $AT",
    "a folder": "mkdir -m 755 $AT",
    "an open folder": "mkdir -m 777 $AT",
    "links in a folder": "mkdir $AT; chmod 1777 $AT; for f in host 0.db 0.lock; do ln -s $P/0.db $AT/$f; done",
    "links to nothing": "mkdir $AT; chmod 1777 $AT; for f in host 0.db 0.lock; do ln -s $P/new $AT/$f; done",
    "pipes in a folder": "mkdir $AT; chmod 1777 $AT; for f in host 0.db 0.lock; do mkfifo $AT/$f; done",
    "files in a folder": "mkdir $AT; chmod 1777 $AT; for f in host 0.db 0.lock; do echo x > $AT/$f; done",
}


def main():
    program = str(pathlib.Path(sys.argv[-1]).resolve())
    if sys.argv[1] != "--inside":
        require("setpriv")
        if os.geteuid() != 0:
            skip("only root can be two users")
        sys.exit(enter((TMP, HOMES), __file__, program))
    attack = Attack(program)
    attack.all()
    print(f"{4 * len(PLANTED) + 1} attacks, {len(attack.complaints)} succeeded", *attack.complaints, sep="\n")
    sys.exit(bool(attack.complaints))


if __name__ == "__main__":
    main()
