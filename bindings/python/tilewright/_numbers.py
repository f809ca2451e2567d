"""The types of elements, and numbers as a kernel takes them."""

import ctypes
import math
import operator
import typing

from .errors import InputError


class ElementType(typing.NamedTuple):
    name: str
    kind: str  # "float", "int", "uint" or "complex"
    item_bytes: int
    dlpack_code: int


# The rows of include/tilewright/element_type.hpp that Python needs, in the order of tw_type.
ELEMENT_TYPES = (
    ElementType("float32", "float", 4, 2),
    ElementType("float64", "float", 8, 2),
    ElementType("int32", "int", 4, 0),
    ElementType("uint32", "uint", 4, 1),
    ElementType("int64", "int", 8, 0),
    ElementType("uint64", "uint", 8, 1),
    ElementType("uint8", "uint", 1, 1),
    ElementType("int8", "int", 1, 0),
    ElementType("int16", "int", 2, 0),
    ElementType("uint16", "uint", 2, 1),
    ElementType("float16", "float", 2, 2),
    ElementType("bfloat16", "float", 2, 4),
    ElementType("float8_e4m3", "float", 1, 10),
    ElementType("float8_e5m2", "float", 1, 12),
    ElementType("complex64", "complex", 8, 5),
)


def whole_number(value):
    """An int of whatever Python takes as an index, such as NumPy's integers; else None."""
    try:
        return operator.index(value)
    except TypeError:
        return None


def _scalar(element):
    """Holds one element: a narrow float as its bits, a complex number as its two parts."""
    if element.kind == "complex":
        return ctypes.c_float * 2
    if element.kind == "float" and element.item_bytes >= 4:
        return {4: ctypes.c_float, 8: ctypes.c_double}[element.item_bytes]
    signed = {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32, 8: ctypes.c_int64}
    unsigned = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}
    return (signed if element.kind == "int" else unsigned)[element.item_bytes]


SCALARS = {element.name: _scalar(element) for element in ELEMENT_TYPES}
_CONVERSIONS = {"float": float, "complex": complex, "int": operator.index, "uint": operator.index}
_CONVERT = {element.name: _CONVERSIONS[element.kind] for element in ELEMENT_TYPES}

# Bits of the exponent and the mantissa, and the bits of what is too great: infinity or NaN.
NARROW = {
    "float16": (5, 10, 0x7C00),
    "bfloat16": (8, 7, 0x7F80),
    "float8_e4m3": (4, 3, 0x7F),
    "float8_e5m2": (5, 2, 0x7C),
}


def narrow_bits(kind, value):
    """The nearest number of a type in NARROW, of two as near the even one, as its bits."""
    exponent_bits, mantissa_bits, beyond = NARROW[kind]
    sign = (math.copysign(1, value) < 0) << (exponent_bits + mantissa_bits)
    if math.isnan(value):
        return sign | (beyond | 1 << mantissa_bits - 1)
    if math.isinf(value):
        return sign | beyond
    least = 2 - (1 << exponent_bits - 1) - mantissa_bits
    step = max(math.frexp(value)[1] - 1 - mantissa_bits, least) if value else least
    size = ((step - least) << mantissa_bits) + round(math.ldexp(abs(value), -step))
    return sign | min(size, beyond)


def number(argument, value):
    """The value as a ctypes object. Only floating-point numbers are rounded."""
    convert = _CONVERT[argument.type]
    scalar = SCALARS[argument.type]
    try:
        if isinstance(value, (str, bytes, bytearray)):  # float() would read them
            raise TypeError
        number = convert(value)
        if convert is complex:
            return scalar(number.real, number.imag)
        narrow = argument.type in NARROW
        held = scalar(narrow_bits(argument.type, number) if narrow else number)
    except (TypeError, ValueError, RuntimeError):
        kind = type(value).__name__
        raise InputError(f"is a number of {argument.type}; a {kind} was given") from None
    if convert is operator.index and held.value != operator.index(value):
        raise InputError(f"is a number of {argument.type}; {value} is outside its range")
    return held
