"""Calls that were made before, with other arrays that look the same: no views, no look-up.

The look of an array is all that its view depends on, except its address. It is known for the arrays
of NumPy, CuPy and PyTorch, but not for those of classes derived from them.
"""

import ctypes
import dataclasses
import struct
import sys

from . import _library
from ._arrays import current_stream, stream_of
from ._library import check
from ._numbers import NARROW, SCALARS

_MOST_REMEMBERED = 4096


@dataclasses.dataclass(frozen=True, eq=False)
class _Reader:
    """How the arrays of one library are read."""

    look: object  # array → a tuple
    address: object  # array → its address


# NumPy's flags WRITEABLE and WARN_ON_WRITE. (Asking for `writeable` itself may warn.)
_WRITING = 0x400 | 0x80000000


def _look_of_tensor(tensor):
    refused = tensor.requires_grad, tensor.is_neg(), tensor.is_conj()
    return tensor.dtype, tensor.device, tensor.layout, tensor.shape, tensor.stride(), refused


def _address_of_tensor(tensor):
    # A storage may have been freed under a tensor, whose address is then that of its offset.
    return tensor.data_ptr() if tensor.untyped_storage().nbytes() else 0


_KNOWN = {
    ("numpy", "ndarray"): _Reader(
        lambda array: (array.dtype, array.shape, array.strides, array.flags.num & _WRITING),
        lambda array: array.__array_interface__["data"][0],
    ),
    ("cupy", "ndarray"): _Reader(  # its DLPack device says whether the memory is managed
        lambda array: (array.dtype, array.__dlpack_device__(), array.shape, array.strides),
        lambda array: array.data.ptr,
    ),
    ("torch", "Tensor"): _Reader(_look_of_tensor, _address_of_tensor),
}
_readers = {}  # by class; None: not known


def _reader_of(array):
    kind = type(array)
    if kind not in _readers:
        library, name = kind.__module__, kind.__name__
        is_known = getattr(sys.modules.get(library), name, None) is kind
        _readers[kind] = _KNOWN.get((library, name)) if is_known else None
    return _readers[kind]


def looks_of(arrays):
    """A key: equal for arrays of one library that look the same. None if a look is not known."""
    reader = _reader_of(arrays[0])
    if reader is None:
        return None
    kind, looks = type(arrays[0]), [reader]
    for array in arrays:
        if type(array) is not kind:
            look = getattr(array, "look", None)  # of a PreparedInput
            if look is None:
                return None
            looks.append(look)
            continue
        try:
            looks.append(reader.look(array))
        except RuntimeError:  # PyTorch: a sparse tensor has no strides
            return None
    return tuple(looks)


# With a pointer to bytes in the place of operands.
_launch = ctypes.CFUNCTYPE(
    ctypes.c_int, *[ctypes.c_void_p] * 3, ctypes.c_size_t, ctypes.c_void_p
)(("tw_kernel_launch", _library.lib))

_OPERAND = "iiPqP"  # the fields of _library.Operand


class Call:
    """A launch that was made, to be made again with arrays of the same looks and other numbers."""

    def __init__(self, kernel, arguments, operands):
        """`operands`: what the launch with these arguments took. The kernel must outlive this."""
        self._handle = kernel._handle
        self.workspace_bytes = kernel.workspace_bytes
        self._count = len(operands)
        self._fields = []  # of the operands, and then the numbers, each as eight bytes
        self._arrays = []  # where they are among the arguments and fields, how they are read
        self._numbers = []  # the same, and the classes that are written as they are
        formats = ["@" + _OPERAND * self._count]
        size = ctypes.sizeof(operands)
        for i, (argument, operand) in enumerate(zip(kernel.arguments, operands)):
            place = len(self._fields) + _OPERAND.index("P")
            self._fields += (operand.form, operand.type, operand.data, operand.count, 0)
            if operand.form == _library.PREPARED:
                continue
            if argument.kind != "scalar":
                self._arrays.append((i, place, _reader_of(arguments[i]).address))
                continue
            plain = (float, int) if argument.type.startswith("float") else (int,)
            if argument.type in NARROW:
                plain = ()  # none is written as it is
            self._numbers.append((i, place, size + 8 * len(self._numbers), plain))
            formats.append("0q" + SCALARS[argument.type]._type_)
        self._fields += [0] * len(self._numbers)
        self._layout = struct.Struct("".join(formats) + "0q")
        self._memory = ctypes.c_char * self._layout.size
        on_streams = (i for i, _, _ in self._arrays if current_stream(arguments[i]) is not None)
        self._streamed = next(on_streams, None)

    def launch(self, arguments, workspace=None):
        """False, without a launch, if an argument needs a closer look."""
        memory = self._memory()
        start = ctypes.addressof(memory)
        fields = self._fields.copy()
        try:
            for i, place, address in self._arrays:
                fields[place] = address(arguments[i])
            value = -len(self._numbers)
            for i, place, offset, plain in self._numbers:
                if not isinstance(arguments[i], plain):
                    return False
                fields[place] = start + offset
                fields[value] = arguments[i]
                value += 1
            self._layout.pack_into(memory, 0, *fields)
        except (RuntimeError, OverflowError, struct.error):
            return False
        if any(not fields[place] for _, place, _ in self._arrays):
            return False
        stream = 0 if self._streamed is None else stream_of([arguments[self._streamed]])
        check(_launch(self._handle, stream, start, self._count, self._scratch(workspace)))
        return True

    def _scratch(self, workspace):
        if workspace is None:
            return None
        address = _reader_of(workspace).address(workspace)
        return ctypes.byref(_library.Scratch(address, self.workspace_bytes, 0))


def call_of(kernel, arguments, operands):
    """The Call, or None if it would need more than addresses and numbers."""
    is_plain = all(argument.kind != "array" for argument in kernel.arguments)
    has_own_workspace = kernel.device_kind == "host" and kernel.workspace_bytes > 0
    is_odd = any(operand.values or operand.count == 0 for operand in operands)
    if has_own_workspace or is_odd or not is_plain:
        return None
    return Call(kernel, arguments, operands)


class Memo:
    """Values by key, not too many of them. Nothing is kept by the key None, nor is a value None."""

    def __init__(self):
        self._values = {}

    def get(self, key):
        return self._values.get(key)

    def add(self, key, value):
        if key is None or value is None:
            return
        if len(self._values) >= _MOST_REMEMBERED and key not in self._values:
            self._values.clear()
        self._values[key] = value
