#!/usr/bin/env python3
"""Another user puts links, pipes and folders where the program makes files outside its user's folders:
tests/attack/names.py PROGRAM

In a /tmp of its own, plants each of them before a sweep, a look-up and a job of a victim. Every command must work or end
with one sentence, in time, and leave the victim's other files as they are. strace, if it is there, lists what these
commands make in folders that all users share: a name that docs/security.md does not have is an error, too. Needs root, who
can be both users; otherwise it ends with status 77, and says why."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

VICTIM, ATTACKER = 70001, 70002
TMP, HOMES = pathlib.Path("/tmp"), pathlib.Path("/mnt")
HOME, PRECIOUS = HOMES / "victim", HOMES / "victim" / "precious"
LOCKS = TMP / "tilewright-locks"
FEW_SECONDS = 60
# As docs/security.md lists them.
OURS = re.compile(rf"/tmp/(tilewright-locks(-{VICTIM})?(/host)?|tilewright-scratch-\w{{6}}(/.*)?"
                  rf"|tilewright-job-[0-9a-f]{{12}}-{VICTIM}(/.*)?|tilewright-\w{{6}}(/.*)?|etilqs_\w+)")
SHARED = ("/tmp/", "/var/tmp/", "/dev/shm/", "/run/")
MADE = re.compile(r'\b(?:open\w*\((?:\w+, )?"([^"\n]+)", [^)\n]*O_CREAT|(?:mkdir|mknod)\w*\((?:\w+, )?"([^"\n]+)"'
                  r'|(?:rename|link|symlink)\w*\(.*"([^"\n]+)")')


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run_as(user, words, **more):
    home = HOME if user == VICTIM else HOMES
    return subprocess.run([*more.pop("before", []), "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words],
                          env={"PATH": "/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8"}, cwd=home,
                          capture_output=True, text=True, timeout=FEW_SECONDS, **more)


def state_of(folder):
    """What is in it, with contents, owners and modes."""
    return {str(file): (file.lstat().st_mode, file.lstat().st_uid,
                        hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "")
            for file in [folder, *sorted(folder.rglob("*"))]}


class Attack:
    def __init__(self, program):
        self.program, self.complaints = program, []
        HOME.mkdir()
        PRECIOUS.mkdir(mode=0o700)
        (PRECIOUS / "host").write_text("#!/bin/sh\n")
        for file in (HOME, PRECIOUS, PRECIOUS / "host"):
            os.chown(file, VICTIM, VICTIM)
        if run_as(VICTIM, [program, "--version"]).returncode != 0:
            skip(f"{program} cannot be run by other users")
        self.device = ["--device", "host", "--quiet"]
        self.problem = ["gemm/naive", "M=N=K=16"]
        self.own = ["sweep", *self.problem, "--budget", "1", *self.device, "--fresh"]
        self.expect_done("a first sweep", *self.own)
        self.expect_done("a copy", "export", "--format", "json", "--output", str(PRECIOUS / "export.json"))
        shutil.copy(HOME / ".local/share/tilewright/tilewright.db", PRECIOUS / "0.db")
        os.chown(PRECIOUS / "0.db", VICTIM, VICTIM)
        self.precious = state_of(PRECIOUS)

    def expect_done(self, what, *words, **more):
        done = run_as(VICTIM, [self.program, *words], **more)
        if done.returncode != 0:
            sys.exit(f"{what}: status {done.returncode}: {done.stderr}")

    def new_job(self):
        """Its folder, and the path of its trials, which everybody can know."""
        folder = HOME / "job"
        shutil.rmtree(folder, ignore_errors=True)
        (HOME / "shapes").write_text("M=16\nM=24\n")
        self.expect_done("a job", "job", "create", str(folder), "gemm/naive", "N=K=16", "--shapes", "shapes", "--budget", "1")
        name = json.loads((folder / "plan.json").read_text())["id"][:12]
        return ["job", "run", str(folder), *self.device], TMP / f"tilewright-job-{name}-{VICTIM}"

    def try_command(self, attack, words):
        what = f"{attack}: {' '.join(words[:2])}"
        try:
            done = run_as(VICTIM, [self.program, *words])
        except subprocess.TimeoutExpired:
            self.complaints.append(f"{what} hangs")
        else:
            lines = done.stderr.strip().splitlines()
            if done.returncode not in (0, 3) or len(lines) > 1 or "please report" in done.stderr:
                self.complaints.append(f"{what}: status {done.returncode}: {' / '.join(lines)}")
        if state_of(PRECIOUS) != self.precious:
            sys.exit("\n".join([*self.complaints, f"{what}: the victim's files are others now"]))

    def all(self):
        for attack, script in PLANTED.items():
            for place in (LOCKS, None):
                job, trials = self.new_job()
                for entry in TMP.iterdir():
                    entry.unlink() if entry.is_symlink() or not entry.is_dir() else shutil.rmtree(entry)
                place = place or trials
                planted = run_as(ATTACKER, ["bash", "-ec", f"umask 0; AT={place} P={PRECIOUS}; {script}"])
                if planted.returncode != 0:
                    sys.exit(f"{attack}: {planted.stderr}")
                name = f"{attack} at {place.name[:15]}"
                self.try_command(name, [*self.own, "--no-wait"])
                self.try_command(name, ["best", *self.problem, "--device", "host"])
                self.try_command(name, job)

    def look(self):
        """What the commands make in shared folders, by strace."""
        if not shutil.which("strace"):
            print("without strace: what the commands make is not listed")
            return
        job, _ = self.new_job()
        record = HOMES / "record"
        for words in (self.own, ["best", *self.problem, "--device", "host"], job):
            self.expect_done("under strace", *words, before=["strace", "-f", "-qq", "-o", str(record), "-e", "trace=%file"])
            made = {"".join(names) for names in MADE.findall(record.read_text())}
            if words[0] != "best" and str(LOCKS) not in made:
                self.complaints.append(f"strace does not show that {words[0]} makes {LOCKS}")
            self.complaints += [f"{words[0]} makes {name}, which docs/security.md does not list"
                                for name in sorted(made) if name.startswith(SHARED) and not OURS.fullmatch(name)]


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
    "two places": "ln -s $P $AT; ln -s $P /tmp/tilewright-locks-%d" % VICTIM,
}


def main():
    program = str(pathlib.Path(sys.argv[-1]).resolve())
    if sys.argv[1] != "--inside":
        missing = [name for name in ("unshare", "setpriv", "mount") if not shutil.which(name)]
        if os.geteuid() != 0 or missing:
            skip(f"there is no {missing[0]}" if missing else "only root can be two users")
        mounts = "mount --make-rprivate / && mount -t tmpfs -o mode=1777 none /tmp && mount -t tmpfs -o mode=755 none /mnt"
        if subprocess.run(["unshare", "-m", "sh", "-c", mounts], capture_output=True).returncode != 0:
            skip("a /tmp of its own cannot be mounted here")
        script = f'{mounts} && exec "$@"'
        sys.exit(subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-B",
                                 str(pathlib.Path(__file__).resolve()), "--inside", program]).returncode)
    attack = Attack(program)
    attack.look()
    attack.all()
    print(f"{2 * len(PLANTED)} attacks, {len(attack.complaints)} succeeded", *attack.complaints, sep="\n")
    sys.exit(bool(attack.complaints))


if __name__ == "__main__":
    main()
