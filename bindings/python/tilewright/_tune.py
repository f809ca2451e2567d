"""Tuning from within a program. docs/tune.md says what is measured, checked and stored."""

import contextlib
import ctypes
import dataclasses
import json
import os
import shutil
import signal
import threading
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t
from ctypes import c_uint64, c_void_p

from . import _library
from ._arrays import view_of
from ._library import check, fields, lib
from ._numbers import whole_number
from .errors import InputError

# Four as bits, and complex numbers as their parts.
FORMATS = dict(zip(_library.TYPES, "f d i I q Q B b h H H H B B f".split()))


class _Array(ctypes.Structure):
    _fields_ = fields(
        (c_char_p, "argument"), (c_void_p, "data"), (c_int64, "bytes"), (c_int, "memory")
    )


class _ReferenceArgument(ctypes.Structure):
    _fields_ = fields(
        (c_char_p, "name"), (c_int, "type"), (c_void_p, "before after"), (c_int64, "bytes")
    )


class _Progress(ctypes.Structure):
    _fields_ = fields(
        (c_int64, "planned done"),
        (c_char_p, "implementation configuration outcome"),
        (c_double, "median_us best_us"),
    )


_ReferenceFunction = CFUNCTYPE(c_int, c_void_p, c_char_p, POINTER(_ReferenceArgument), c_size_t)
_ProgressFunction = CFUNCTYPE(c_int, c_void_p, POINTER(_Progress))


class _Request(_library.Sized):
    _fields_ = fields(
        (c_size_t, "size"),
        (c_char_p, "operation problem device cache"),
        (POINTER(_Array), "arrays"),
        (c_size_t, "array_count"),
        (_ReferenceFunction, "reference"),
        (_ProgressFunction, "progress"),
        (c_void_p, "context"),
        (c_int64, "budget"),
        (c_double, "time_limit_s"),
        (c_char_p, "strategy where"),
        (c_uint64, "seed"),
        (c_int, "recorded isolation"),
        (c_char_p, "worker"),
        (c_int, "compile_processes"),
    )


lib.tw_tune.argtypes = [c_void_p, POINTER(_Request), POINTER(c_void_p)]
lib.tw_tune.restype = c_int


@dataclasses.dataclass(frozen=True)
class Progress:
    """One more configuration and its outcome."""

    planned: int
    done: int
    implementation: str
    configuration: dict
    outcome: str  # "measured", "wrong_answer", …
    median_us: float | None
    best_us: float | None  # the lowest so far


@dataclasses.dataclass(frozen=True)
class TuneResult:
    """The fastest configuration with right answers. Times are microseconds of one call."""

    implementation: str
    configuration: dict
    median_us: float
    interval_low_us: float  # 95 % interval of the median
    interval_high_us: float
    default_us: float | None  # of the implementation's default; None if not measured
    problem: dict
    device: str
    policy: str
    sweep: str  # its id in the database
    was_on_record: bool  # answered from the database
    end: str  # "finished", "time_limit", "plateau", "enough_time", "interrupted"
    legal: int  # configurations that could be tried
    outcomes: dict  # outcome: how many


class _Callbacks:
    """Python functions that C calls. An exception ends the tw_tune call and is stored."""

    def __init__(self, reference, progress):
        self.raised = None
        self.interrupts = []
        self._reference = reference
        self._progress = progress
        self.reference = _ReferenceFunction(self._refer) if reference else _ReferenceFunction()
        # Set even without a function of the user, so that Ctrl-C is noticed between two trials.
        self.progress = _ProgressFunction(self._tell)

    def _guarded(self, work):
        try:
            work()
            return 1 if self.interrupts else 0
        except BaseException as error:
            self.raised = error
            return 1

    def _refer(self, _context, problem, arguments, count):
        return self._guarded(lambda: self._ask(json.loads(problem), arguments[:count]))

    def _ask(self, problem, arguments):
        inputs, outputs = {}, {}
        for argument in arguments:
            name, format_ = argument.name.decode(), FORMATS[_library.TYPES[argument.type]]
            for address, side in ((argument.before, inputs), (argument.after, outputs)):
                if address:
                    memory = (ctypes.c_char * argument.bytes).from_address(address)
                    side[name] = memoryview(memory).cast("B").cast(format_)
            if name in inputs:
                inputs[name] = inputs[name].toreadonly()
        self._reference(problem, inputs, outputs)

    def _tell(self, _context, progress):
        return self._guarded(lambda: self._show(progress.contents))

    def _show(self, told):
        if self._progress is None:
            return
        held = _library.plain(told)
        held["configuration"] = json.loads(held["configuration"])
        for name in ("median_us", "best_us"):
            held[name] = held[name] or None
        self._progress(Progress(**held))


@contextlib.contextmanager
def _held_interrupts(interrupts):
    """Records Ctrl-C in `interrupts` until the end, because an exception in a callback would be
    lost."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    signal.signal(signal.SIGINT, lambda *given: interrupts.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if interrupts:
            handler(*interrupts[0])


def _whole(name, value, least, most):
    number = whole_number(value)
    if number is None:
        raise InputError(f"{name}: give a whole number; a {type(value).__name__} was given")
    if not least <= number <= most:
        raise InputError(f"{name}: {number} is outside {least} to {most}")
    return number


def _budget_of(budget):
    if budget is None:
        return 0
    return _library.ENOUGH if budget == "all" else _whole("budget", budget, 1, 2**63 - 1)


def _worker(given):
    folders = [_library.PACKAGE, _library.FILE.parent, _library.FILE.parent.parent / "bin"]
    beside = [folder / "tilewright-worker" for folder in folders]
    found = given or next(filter(os.path.exists, beside), shutil.which("tilewright-worker"))
    if found is None:
        raise InputError(
            "worker: no tilewright-worker is in the package, beside the library or on PATH; "
            "give its path"
        )
    return os.fsencode(found)


def _arrays_of(arrays, kept):
    given = (_Array * len(arrays))()
    for place, (name, array) in zip(given, arrays.items()):
        try:
            view = view_of(array)
        except InputError as error:
            raise InputError(f"array '{name}' {error}") from error.__cause__
        if view.type not in _library.TYPES:
            raise InputError(f"array '{name}' has elements {view.type}, which no argument has")
        kept.append(view)
        place.argument = name.encode()
        place.data = view.pointer
        place.bytes = view.count * view.item_bytes
        place.memory = 0 if "host" in view.places else 1
    return given


_ISOLATION = {"process": 0, "caller": 1}


def tune(handle, request, arrays, reference, progress, options):
    """`request`: the library's Request; `options`: those of Runtime.tune."""
    isolation = options["isolation"]
    if isolation not in _ISOLATION:
        raise InputError(f"isolation '{isolation}': give process or caller")
    kept = []
    callbacks = _Callbacks(reference, progress)
    given = _arrays_of(dict(arrays or {}), kept)
    whole = _Request(
        operation=request.operation,
        problem=request.problem,
        device=request.device,
        cache=request.cache,
        arrays=given,
        array_count=len(given),
        reference=callbacks.reference,
        progress=callbacks.progress,
        budget=_budget_of(options["budget"]),
        time_limit_s=options["time_limit_s"] or 0,
        strategy=options["strategy"] and options["strategy"].encode(),
        where=options["where"] and options["where"].encode(),
        seed=_whole("seed", options["seed"], 1, 2**64 - 1),
        recorded=int(options["measure_anew"]),
        isolation=_ISOLATION[isolation],
        worker=_worker(options["worker"]),
        compile_processes=_whole("compile_processes", options["compile_processes"] or 0, 0, 1024),
    )
    text = c_void_p()
    try:
        with _held_interrupts(callbacks.interrupts):
            status = lib.tw_tune(handle, whole, byref(text))
        result = ctypes.string_at(text) if text else None
    finally:
        lib.tw_text_free(text)
    if callbacks.raised is not None:
        raise callbacks.raised
    check(status)
    held = json.loads(result)
    held["default_us"] = held["default_us"] or None
    del held["failure"]
    return TuneResult(**held)
