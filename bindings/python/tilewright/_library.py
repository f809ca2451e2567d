"""libtilewright.so as include/tilewright/tilewright.h declares it."""

import ctypes
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

from . import errors
from ._numbers import ELEMENT_TYPES

PACKAGE = pathlib.Path(__file__).resolve().parent
FILE = pathlib.Path(os.environ.get("TILEWRIGHT_LIBRARY") or PACKAGE / "libtilewright.so")

ENOUGH = -1
READ, WRITE, ARRAY_BY_VALUE, SCALAR_BY_VALUE, PREPARED = range(5)
TYPES = [element.name for element in ELEMENT_TYPES]


def fields(*declarations):
    """The fields of a structure from (type, "names") in their order, as C declares them."""
    return [(name, kind) for kind, names in declarations for name in names.split()]


class Sized(ctypes.Structure):
    """A structure that begins with its size, which says what fields this file knows."""

    def __init__(self, *values, **named):
        super().__init__(ctypes.sizeof(self), *values, **named)


class Request(Sized):
    _fields_ = fields(
        (c_size_t, "size"), (c_char_p, "operation problem device cache require inputs")
    )


class Answer(ctypes.Structure):
    _fields_ = fields(
        (c_char_p, "implementation configuration problem"),
        (c_int, "rung"),
        (c_char_p, "rung_name"),
        (c_double, "distance median_us"),
        (c_char_p, "measured_problem measured_device policy"),
        (c_int64, "measured_at"),
        (c_char_p, "reason"),
        (c_int, "stale"),
        (c_char_p, "origin passed_over"),
        (c_double, "warm_median_us"),
        (c_char_p, "why_stale"),
        (c_int, "power_limit_w"),
    )


class Argument(Sized):
    _fields_ = fields(
        (c_size_t, "size"),
        (c_char_p, "name"),
        (c_int, "kind type role"),
        (c_int64, "count"),
        (c_int, "by_value prepared"),
    )


class Operand(ctypes.Structure):
    _fields_ = fields(
        (c_int, "form type"), (c_void_p, "data"), (c_int64, "count"), (c_void_p, "values")
    )


class Scratch(ctypes.Structure):
    _fields_ = fields((c_void_p, "memory"), (c_int64, "bytes"), (c_int, "state"))


def plain(structure):
    """The fields of one of the library's structures but its size, with texts decoded."""
    names = (name for name, _ in structure._fields_ if name != "size")
    held = {name: getattr(structure, name) for name in names}
    texts = {name: text.decode() for name, text in held.items() if isinstance(text, bytes)}
    return held | texts


_FUNCTIONS = {
    "tw_error_text": (c_char_p,),
    "tw_version": (c_char_p,),
    "tw_options_create": (c_int, POINTER(c_void_p)),
    "tw_options_set": (c_int, c_void_p, c_char_p, c_char_p),
    "tw_options_override": (c_int, c_void_p, c_char_p, c_char_p, c_char_p),
    "tw_options_destroy": (None, c_void_p),
    "tw_answer_destroy": (None, POINTER(Answer)),
    "tw_runtime_open": (c_int, c_void_p, POINTER(c_void_p)),
    "tw_runtime_close": (None, c_void_p),
    "tw_runtime_trim": (c_int, c_void_p, POINTER(c_size_t)),
    "tw_runtime_store_wanted": (c_int, c_void_p, c_char_p, POINTER(c_size_t)),
    "tw_runtime_fingerprint": (c_int, c_void_p, POINTER(c_void_p)),
    "tw_best": (c_int, c_void_p, POINTER(Request), POINTER(POINTER(Answer))),
    "tw_results": (c_int, c_void_p, POINTER(Request), c_char_p, POINTER(c_void_p)),
    "tw_text_free": (None, c_void_p),
    "tw_runtime_kernel": (c_int, c_void_p, POINTER(Request), POINTER(c_void_p)),
    "tw_kernel_destroy": (None, c_void_p),
    "tw_bundle_open": (c_int, c_char_p, POINTER(c_void_p)),
    "tw_bundle_kernel": (c_int, c_void_p, POINTER(Request), POINTER(c_void_p)),
    "tw_runtime_operation": (c_int, c_void_p, c_char_p, POINTER(c_void_p)),
    "tw_bundle_operation": (c_int, c_void_p, c_char_p, POINTER(c_void_p)),
    "tw_bundle_trim": (c_int, c_void_p, POINTER(c_size_t)),
    "tw_bundle_close": (None, c_void_p),
    "tw_kernel_answer": (POINTER(Answer), c_void_p),
    "tw_kernel_device_kind": (c_char_p, c_void_p),
    "tw_kernel_device_name": (c_char_p, c_void_p),
    "tw_kernel_prepare": (c_int, c_void_p),
    "tw_kernel_workspace_bytes": (c_int64, c_void_p),
    "tw_kernel_argument_count": (c_size_t, c_void_p),
    "tw_kernel_argument": (c_int, c_void_p, c_size_t, POINTER(Argument)),
    "tw_kernel_prepare_input": (c_int, c_void_p, c_void_p, POINTER(Operand), POINTER(c_void_p)),
    "tw_prepared_again": (c_int, c_void_p, c_void_p),
    "tw_prepared_bytes": (c_int64, c_void_p),
    "tw_prepared_destroy": (None, c_void_p),
    "tw_kernel_launch": (c_int, c_void_p, c_void_p, POINTER(Operand), c_size_t, POINTER(Scratch)),
}


def _load():
    try:
        library = ctypes.CDLL(str(FILE))
    except OSError as error:
        raise ImportError(
            f"{error}; install the package with pip, or name the library in TILEWRIGHT_LIBRARY"
        ) from None
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()


class Owner:
    """Frees an object of the library when it goes. A copy is the same object, as of a function."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        raise TypeError(
            f"a tilewright.{type(self).__name__} cannot be pickled: each process makes its own"
        )


_ERRORS = (
    None,
    errors.NothingFound,
    errors.InputError,
    errors.MachineError,
    errors.LaunchError,
    errors.InternalError,
)


def check(status):
    """Raises the exception that the status stands for, with the library's message."""
    if status != 0:
        text = lib.tw_error_text().decode("utf-8", "replace")
        # What one does without a GPU, in the words of Python instead of the program's.
        raise _ERRORS[status](text.replace("--device host", 'device="host"'))
