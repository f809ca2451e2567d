#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A job by tilewright.fleet on a local Ray cluster of four workers, two of which are killed.

usage: ray_test.py TILEWRIGHT_ON_CLOCK SOURCE_FOLDER; status 77 without the package ray"""
import os
import pathlib
import signal
import sys
import threading
import time

from fleet import UNITS, main, skip

try:
    import ray
except ImportError:
    skip("there is no Python package ray")
import tilewright.fleet as fleet_of_ray


def actors_of(job):
    """The processes of Ray whose children sweep this job."""
    found = set()
    for folder in pathlib.Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            is_member = str(job).encode() in words and b"job" in words
            if is_member and b"ray::" in pathlib.Path(f"/proc/{parent}/cmdline").read_bytes():
                found.add(parent)
        except (OSError, ValueError):
            pass  # it has ended, or is no process
    return found


def kill_two(job, killed):
    deadline = time.monotonic() + 120
    while len(killed) < 2 and time.monotonic() < deadline:
        for actor in sorted(actors_of(job) - set(killed))[:1]:
            os.kill(actor, signal.SIGKILL)
            killed.append(actor)
        time.sleep(0.2)


def test(fleet):
    fleet.plan()
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    killed, seen = [], []
    killer = threading.Thread(target=kill_two, args=(fleet.job, killed))
    killer.start()
    progress = fleet_of_ray.run(fleet.job, workers=4, cpus=1, device="host", program=str(fleet.launcher),
                                progress=seen.append, poll_s=0.5)
    killer.join()
    ray.shutdown()
    assert len(killed) == 2, f"only {killed} were killed"
    assert progress.is_complete and progress.units == UNITS, progress
    assert seen[-1] == progress and len(seen) > 1, seen
    fleet.expect_all_done()
    print(f"killed {killed}; {len(seen)} changes were shown")


sys.stdout.reconfigure(line_buffering=True)
main(test)
