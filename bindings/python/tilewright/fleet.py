"""Runs a job of `tilewright job create` on a Ray cluster: an actor a GPU (docs/fleet.md).

    import tilewright.fleet
    tilewright.fleet.run("/shared/gemm_job", address="auto", kind="H100")

Ray places the actors, starts them again elsewhere when they die, and watches them. What is done is known to the job's
folder alone, which all nodes and the driver reach. The nodes need the program `tilewright`.
"""

import ctypes
import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import time

from .errors import InputError, MachineError

_GO_ON = (0, 1, 130)  # of `tilewright sweep`: done, nothing legal, interrupted


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a job is."""

    units: int
    done: int
    taken: int  # by a member that measures them, or that has died

    @property
    def is_complete(self):
        return self.done == self.units


def progress_of(job):
    """The Progress of a job, from its folder. Raises InputError if there is no job."""
    folder = pathlib.Path(job)
    if not (folder / "plan.json").is_file():
        raise InputError(f"job '{folder}': there is no plan.json; `tilewright job create` makes a job")
    counts = {part: sum(1 for _ in (folder / part).iterdir()) for part in ("todo", "taken", "done")}
    return Progress(sum(counts.values()), counts["done"], counts["taken"])


def _member_class():
    """The class of the actors. It is local so that Ray sends it whole: nodes need no tilewright for Python."""

    class Member:
        """One process of the job on the GPU that Ray gave it."""

        def sweep(self, command):
            """Ends when no unit is left. Returns the status, the end of standard error, and the node."""

            def end_with_actor():  # SIGTERM when the actor dies; the process then keeps its trials
                pr_set_pdeathsig = 1
                ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)

            done = subprocess.run(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                preexec_fn=end_with_actor,
            )
            return done.returncode, "\n".join(done.stderr.splitlines()[-5:]), os.uname().nodename

    return Member


def _count_gpus(ray, kind):
    """GPUs of this kind in the cluster; of any kind if none is named."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    here = [node for node in nodes if kind is None or f"accelerator_type:{kind}" in node]
    return int(sum(node.get("GPU", 0) for node in here))


def _one_round(ray, actor, count, command, job, report, poll_s):
    """Starts the members and waits for their ends."""
    members = [actor.remote() for _ in range(count)]
    waiting = [member.sweep.remote(command) for member in members]
    ended = []
    while waiting:
        ready, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=poll_s)
        ended += ready
        report(progress_of(job))
    for member in members:
        ray.kill(member)
    failed = []
    for one in ended:
        try:
            status, text, node = ray.get(one)
        except ray.exceptions.RayActorError as error:
            status, text, node = None, str(error), "a lost node"
        if status not in _GO_ON:
            failed.append(f"{node}: status {status}: {text}")
    return failed


def _print_progress(progress):
    print(f"{progress.done} of {progress.units} finished, {progress.taken} taken", file=sys.stderr, flush=True)


def run(
    job,
    address="auto",
    *,
    kind=None,
    workers=None,
    cpus=8,
    device=None,
    options=(),
    program="tilewright",
    retries=-1,
    progress=_print_progress,
    poll_s=5.0,
):
    """Sweeps the units of a job until none is left, and returns its Progress. Then `tilewright merge` gathers them.

    job       the folder; the driver and all nodes reach it by this path
    address   of the Ray cluster; unused if the driver is connected already
    kind      Ray's name of the kind of GPU: "H100", "A100", …; a job measures one kind. By default any
    workers   how many actors; by default one for each such GPU in the cluster
    cpus      cores for each actor, which compile
    device    "host" for actors without a GPU; by default each has the GPU that Ray gave it
    options   further words for `tilewright job run`
    retries   how often Ray may start an actor again; -1: always
    progress  called with a Progress after each change, in the driver; None: never

    Raises ImportError without the package ray, InputError if there is no such job or GPU, and MachineError if a member
    failed. A unit that every member leaves (it does not fit the GPU) is not done, and the Progress says so.
    """
    import ray

    before = progress_of(job)
    if not ray.is_initialized():
        ray.init(address=address)
    is_host = device == "host"
    if workers is None:
        workers = 0 if is_host else _count_gpus(ray, kind)
    if workers < 1:
        raise InputError(f"workers: the cluster has no GPU{'' if kind is None else ' of kind ' + kind}; say how many")
    placing = {"num_cpus": cpus, "num_gpus": 0 if is_host else 1, "max_restarts": retries, "max_task_retries": retries}
    if kind is not None:
        placing["accelerator_type"] = kind
    actor = ray.remote(**placing)(_member_class())
    command = [program, "job", "run", str(job), "--jobs", str(cpus), "--quiet", *options]
    if is_host:
        command += ["--device", "host"]

    last = [None]

    def report(now):
        if progress is not None and now != last[0]:
            last[0] = now
            progress(now)

    while True:
        failed = _one_round(ray, actor, min(workers, before.units), command, job, report, poll_s)
        now = progress_of(job)
        if failed and now.done == before.done:
            raise MachineError("; ".join(failed))
        # A member that died last has left its unit, and nobody was there any more to take it over.
        if now.is_complete or now.done == before.done:
            return now
        before = now
        time.sleep(poll_s)
