"""libtilewright.so as include/tilewright/tilewright.h declares it."""

import ctypes
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

from . import errors

PACKAGE = pathlib.Path(__file__).resolve().parent

ENOUGH = -1
READ, WRITE, ARRAY_BY_VALUE, SCALAR_BY_VALUE = range(4)
BUFFER, SCALAR, ARRAY = range(3)
INPUT, OUTPUT, INOUT = range(3)
TYPES = ("float32", "float64", "int32", "uint32", "int64", "uint64", "uint8")


class Request(ctypes.Structure):
    _fields_ = [
        (name, c_char_p)
        for name in ("operation", "problem", "device", "cache", "require", "inputs")
    ]


class Answer(ctypes.Structure):
    _fields_ = [
        ("implementation", c_char_p),
        ("configuration", c_char_p),
        ("problem", c_char_p),
        ("rung", c_int),
        ("rung_name", c_char_p),
        ("distance", c_double),
        ("median_us", c_double),
        ("measured_problem", c_char_p),
        ("measured_device", c_char_p),
        ("policy", c_char_p),
        ("measured_at", c_int64),
        ("reason", c_char_p),
        ("stale", c_int),
        ("origin", c_char_p),
        ("passed_over", c_char_p),
    ]


class Argument(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("type", c_int),
        ("role", c_int),
        ("count", c_int64),
        ("by_value", c_int),
    ]


class Operand(ctypes.Structure):
    _fields_ = [
        ("form", c_int),
        ("type", c_int),
        ("data", c_void_p),
        ("count", c_int64),
        ("values", c_void_p),
    ]


class Scratch(ctypes.Structure):
    _fields_ = [("memory", c_void_p), ("bytes", c_int64), ("state", c_int)]


def plain(structure):
    """The fields of one of the library's structures, with texts decoded."""
    fields = {name: getattr(structure, name) for name, _ in structure._fields_}
    texts = {name: held.decode() for name, held in fields.items() if isinstance(held, bytes)}
    return fields | texts


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
    "tw_best": (c_int, c_void_p, POINTER(Request), POINTER(POINTER(Answer))),
    "tw_results": (c_int, c_void_p, POINTER(Request), c_char_p, POINTER(c_void_p)),
    "tw_text_free": (None, c_void_p),
    "tw_runtime_kernel": (c_int, c_void_p, POINTER(Request), POINTER(c_void_p)),
    "tw_kernel_destroy": (None, c_void_p),
    "tw_bundle_open": (c_int, c_char_p, POINTER(c_void_p)),
    "tw_bundle_kernel": (c_int, c_void_p, POINTER(Request), POINTER(c_void_p)),
    "tw_bundle_trim": (c_int, c_void_p, POINTER(c_size_t)),
    "tw_bundle_close": (None, c_void_p),
    "tw_kernel_answer": (POINTER(Answer), c_void_p),
    "tw_kernel_device_kind": (c_char_p, c_void_p),
    "tw_kernel_device_name": (c_char_p, c_void_p),
    "tw_kernel_prepare": (c_int, c_void_p),
    "tw_kernel_workspace_bytes": (c_int64, c_void_p),
    "tw_kernel_argument_count": (c_size_t, c_void_p),
    "tw_kernel_argument": (c_int, c_void_p, c_size_t, POINTER(Argument)),
    "tw_kernel_launch": (c_int, c_void_p, c_void_p, POINTER(Operand), c_size_t, POINTER(Scratch)),
}


def _load():
    file = os.environ.get("TILEWRIGHT_LIBRARY") or PACKAGE / "libtilewright.so"
    try:
        library = ctypes.CDLL(str(file))
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
        raise _ERRORS[status](lib.tw_error_text().decode("utf-8", "replace"))
