#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/fleet/tilewright.sbatch on a real Slurm: a controller and two node daemons on this machine.

Tasks are killed, requeued, and resubmitted in part: nothing lost, nothing double.
usage: slurm_test.py TILEWRIGHT_ON_CLOCK SOURCE_FOLDER; status 77 without Slurm or an administrator's rights"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from fleet import UNITS, main, skip

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "srun")
NODES = ("tilewright1", "tilewright2")


def free_ports(count):
    sockets = [socket.create_server(("localhost", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    def __init__(self, folder, path):
        self.folder = folder / "slurm"
        self.folder.mkdir()
        controller, *nodes = free_ports(1 + len(NODES))
        lines = ["ClusterName=tilewright", f"SlurmctldHost={socket.gethostname()}(localhost)", "AuthType=auth/none",
                 "CredType=cred/none", "AuthInfo=cred_expire=10",
                 "SlurmUser=root", "SlurmdUser=root", "ProctrackType=proctrack/linuxproc",
                 "TaskPlugin=task/none", "MpiDefault=none", "SwitchType=switch/none", "SelectType=select/cons_tres",
                 "SelectTypeParameters=CR_Core", "ReturnToService=2",
                 "SchedulerParameters=sched_interval=1,bf_interval=1",
                 "KillWait=2", "SlurmdParameters=config_overrides", "MessageTimeout=60", "JobRequeue=1",
                 "JobAcctGatherType=jobacct_gather/none",
                 f"SlurmctldPort={controller}", f"StateSaveLocation={self.folder}/state",
                 f"SlurmdSpoolDir={self.folder}/spool-%n", f"SlurmctldPidFile={self.folder}/controller.pid",
                 f"SlurmdPidFile={self.folder}/%n.pid"]
        here = f"NodeHostname={socket.gethostname()} NodeAddr=localhost CPUs=2 State=UNKNOWN"
        lines += [f"NodeName={name} Port={port} {here}" for name, port in zip(NODES, nodes)]
        lines += ["PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        self.environment = {**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf",
                            "PATH": f"{path}:{os.environ['PATH']}"}
        self.daemons = []

    def __enter__(self):
        try:
            self._start("slurmctld", "-D")
            for name in NODES:
                self._start("slurmd", "-D", "-N", name)
            self.wait_for(lambda: self.run("scontrol", "-o", "show", "nodes").count("State=IDLE ") == len(NODES),
                          "two idle nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def _start(self, *words):
        log = (self.folder / f"{words[-1]}.log").open("w")
        self.daemons.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=subprocess.STDOUT))

    def run(self, *words):
        words = [*map(str, words)]
        return subprocess.run(words, env=self.environment, text=True, capture_output=True, check=False).stdout

    def wait_for(self, holds, what, seconds=180):
        deadline = time.monotonic() + seconds
        while not holds():
            logs = "\n".join(f"{log.name}: {log.read_text()[-1500:]}" for log in self.folder.glob("*.log"))
            assert time.monotonic() < deadline, f"waited in vain for {what}\n{self.run('squeue')}\n{logs}"
            time.sleep(0.2)

    def submit(self, fleet, array):
        """As docs/fleet.md does, but on the host device."""
        script = pathlib.Path(sys.argv[2]) / "tools/fleet/tilewright.sbatch"
        done = subprocess.run(["sbatch", "--parsable", f"--array={array}", "--gpus-per-task=0", "--cpus-per-task=1",
                               f"--output={self.folder}/task-%a.out", script, fleet.job, "--device", "host",
                               "--jobs", "1"],
                              env=self.environment, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def is_over(self):
        return not self.run("squeue", "--noheader").strip()


def processes_of(job):
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if words[0].endswith(b"/tilewright") and words[1] == b"sweep" and str(job).encode() in words:
                found.append(int(folder.name))
        except (OSError, IndexError):
            pass  # it has ended, or is no process
    return found


def test(fleet):
    fleet.plan()
    with Slurm(fleet.folder, fleet.launcher.parent) as slurm:
        array = slurm.submit(fleet, "1-4")
        slurm.wait_for(lambda: len(fleet.files_in("done")) >= 2, "the first units")
        os.kill(processes_of(fleet.job)[0], signal.SIGKILL)
        slurm.run("scontrol", "requeue", f"{array}_2")
        slurm.run("scancel", f"{array}_3")
        resubmitted = slurm.submit(fleet, "3,7")  # other numbers, and fewer
        slurm.wait_for(slurm.is_over, "the end of the tasks")
        begun = len(fleet.files_in("done"))
        assert begun > 0 and not processes_of(fleet.job)
        rounds = 0
        while not fleet.is_done():  # what a dead task had taken when all others had ended
            rounds += 1
            assert rounds < 10, [fleet.files_in(part) for part in ("todo", "taken", "done")]
            slurm.submit(fleet, "1")
            slurm.wait_for(slurm.is_over, "the end of the tasks")
            time.sleep(1)
        print(f"arrays {array} and {resubmitted}; {begun} of {UNITS} finished by them, the rest by {rounds} more tasks")
        for output in sorted(slurm.folder.glob("task-*.out")):
            print(f"{output.name}: {output.read_text()[-300:]}")
    fleet.expect_all_done()


missing = [name for name in PROGRAMS if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
if missing:
    skip(f"there is no {', '.join(missing)} (Debian: slurmctld, slurmd, slurm-client)")
if os.geteuid() != 0:
    skip("the daemons of Slurm need an administrator's rights")
os.environ["PATH"] += ":/usr/sbin"
main(test)
