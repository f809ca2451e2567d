# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Looking up, and kernels to launch."""

import contextlib
import ctypes
import dataclasses
import json
import operator
import os
import weakref
from ctypes import byref, c_void_p

from . import _library
from ._library import check, lib
from ._tune import tune
from .errors import InputError
from .kernel import Kernel, answer_from


def kernel_templates():
    """The folder of the definitions that come with the package; None: run from a source tree."""
    folder = _library.PACKAGE / "kernel_templates"
    return folder if folder.is_dir() else None


def shipped_results():
    """The folder of the results that come with the package; None: run from a source tree."""
    folder = _library.PACKAGE / "shipped_results"
    return folder if folder.is_dir() else None


@dataclasses.dataclass(frozen=True)
class Override:
    """A configuration to be served whatever was measured, where it fits.

    For problems that have the values of `problem`, else for all of the operation. Where one does
    not fit, Answer.passed_over says why.
    """

    implementation: str  # "gemm/tiled"
    configuration: dict  # every parameter
    problem: dict = dataclasses.field(default_factory=dict)


def version():
    return lib.tw_version().decode()


def _paths(value):
    """Of one path or a list of them."""
    if value is None:
        return []
    return [value] if isinstance(value, (str, os.PathLike)) else list(value)


def _text(value):
    return None if value is None else os.fsencode(value)


def _setting(name, value):
    try:
        text = str(operator.index(value))
    except TypeError:
        if not isinstance(value, str):
            kind = type(value).__name__
            raise InputError(f"{name}: give an integer or a label; a {kind} was given") from None
        text = value
    if not text or any(c.isspace() or c == "=" for c in text):
        raise InputError(f"{name}: '{text}' is neither an integer nor a label")
    return f"{name}={text}"


def _settings(values):
    return " ".join(_setting(name, value) for name, value in values.items())


def _request(
    operation, problem, settings, device=None, cache=None, require=None, inputs=None
):
    whole = dict(problem or {})
    for name, value in settings.items():
        if name in whole:
            raise InputError(f"{name} is given twice")
        whole[name] = value
    text = _settings(whole)
    return _library.Request(*map(_text, (operation, text, device, cache, require, inputs)))


def _device_index(device):
    _, _, index = (device or "").partition("cuda:")
    return int(index) if index.isdigit() else 0


@contextlib.contextmanager
def _options(pairs, overrides=()):
    options = c_void_p()
    check(lib.tw_options_create(byref(options)))
    try:
        for key, value in pairs:
            check(lib.tw_options_set(options, key.encode(), os.fsencode(value)))
        for one in overrides:
            problem, configuration = _settings(one.problem), _settings(one.configuration)
            check(
                lib.tw_options_override(
                    options, _text(one.implementation), _text(problem), _text(configuration)
                )
            )
        yield options
    finally:
        lib.tw_options_destroy(options)


class Runtime:
    """Looks results up, makes kernels ready to launch, and tunes where it is asked to.

    database        file of `tilewright sweep`; without one the definitions' defaults answer
    kernels         folder of definitions, or several; those that come with the package
    manifests       single files: operations, snippets
    shipped         files of `tilewright export --format winners` or folders of them; those that
                    come with the package
    overrides       Overrides, of which the first that fits answers
    bundles         files of `tilewright bundle`
    cache           folder of compiled code, for the next run
    toolkits        folders to look for NVRTC in, before others
    host_compiler   C++ compiler for the host device
    scratch         folder for its temporary files
    patience_ms     how long to wait for another process's lock on the database

    Safe to use from many threads; not to be carried across fork().
    """

    def __init__(
        self,
        database=None,
        kernels=None,
        *,
        manifests=None,
        shipped=None,
        overrides=(),
        bundles=None,
        cache=None,
        toolkits=None,
        host_compiler=None,
        scratch=None,
        patience_ms=None,
    ):
        lists = {
            "kernels": kernel_templates() if kernels is None else kernels,
            "manifest": manifests,
            "shipped": shipped_results() if shipped is None else shipped,
            "bundle": bundles,
            "toolkit": toolkits,
        }
        pairs = [(key, path) for key, value in lists.items() for path in _paths(value)]
        single = {
            "database": database,
            "cache": cache,
            "host_compiler": host_compiler,
            "scratch": scratch,
            "patience_ms": None if patience_ms is None else str(patience_ms),
        }
        pairs += [(key, value) for key, value in single.items() if value is not None]
        self._handle = c_void_p()
        with _options(pairs, overrides) as options:
            check(lib.tw_runtime_open(options, byref(self._handle)))
        weakref.finalize(self, lib.tw_runtime_close, self._handle).atexit = False

    def best(
        self, operation, problem=None, /, *, device=None, cache=None, require=None, **settings
    ):
        """The best configuration on record, as an Answer; nothing is compiled.

        best("gemm", M=512, N=512, K=512) or best("gemm", {"M": 512, …}). `device`: "cuda:0",
        "host", the name of a device with results or a part that is in no other's; `cache`: "warm",
        "cold"; `require`: "any", "device", "exact". Raises NothingFound where nothing is as strong
        as is required.
        """
        request = _request(operation, problem, settings, device, cache, require)
        answer = ctypes.POINTER(_library.Answer)()
        check(lib.tw_best(self._handle, request, byref(answer)))
        try:
            return answer_from(answer.contents)
        finally:
            lib.tw_answer_destroy(answer)

    def kernel(
        self,
        operation,
        problem=None,
        /,
        *,
        device=None,
        cache=None,
        require=None,
        inputs=None,
        **settings,
    ):
        """The kernel of that answer on a device of this machine: "cuda:0", "host", "auto".

        `inputs="memory"`: on a GPU the kernel reads every buffer in device memory, at each launch
        anew, and needs no with_values(). Where the best configuration takes an input by value, the
        same one with that input in memory answers; nobody has measured that.
        """
        request = _request(operation, problem, settings, device, cache, require, inputs)
        handle = c_void_p()
        check(lib.tw_runtime_kernel(self._handle, request, byref(handle)))
        return Kernel(handle, _device_index(device))

    def trim(self):
        """Unloads every kernel that no Kernel, Gemm or Convolution holds, and returns how many those
        were; a runtime keeps all that it was asked for. Their launches must be done, and no CUDA
        graph may launch them again."""
        count = ctypes.c_size_t()
        check(lib.tw_runtime_trim(self._handle, byref(count)))
        return count.value

    def tune(
        self,
        operation,
        problem=None,
        /,
        *,
        arrays=None,
        reference=None,
        device=None,
        cache=None,
        budget=None,
        time_limit_s=None,
        strategy=None,
        where=None,
        seed=1,
        measure_anew=False,
        isolation="process",
        progress=None,
        worker=None,
        compile_processes=None,
        **settings,
    ):
        """Tunes into the runtime's database, and returns a TuneResult when it is done.

        arrays       inputs by their names in the manifest, on the host or on a GPU, where what
                     writes them has ended; others are filled
        reference    called as reference(problem, inputs, outputs), dicts of memoryviews, to write
                     the outputs (numpy.asarray(outputs["y"])[:] = …); else the operation's own
        budget       configurations to try, "all" of them, or up to 500 as far as that is useful
        where        only configurations for which this expression holds
        measure_anew whether the very same request on record is measured all the same
        isolation    "process": kernels run in a process of their own; "caller": in this one
        progress     called with a Progress after each configuration
        worker       the tilewright-worker program: the package's, else that of the PATH

        Raises NothingFound where no configuration was right, and what the callbacks raise; then, as
        after Ctrl-C, the trials so far are kept. docs/tune.md has the whole.
        """
        request = _request(operation, problem, settings, device, cache)
        options = {
            "budget": budget,
            "time_limit_s": time_limit_s,
            "strategy": strategy,
            "where": where,
            "seed": seed,
            "measure_anew": measure_anew,
            "isolation": isolation,
            "worker": worker,
            "compile_processes": compile_processes,
        }
        return tune(self._handle, request, arrays, reference, progress, options)

    def results(self, operation=None, problem=None, /, *, device=None, what="trials", **settings):
        """Stored results as a list of flat dicts, which pandas.DataFrame takes; newest sweep first.

        `what`: "trials", one for every configuration that was tried, or "best". Columns of the
        problem and the configuration are "problem.M" and "configuration.BLOCK_M"; times are
        microseconds. `problem` and settings hold what must be equal, `device` a part of its name.
        """
        request = _request(operation, problem, settings, device)
        text = c_void_p()
        check(lib.tw_results(self._handle, request, _text(what), byref(text)))
        try:
            rows = json.loads(ctypes.string_at(text))
        finally:
            lib.tw_text_free(text)
        return [_flat(row) for row in rows]


def _flat(row):
    flat = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat.update({f"{name}.{inner}": held for inner, held in value.items()})
        else:
            flat[name] = value
    return flat


def results(database, operation=None, problem=None, /, *, device=None, what="trials", **settings):
    """Runtime.results of a database."""
    runtime = Runtime(database, kernels=[], shipped=[])
    return runtime.results(operation, problem, device=device, what=what, **settings)


class Bundle:
    """Kernels of a file of `tilewright bundle`: no compiler, database or definitions are needed."""

    def __init__(self, file):
        self._handle = c_void_p()
        check(lib.tw_bundle_open(_text(file), byref(self._handle)))
        weakref.finalize(self, lib.tw_bundle_close, self._handle).atexit = False

    def kernel(
        self, operation, problem=None, /, *, device=None, require=None, inputs=None, **settings
    ):
        """Its own kernel for a problem that it holds, else what a look-up in its results gives, as far
        as its code goes (kernel.answer.rung tells); InputError for others, or another device.
        `require` and `inputs` as Runtime.kernel."""
        request = _request(operation, problem, settings, device, None, require, inputs)
        handle = c_void_p()
        check(lib.tw_bundle_kernel(self._handle, request, byref(handle)))
        return Kernel(handle, _device_index(device))

    def trim(self):
        """As Runtime.trim."""
        count = ctypes.c_size_t()
        check(lib.tw_bundle_trim(self._handle, byref(count)))
        return count.value
