#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A job by mpirun, killed in the middle and started again: nothing lost, nothing double.

usage: mpi_test.py TILEWRIGHT_ON_CLOCK SOURCE_FOLDER; status 77 without mpirun"""
import os
import shutil
import signal
import subprocess
import time

from fleet import main, skip


def start(fleet):
    words = ["mpirun", "--oversubscribe", "-n", "4", fleet.launcher, "job", "run", fleet.job, "--device", "host",
             "--jobs", "1", "--quiet"]
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.Popen(words, env={**os.environ, **as_root}, start_new_session=True, stderr=subprocess.PIPE, text=True)


def test(fleet):
    fleet.plan()
    first = start(fleet)
    while len(fleet.files_in("done")) < 3 and first.poll() is None:
        time.sleep(0.01)
    assert first.poll() is None, first.stderr.read()
    os.killpg(first.pid, signal.SIGKILL)  # mpirun; its processes lose it
    first.wait()
    assert not fleet.is_done(), "killed too late to mean anything"
    again = start(fleet)
    assert again.wait(300) == 0, again.stderr.read()
    while not fleet.is_done():  # a dead member's unit waits for its lease
        assert start(fleet).wait(300) == 0
        time.sleep(1)
    fleet.expect_all_done()


if not shutil.which("mpirun"):
    skip("there is no mpirun (Debian: openmpi-bin)")
main(test)
