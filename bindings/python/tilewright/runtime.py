"""Look-ups, and kernels to launch."""

import contextlib
import ctypes
import dataclasses
import json
import os
import weakref
from ctypes import byref, c_void_p

from . import _library
from ._library import Owner, check, lib
from ._numbers import whole_number
from ._tune import tune
from .errors import InputError
from .kernel import Kernel, answer_from


def _packed(name):
    folder = _library.PACKAGE / name
    return folder if folder.is_dir() else None


def kernel_templates():
    """The folder of definitions that comes with the package; None in a source tree."""
    return _packed("kernel_templates")


def shipped_results():
    """The folder of results that comes with the package; None in a source tree."""
    return _packed("shipped_results")


def general_bundles():
    """The files of compiled kernels that come with the package; none unless it was built so."""
    folder = _packed("bundles")
    return sorted(folder.glob("*.bundle")) if folder else []


@dataclasses.dataclass(frozen=True)
class Override:
    """A configuration to use wherever it fits, whatever was measured.

    It applies to problems that have the values of `problem`; if that is empty, to all problems of
    the operation. If it does not fit, Answer.passed_over says why.
    """

    implementation: str  # "gemm/tiled"
    configuration: dict  # every parameter
    problem: dict = dataclasses.field(default_factory=dict)


def version():
    return lib.tw_version().decode()


def _listed(value):
    """A list from one text or path, a list of them, or None."""
    if value is None:
        return []
    return [value] if isinstance(value, (str, bytes, os.PathLike)) else list(value)


def _text(value):
    if value is None:
        return None
    text = os.fsencode(value)
    if b"\0" in text:  # C would take only what is before it
        raise InputError(f"{value!r} has a NUL character in it")
    return text


def _setting(name, value):
    number = whole_number(value)
    text = value if number is None else str(number)
    if not isinstance(text, str):
        kind = type(value).__name__
        raise InputError(f"{name}: give an integer or a label; a {kind} was given")
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


def _kernel(make, source, request, device):
    handle = c_void_p()
    check(make(source, request, byref(handle)))
    _, _, index = (device or "").partition("cuda:")
    return Kernel(handle, int(index) if index.isdigit() else 0)


def _counted(function, *arguments):
    """The number that a function of the library tells."""
    count = ctypes.c_size_t()
    check(function(*arguments, byref(count)))
    return count.value


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


class Runtime(Owner):
    """Looks results up, makes kernels ready to launch, and tunes on request.

    database        file of `tilewright sweep`; without one the definitions' defaults answer
    kernels         folder of definitions, or several; by default those of the package
    manifests       single files of operations or snippets
    shipped         files of `tilewright export --format winners`, or folders of them; by default
                    those of the package
    libraries       "on" (the default): routines of foreign libraries that are here, such as
                    cublasLt's, take part in tune() and answer; "off": they do not
    overrides       Overrides; the first that fits answers
    bundles         files of `tilewright bundle`; by default those of the package
    cache           folder of compiled code, for the next run
    compiling       "when_needed" (the default), or "in_background": what is neither in a bundle nor
                    in the cache is compiled while a bundle's next best kernel serves
    toolkits        folders to search first for NVRTC, and for CUDA's headers beside it
    host_compiler   C++ compiler for the host device
    scratch         folder for temporary files
    patience_ms     how long to wait for another process's lock on the database

    Safe to use from many threads. After fork() a child opens a Runtime of its own.
    """

    def __init__(
        self,
        database=None,
        kernels=None,
        *,
        manifests=None,
        shipped=None,
        libraries=None,
        overrides=(),
        bundles=None,
        cache=None,
        compiling=None,
        toolkits=None,
        host_compiler=None,
        scratch=None,
        patience_ms=None,
    ):
        given = {
            "kernels": kernel_templates() if kernels is None else kernels,
            "manifest": manifests,
            "shipped": shipped_results() if shipped is None else shipped,
            "libraries": libraries,
            "bundle": general_bundles() if bundles is None else bundles,
            "toolkit": toolkits,
            "database": database,
            "cache": cache,
            "compiling": compiling,
            "host_compiler": host_compiler,
            "scratch": scratch,
            "patience_ms": None if patience_ms is None else str(patience_ms),
        }
        pairs = [(key, value) for key, values in given.items() for value in _listed(values)]
        self._handle = c_void_p()
        with _options(pairs, overrides) as options:
            check(lib.tw_runtime_open(options, byref(self._handle)))
        # No compiler may run while the process ends.
        closing = weakref.finalize(self, lib.tw_runtime_close, self._handle)
        closing.atexit = compiling == "in_background"

    def best(
        self, operation, problem=None, /, *, device=None, cache=None, require=None, **settings
    ):
        """The best configuration on record, as an Answer; nothing is compiled.

        best("gemm", M=512, N=512, K=512) or best("gemm", {"M": 512, …}). `device`: "cuda:0",
        "host", the name of a device with results, or a part that is in no other name. `cache`:
        "robust", "cold" or "warm". `require`: "any", "device" or "exact"; raises NothingFound if no answer is
        that strong.
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
        """The kernel of the answer of best() on a device of this machine: "cuda:0", "host", "auto".

        `inputs="memory"`: on a GPU the kernel reads every buffer in device memory at each launch,
        and needs no with_values(). If the best configuration takes an input by value, it is used
        with that input in memory instead; that variant has not been measured.
        """
        request = _request(operation, problem, settings, device, cache, require, inputs)
        return _kernel(lib.tw_runtime_kernel, self._handle, request, device)

    def operation(self, name):
        """What a call of the operation gives, as a dict: its dimensions, choices and arguments, in the
        manifest's order and with its words."""
        return json.loads(_made(lib.tw_runtime_operation, self._handle, _text(name)))

    def trim(self):
        """Unloads every kernel that no Kernel, Gemm or Convolution holds, and returns their number.
        Otherwise a runtime keeps all kernels that it was asked for. Their launches must be done,
        and no CUDA graph may launch them again."""
        return _counted(lib.tw_runtime_trim, self._handle)

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
        """Tunes, stores the results in the runtime's database, and returns a TuneResult.

        arrays       inputs by their names in the manifest, on the host or on a GPU. Work that
                     writes them must have ended. Inputs that are not given are filled.
        reference    called as reference(problem, inputs, outputs) to write the right outputs
                     (numpy.asarray(outputs["y"])[:] = …). inputs and outputs are dicts of
                     memoryviews; floats of 16 and 8 bits are bits there, as unsigned integers.
                     By default the operation's own reference is used.
        budget       number of configurations to try, or "all"; by default at most 500
        where        only configurations for which this expression is true, of the implementations that have its names
        measure_anew measure again even if the same request is on record
        isolation    "process": kernels run in their own process; "caller": in this one
        progress     called with a Progress after each configuration
        worker       the tilewright-worker program; by default the package's, else the one beside the
                     library or in bin beside the library's folder, else the one on PATH

        Raises NothingFound if no configuration was right, and whatever the callbacks raise. In that
        case, and after Ctrl-C, the trials so far are kept. docs/tune.md has the details.
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
        problem and the configuration are named as in "problem.M" and "configuration.BLOCK_M". Times
        are microseconds. `problem` and settings must be equal; `device` is a part of the name.
        """
        request = _request(operation, problem, settings, device)
        text = _made(lib.tw_results, self._handle, request, _text(what))
        return [_flat(row) for row in json.loads(text)]

    def store_wanted(self, file=None):
        """Stores the requests since the last call that had no exact answer, and returns their
        number: in `file`, which is created if it does not exist, by default in the runtime's
        database. `tilewright sweep --wanted` tunes them. Look-ups count, not launches."""
        return _counted(lib.tw_runtime_store_wanted, self._handle, _text(file))

    def fingerprint(self):
        """32 hexadecimal digits that stand for everything that decides which kernel a request gets:
        definitions with their sources, results, overrides, bundles and the version. Processes of
        one application compare them to know that they choose alike."""
        return _made(lib.tw_runtime_fingerprint, self._handle)


def _made(function, *arguments):
    """The text that a function of the library makes."""
    text = c_void_p()
    check(function(*arguments, byref(text)))
    try:
        return ctypes.string_at(text).decode()
    finally:
        lib.tw_text_free(text)


def _flat(row):
    flat = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat.update({f"{name}.{inner}": held for inner, held in value.items()})
        else:
            flat[name] = value
    return flat


def results(database, operation=None, problem=None, /, *, device=None, what="trials", **settings):
    """Runtime.results for a database."""
    runtime = Runtime(database, kernels=[], shipped=[])
    return runtime.results(operation, problem, device=device, what=what, **settings)


class Bundle(Owner):
    """The kernels in a file of `tilewright bundle`. Needs no compiler, database or definitions."""

    def __init__(self, file):
        self._handle = c_void_p()
        check(lib.tw_bundle_open(_text(file), byref(self._handle)))
        weakref.finalize(self, lib.tw_bundle_close, self._handle).atexit = False

    def kernel(
        self, operation, problem=None, /, *, device=None, require=None, inputs=None, **settings
    ):
        """The bundle's own kernel for a problem that it holds. For another problem: the answer of a
        look-up in its results, among those that it has code for (see kernel.answer.rung). Raises
        InputError if there is none, or for another device. `require`, `inputs`: as Runtime.kernel.
        """
        request = _request(operation, problem, settings, device, None, require, inputs)
        return _kernel(lib.tw_bundle_kernel, self._handle, request, device)

    def operation(self, name):
        """Like Runtime.operation, by the definitions that the bundle was made with."""
        return json.loads(_made(lib.tw_bundle_operation, self._handle, _text(name)))

    def trim(self):
        """Like Runtime.trim."""
        return _counted(lib.tw_bundle_trim, self._handle)
