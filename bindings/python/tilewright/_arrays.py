"""Arrays of any library as pointer, type and count.

Host arrays are read through Python's buffer protocol or DLPack. GPU arrays are read through DLPack,
which also makes their contents ready on the launch's stream, or through __cuda_array_interface__.
Each refusal is an InputError that says what the array is and what is accepted. It begins with a
verb, because the caller puts the argument's name in front.
"""

import ctypes
import dataclasses
import math
import operator
import re
import sys
from ctypes import POINTER, c_char_p, c_int, c_ssize_t, c_void_p, py_object

from ._dlpack import PLACES, capsule_of, tensor_of, type_name_of
from ._library import fields
from .errors import InputError


@dataclasses.dataclass
class ArrayView:
    pointer: int
    type: str  # "float32"; a type that kernels do not have keeps its own name
    count: int  # elements
    item_bytes: int
    readonly: bool
    places: tuple  # kinds of device that can read it: "host", "cuda"
    shape: list
    strides: list  # in elements
    device_index: int | None = None  # of the GPU; None if not known
    owner: object = None  # keeps the memory alive


def view_of(array, stream=0):
    """A C-contiguous array. `stream`: for GPU arrays, the launch's cudaStream_t as an integer."""
    view = strided_view_of(array, stream)
    _require_contiguous(view.shape, view.strides)
    return view


def strided_view_of(array, stream=0):
    """An array with any strides. `count` is the number of its elements."""
    array, name = _as_bits(array)
    # GPU arrays, such as CuPy's, may refuse the buffer protocol with an exception.
    may_be_on_gpu = hasattr(type(array), "__cuda_array_interface__")
    view = None if may_be_on_gpu else _from_buffer(array)
    if view is None and hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        view = _from_dlpack(array, stream)
    if view is None:
        view = _from_cuda_array_interface(array)
    if view is None:
        raise InputError(
            f"is an object of type {type(array).__name__}; give an array with DLPack, "
            "__cuda_array_interface__ or the buffer protocol"
        )
    _require_memory(view)
    view.type = name or view.type
    return view


_MOST_BYTES = 2**63 - 1  # the library's counts have 64 bits, and ctypes would cut larger ones off


def _require_memory(view):
    if view.count * max(view.item_bytes, 1) > _MOST_BYTES:
        raise InputError(f"has the shape {tuple(view.shape)}, which is more than any memory holds")
    if not 0 <= view.pointer < 2**64:
        raise InputError(f"has its data at {view.pointer}, which is no address")
    if view.count > 0 and view.pointer == 0:
        raise InputError(f"has the shape {tuple(view.shape)}, but its data is null")


def _require_contiguous(shape, strides):
    """Strides are in elements; those of dimensions of size 1 are ignored."""
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size == 0:
            return
        if size != 1 and stride != expected:
            raise InputError(
                f"is not contiguous (shape {tuple(shape)}, strides of {tuple(strides)} elements); "
                "give a C-contiguous copy"
            )
        expected *= size


def _whole_numbers(name, numbers):
    try:
        return [operator.index(number) for number in numbers]
    except TypeError:
        raise InputError(f"has {name} {numbers!r}; give a tuple of whole numbers") from None


def _sizes_of(shape):
    sizes = _whole_numbers("the shape", shape)
    if any(size < 0 for size in sizes):
        raise InputError(f"has the shape {tuple(sizes)}; sizes are whole numbers from 0 on")
    return sizes


def _strides_in_elements(shape, strides, item_bytes):
    """`strides`: in bytes, or None for a C-contiguous array.

    Nothing depends on the stride of a dimension of size 1, nor on those of an array without
    elements. They become the contiguous ones, whatever they were.
    """
    usual = _contiguous_strides(shape)
    if strides is None:
        return usual
    strides = _whole_numbers("the strides", strides)
    if len(strides) != len(shape):
        raise InputError(
            f"has {len(strides)} strides for {len(shape)} dimensions; give one for each"
        )
    if 0 in shape:
        return usual
    used = [stride for size, stride in zip(shape, strides) if size != 1]
    if any(stride % item_bytes for stride in used):
        raise InputError(
            f"is not contiguous (shape {tuple(shape)}, strides of {tuple(strides)} bytes, which are "
            f"not multiples of its elements' {item_bytes} bytes); give a C-contiguous copy"
        )
    return [usual[i] if size == 1 else strides[i] // item_bytes for i, size in enumerate(shape)]


def _contiguous_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


_NATIVE = "<" if sys.byteorder == "little" else ">"


# ---- Python's buffer protocol


class _PyBuffer(ctypes.Structure):
    _fields_ = fields(
        (c_void_p, "buf obj"),
        (c_ssize_t, "len itemsize"),
        (c_int, "readonly ndim"),
        (c_char_p, "format"),
        (POINTER(c_ssize_t), "shape strides suboffsets"),
        (c_void_p, "internal"),
    )


_RECORDS_RO = 0x1C  # PyBUF_RECORDS_RO: format and strides, writable or not
_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [py_object, POINTER(_PyBuffer), c_int]
_get_buffer.restype = c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [POINTER(_PyBuffer)]
_release_buffer.restype = None
_has_buffer = ctypes.pythonapi.PyObject_CheckBuffer
_has_buffer.argtypes = [py_object]
_has_buffer.restype = c_int


class _HeldBuffer:
    """Keeps an object's memory where it is."""

    def __init__(self, array):
        self.buffer = _PyBuffer()
        _get_buffer(array, self.buffer, _RECORDS_RO)  # raises BufferError on failure

    def __del__(self):
        _release_buffer(self.buffer)


_FORMAT_KINDS = {"f": "float", "d": "float", "B": "uint", "I": "uint", "L": "uint", "Q": "uint"}
_FORMAT_KINDS |= {"i": "int", "l": "int", "q": "int"}
_FORMAT_KINDS |= {"e": "float", "b": "int", "h": "int", "H": "uint", "Zf": "complex"}

# Types that no buffer has, by the name that ml_dtypes and PyTorch give them.
_NAMELESS = {"bfloat16": "bfloat16", "float8_e4m3fn": "float8_e4m3", "float8_e5m2": "float8_e5m2"}


def plain_name(dtype):
    """The name of a library's dtype as kernels have it: "float32", "float8_e4m3"."""
    name = str(dtype).rpartition(".")[2]
    return _NAMELESS.get(name, name)


def _as_bits(array):
    """The array as unsigned integers and the name of its type, where neither the buffer protocol
    nor DLPack gives elements of that type; otherwise the array and None."""
    dtype = getattr(array, "dtype", None)
    name = _NAMELESS.get(str(dtype).rpartition(".")[2])
    if name is None or not hasattr(array, "view"):
        return array, None
    if hasattr(type(array), "__array_interface__"):  # NumPy
        return array.view(f"u{dtype.itemsize}"), name
    if type(array).__module__.partition(".")[0] == "torch" and name != "bfloat16":
        return array.view(sys.modules["torch"].uint8), name
    return array, None


def _from_buffer(array):
    if not _has_buffer(array):
        return None
    try:
        held = _HeldBuffer(array)
    except BufferError as error:
        raise InputError(f"gives no buffer: {error}") from None
    buffer = held.buffer
    text = (buffer.format or b"B").decode(errors="replace")
    letter = text[1:] if text[:1] in ("@", "=", _NATIVE) else text
    kind = _FORMAT_KINDS.get(letter)
    shape = _sizes_of(buffer.shape[: buffer.ndim])
    strides = buffer.strides[: buffer.ndim] if buffer.strides else None  # ctypes arrays have none
    return ArrayView(
        pointer=buffer.buf or 0,
        type=f"{kind}{8 * buffer.itemsize}" if kind else f"of format '{text}'",
        count=math.prod(shape),
        item_bytes=buffer.itemsize,
        readonly=bool(buffer.readonly),
        places=("host",),
        shape=shape,
        strides=_strides_in_elements(shape, strides, max(buffer.itemsize, 1)),
        owner=held,
    )


# ---- DLPack


def _from_dlpack(array, stream):
    capsule = capsule_of(array, stream)
    tensor, readonly = tensor_of(capsule)
    if tensor.device_type not in PLACES:
        raise InputError(
            f"is on a device of DLPack's type {tensor.device_type}; give memory of CUDA or the host"
        )
    if tensor.ndim < 0 or (tensor.ndim > 0 and not tensor.shape):
        raise InputError("gives a DLPack tensor without a shape")
    shape = _sizes_of(tensor.shape[: tensor.ndim])
    strides = tensor.strides[: tensor.ndim] if tensor.strides else None  # already in elements
    places = PLACES[tensor.device_type]
    return ArrayView(
        pointer=tensor.data + tensor.byte_offset if tensor.data else 0,
        type=type_name_of(tensor),
        count=math.prod(shape),
        item_bytes=tensor.type_bits * tensor.type_lanes // 8,
        readonly=readonly,
        places=places,
        shape=shape,
        strides=_strides_in_elements(shape, strides, 1),
        device_index=tensor.device_id if places == ("cuda",) else None,
        owner=capsule,  # still owns the tensor and frees it at the end
    )


# ---- __cuda_array_interface__


def _interface_of(array):
    try:
        return getattr(array, "__cuda_array_interface__", None)
    except RuntimeError as error:  # a tensor that requires a gradient
        raise InputError(f"gives no __cuda_array_interface__: {error}") from None


_TYPESTR_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}


def _part_of(interface, name):
    try:
        return interface[name]
    except (KeyError, TypeError):
        raise InputError(f"has a __cuda_array_interface__ without '{name}'") from None


def _data_of(interface):
    """The address, and whether the memory is read-only."""
    data = _part_of(interface, "data")
    try:
        pointer, readonly = data
        return operator.index(pointer or 0), bool(readonly)
    except (TypeError, ValueError):
        raise InputError(
            f"has a __cuda_array_interface__ whose data is {data!r}; give (address, read-only)"
        ) from None


def _type_of(typestr):
    """The type's name, and the bytes of an element."""
    parts = re.fullmatch(r"([<>|=])([A-Za-z])([1-9][0-9]{0,8})", str(typestr))
    if parts is None:
        raise InputError(
            f"has a __cuda_array_interface__ of the type {typestr!r}; give a typestr such as '<f4'"
        )
    order, letter, item_bytes = parts[1], parts[2], int(parts[3])
    kind = _TYPESTR_KINDS.get(letter) if order in (_NATIVE, "|") else None
    return f"{kind}{8 * item_bytes}" if kind else f"of type '{typestr}'", item_bytes


def _from_cuda_array_interface(array):
    interface = _interface_of(array)
    if interface is None:
        return None
    shape = _sizes_of(_part_of(interface, "shape"))
    kind, item_bytes = _type_of(_part_of(interface, "typestr"))
    pointer, readonly = _data_of(interface)
    if interface.get("mask") is not None:
        raise InputError("is a masked array; give one without a mask")
    return ArrayView(
        pointer=pointer,
        type=kind,
        count=math.prod(shape),
        item_bytes=item_bytes,
        readonly=readonly,
        places=("cuda",),
        shape=shape,
        strides=_strides_in_elements(shape, interface.get("strides"), item_bytes),
        owner=array,
    )


# ---- Streams of any library as a cudaStream_t, an integer


def stream_pointer(stream):
    """The pointer of a stream of CuPy, PyTorch, Numba or cuda.core; an integer stays as it is."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        pointer = getattr(stream, name, None)
        if isinstance(pointer, ctypes.c_void_p):
            return pointer.value or 0
        if isinstance(pointer, int):
            return pointer
    raise InputError(
        f"stream: {type(stream).__name__} is not a stream; give an integer (a cudaStream_t) or a "
        "stream of CuPy, PyTorch, Numba or cuda.core"
    )


def current_stream(array):
    """The stream that the array's library uses now; None if it does not say."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch" and array.is_cuda:
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    interface = getattr(array, "__cuda_array_interface__", None)
    return interface.get("stream") if isinstance(interface, dict) else None


def stream_of(arrays):
    """The current stream of the arrays' library; the default stream if no library names one."""
    streams = {current_stream(array) for array in arrays} - {None}
    streams = {0 if stream == 1 else stream for stream in streams}  # both are the legacy default
    if len(streams) > 1:
        raise InputError("the arrays use different streams; name the launch's with stream=")
    return streams.pop() if streams else 0
