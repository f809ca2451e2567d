"""Numbers as a kernel takes them."""

import ctypes
import operator

from .errors import InputError

SCALARS = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "uint8": ctypes.c_uint8,
}


def number(argument, value):
    """The value as a ctypes object. Only floating-point numbers are rounded."""
    convert = float if argument.type.startswith("float") else operator.index
    scalar = SCALARS[argument.type]
    try:
        if isinstance(value, (str, bytes, bytearray)):  # float() would read them
            raise TypeError
        held = scalar(convert(value))
    except (TypeError, ValueError, RuntimeError):
        kind = type(value).__name__
        raise InputError(f"is a number of {argument.type}; a {kind} was given") from None
    if convert is operator.index and held.value != operator.index(value):
        raise InputError(f"is a number of {argument.type}; {value} is outside its range")
    return held
