"""The arguments of a kernel as Kernel Tuner's functions take them."""

import ctypes
import dataclasses
import math
import re

from .. import _library
from .._arrays import plain_name, view_of
from ..errors import InputError


@dataclasses.dataclass
class Operand:
    """An argument of the kernel: an array, or a number that is part of the manifest."""

    name: str
    type: str
    array: object = None
    count: int = 0
    literal: str | None = None
    read_only: bool = False
    launched: bool = True  # whether the kernel takes it, too, where a symbol is filled from it
    given: object = None  # the array as the caller has it

    def as_given(self, contents):
        """Numbers in the shape and with the type of the given array."""
        if self.array is self.given:
            return contents
        return contents.view(self.given.dtype).reshape(self.given.shape)


def prefixed(name, work, *arguments):
    """The result of work, whose InputErrors then begin with the name of what was given."""
    try:
        return work(*arguments)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error.__cause__


def operands_of(name, text, arguments, taken):
    """`taken`: names that arguments cannot have."""
    if not isinstance(arguments, (list, tuple)):
        raise InputError(f"arguments: give a list, not {arguments!r}")
    names, read_only = _signature(name, text, len(arguments), taken)
    return [
        prefixed(f"argument {i + 1}", _operand, names[i], argument, read_only[i])
        for i, argument in enumerate(arguments)
    ]


def _signature(name, text, count, taken):
    """The names of the kernel's parameters, and which point to const; made-up names where the
    source does not show them."""
    made_up = [f"argument{i + 1}" for i in range(count)], [False] * count
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    base = re.escape(name.partition("<")[0].rpartition("::")[2])
    found = re.search(rf"__global__[^;{{}}]*?\b{base}\s*\(([^()]*)\)\s*\{{", plain)
    parts = found[1].split(",") if found else []
    if len(parts) != count:
        return made_up
    names = [re.search(r"(\w+)\s*(?:\[\s*\w*\s*\])?\s*$", part) for part in parts]
    listed = [match[1] if match else "" for match in names]
    taken = {*taken, "abs", "ceil_div", "device", "max", "min", "size_of", "workspace"}
    if len(set(listed)) != count or taken & set(listed) or not all(map(is_name, listed)):
        return made_up
    return listed, [bool(re.search(r"\bconst\b[^*]*\*", part)) for part in parts]


def is_name(text):
    """Whether it is one in C and in manifests."""
    return re.fullmatch(r"[A-Za-z_]\w{0,255}", text, re.ASCII) is not None


def numbers_of(array):
    """The array; of NumPy's bool, complex128 and records a view of the numbers that they consist of."""
    dtype = getattr(array, "dtype", None)
    kind = getattr(dtype, "kind", "")
    is_record = kind == "V" and plain_name(dtype) not in _library.TYPES and not dtype.hasobject
    if kind == "b" or is_record or kind == "c" and dtype.itemsize == 16:
        return array.reshape(-1).view("f8" if kind == "c" else "u1")
    return array


def _operand(name, argument, read_only):
    if isinstance(argument, ctypes._SimpleCData):
        return _scalar(name, _type_of_ctypes(argument), argument.value)
    if hasattr(argument, "dtype") and getattr(argument, "shape", None) == ():
        dtype = argument.dtype
        kinds = {"f": "float", "i": "int", "u": "uint", "b": "uint"}
        kind = kinds.get(getattr(dtype, "kind", ""))
        type_ = f"{kind}{8 * dtype.itemsize}" if kind else str(dtype)
        return _scalar(name, type_, argument.item())
    if isinstance(argument, (bool, int, float)):
        raise InputError(f"{argument!r} has no type; give numpy.int32(…) or numpy.float32(…)")
    given, argument = argument, numbers_of(argument)
    view = view_of(argument)
    if view.type not in _library.TYPES:
        raise InputError(f"has elements {view.type}, which no argument has")
    if view.count == 0:
        raise InputError("has no elements")
    return Operand(name, view.type, argument, view.count, read_only=read_only, given=given)


def _type_of_ctypes(argument):
    code = argument._type_
    kind = "float" if code in "fd" else "int" if code in "bhilq" else "uint"
    if code not in "fdbhilqBHILQ?":
        raise InputError(f"{argument!r} is no number")
    return f"{kind}{8 * ctypes.sizeof(argument)}"


def _scalar(name, type_, value):
    if type_ not in _library.TYPES or isinstance(value, complex):
        raise InputError(f"is a number of {type_}, which cannot be a constant of a manifest")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"is {value}; only finite numbers can be constants of a manifest")
        return Operand(name, type_, literal=repr(value))
    if int(value) >= 2**63:
        raise InputError(f"is {value}; at most {2**63 - 1} can be a constant of a manifest")
    return Operand(name, type_, literal=str(int(value)))


def constants_of(given, operands):
    """Symbols in constant memory; data that is no argument of the kernel becomes another operand."""
    constants = {}
    for symbol, data in (given or {}).items():
        if not is_name(str(symbol)):
            raise InputError(f"cmem_args: '{symbol}' must be the name of a symbol")
        same = next((one for one in operands if one.array is not None and one.given is data), None)
        if same is None:
            same = prefixed(f"cmem_args: '{symbol}'", _operand, symbol, data, True)
            if same.literal is not None:
                raise InputError(f"cmem_args: '{symbol}' must be an array; a number was given")
            same.launched = False
            operands.append(same)
        same.read_only = True
        constants[symbol] = same.name
    return constants
