"""Tunes functions of this process. docs/evaluator.md says what their times count for."""

import concurrent.futures
import contextlib
import dataclasses
import inspect
import json
import os
import pathlib
import selectors
import socket
import sys
import tempfile
import threading

from ._kernel_tuner.manifest import toml
from ._kernel_tuner.parameters import parameters_of
from .errors import InputError
from .evaluator import PROTOCOL, Server
from .runtime import Runtime

# The evaluator's process, which passes lines between the sweep and the process that has the functions.
_BRIDGE = """\
import os, socket

door = socket.socket(socket.AF_UNIX)
door.connect(os.environ["TILEWRIGHT_DOOR"])
answers = door.makefile("rb")
for request in os.fdopen(3, "rb"):
    door.sendall(request)
    answer = answers.readline()
    if not answer:
        raise SystemExit("the process with the functions has ended the tuning")
    while answer:
        answer = answer[os.write(4, answer):]
"""


def tune_callable(
    prepare, tune_params, *, check, name=None, problem=None, constraints=(), database=None, synchronize=None,
    version="", device=None, budget=None, time_limit_s=None, strategy=None, seed=1, measure_anew=False,
    progress=None, worker=None,
):  # fmt: skip
    """Tunes a function of this process, and returns a TuneResult. Its calls are timed by the clock,
    one after another, so the times are warm, and marked as the function's own.

    prepare      called as prepare(problem, configuration); returns a callable without arguments
    tune_params  a list of values for each name; the first of each is the default
    check        called with that callable: True, False, or a text that says what is wrong
    name         by default that of the function
    problem      a dict of integers, by which results are told apart
    constraints  expressions of manifests that a configuration must fulfil
    synchronize  waits until what calls began has ended; by default PyTorch's, if it is imported
    version      a text that identifies what the function uses; its own source identifies it, too
    database     file for the results; by default they are not kept

    The others are those of Runtime.tune. What hangs or crashes does so in this process.
    """
    identity = [source_of(prepare), version]
    definition = Definition(name or prepare.__name__, tune_params, problem or {}, constraints, identity)
    options = dict(device=device, budget=budget, time_limit_s=time_limit_s, strategy=strategy)
    options |= dict(seed=seed, measure_anew=measure_anew, worker=worker)
    timing = {"synchronize": synchronize or _synchronize(device)}
    return tune(definition, prepare, check, timing, problem, database, progress, options)


def tune(definition, prepare, check, timing, problem, database, progress, options):
    """`timing`: further methods of a session, without self."""

    class Session:
        def __init__(self):
            vars(self).update(timing)

        def prepare(self, problem, configuration):
            return prepare(problem, definition.given(configuration))

        def check(self, run):
            return check(run)

    def with_values(told):
        return dataclasses.replace(told, configuration=definition.given(told.configuration))

    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        runtime = definition.runtime(folder, database or pathlib.Path(folder, "results.db"))

        def tune_until(stop):
            def tell(told):
                if stop.is_set():
                    raise KeyboardInterrupt
                if progress:
                    progress(with_values(told))

            return runtime.tune(definition.name, problem, progress=tell, **options)

        return with_values(_served(Session, tune_until))


def source_of(function):
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""  # then the version alone identifies it


class Definition:
    """The manifest of functions: their problem and parameters, and what identifies them."""

    def __init__(self, name, tune_params, dimensions, constraints, identity):
        if not name.isidentifier():
            raise InputError(f"name: '{name}' is no name; give one of letters, digits and '_'")
        self.name = name
        self._parameters = parameters_of(tune_params)
        self._dimensions, self._constraints = list(dimensions), list(constraints)
        self._identity = "\n".join(identity)

    def given(self, configuration):
        """The caller's values of a configuration."""
        return {
            name: one.values[one.told.index(configuration[name])] for name, one in self._parameters.items()
        }

    def runtime(self, folder, database):
        """Knows the manifest, which is written to the folder."""
        folder = pathlib.Path(folder)
        (folder / "bridge.py").write_text(_BRIDGE)
        (folder / "source.txt").write_text(self._identity)
        manifest = folder / f"{self.name}.toml"
        manifest.write_text(self._manifest())
        return Runtime(database, [], manifests=manifest, shipped=[], bundles=[])

    def _manifest(self):
        lines = ["schema = 1", "[operation]", f"name = {toml(self.name)}"]
        for name in self._dimensions:
            lines += ["[[operation.dimension]]", f"name = {toml(name)}", "default = 1"]
        lines += ["[[implementation]]", 'name = "callable"', 'evaluator = ["python3", "bridge.py"]']
        lines += ['files = ["source.txt"]']
        for one in self._parameters.values():
            lines += ["[[implementation.parameter]]", f"name = {toml(one.name)}"]
            lines += [f"values = {toml(one.told)}", f"default = {toml(one.told[0])}"]
        for require in self._constraints:
            lines += ["[[implementation.constraint]]", f"require = {toml(require)}", f"why = {toml(require)}"]
        return "\n".join(lines) + "\n"


def _synchronize(device):
    torch = sys.modules.get("torch")
    if device != "host" and torch and torch.cuda.is_available():
        return torch.cuda.synchronize
    return lambda: None


_one_at_a_time = threading.Lock()  # the door's name is in the environment


def _served(session_class, tune):
    """What tune(stop) returns, in another thread, while this one calls the functions."""
    stop = threading.Event()
    ended, end = socket.socketpair()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_one_at_a_time)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tilewright-"))
        for one in (ended, end):
            stack.enter_context(one)
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(1))
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(f"{folder}/door")
            door.listen()
            os.environ["TILEWRIGHT_DOOR"] = f"{folder}/door"
            tuned = pool.submit(tune, stop)
            tuned.add_done_callback(lambda _: end.send(b"."))
            try:
                _answer(door, ended, session_class)
            except BaseException:  # Ctrl-C; the functions' own exceptions are answers
                stop.set()
                raise
            finally:
                del os.environ["TILEWRIGHT_DOOR"]
        return tuned.result()


def _answer(door, ended, session_class):
    with selectors.DefaultSelector() as selector, contextlib.ExitStack() as guests:
        selector.register(door, selectors.EVENT_READ)
        selector.register(ended, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is ended:
                    return
                if key.fileobj is door:
                    guest = guests.enter_context(door.accept()[0])
                    guests.callback(guest.shutdown, socket.SHUT_RDWR)
                    selector.register(guest, selectors.EVENT_READ, _Guest(guest, session_class))
                elif not key.data.is_answered():
                    selector.unregister(key.fileobj)


class _Guest:
    """A bridge."""

    def __init__(self, connection, session_class):
        self._lines = connection.makefile("rb")
        self._connection = connection
        self._server = Server(session_class)
        self._comes_first = False

    def is_answered(self):
        """False at the end of its requests."""
        line = self._lines.readline()
        if not line:
            return False
        request = json.loads(line)
        if request["verb"] == "hello":
            self._comes_first = request["task"] == "prepare"
        # Nothing is prepared ahead: it would share this process with what is timed.
        ready = {"id": request["id"], "ok": {"protocol": PROTOCOL}}
        answer = ready if self._comes_first else self._server.answer(request)
        with contextlib.suppress(OSError):  # a sweep that waited too long has closed it
            self._connection.sendall(json.dumps(answer).encode() + b"\n")
        return True
