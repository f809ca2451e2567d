"""DLPack: the capsule that an array gives, and the tensor in it. Refusals are as in _arrays."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64
from ctypes import c_void_p, py_object

from ._library import fields
from ._numbers import ELEMENT_TYPES
from .errors import InputError


class DLTensor(ctypes.Structure):
    _fields_ = fields(
        (c_void_p, "data"),
        (c_int32, "device_type device_id ndim"),
        (c_uint8, "type_code type_bits"),
        (c_uint16, "type_lanes"),
        (POINTER(c_int64), "shape strides"),
        (c_uint64, "byte_offset"),
    )


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = fields(
        (c_uint32, "major minor"),
        (c_void_p, "manager_ctx deleter"),
        (c_uint64, "flags"),
        (DLTensor, "tensor"),
    )


_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes = [py_object, c_char_p]
_is_capsule.restype = c_int
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.argtypes = [py_object, c_char_p]
_capsule_pointer.restype = c_void_p

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
PLACES = {
    _CPU: ("host",),
    _CUDA: ("cuda",),
    _CUDA_HOST: ("host", "cuda"),
    _CUDA_MANAGED: ("host", "cuda"),
}
_NAMES = {(t.dlpack_code, 8 * t.item_bytes): t.name for t in ELEMENT_TYPES}
# The kinds of those that kernels do not have, for messages.
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
_FLAG_READ_ONLY = 1


def gpu_of(array):
    """The index of the GPU that holds the array, if that is known before it is read. PyTorch gives
    no tensor of a GPU that is not the current one."""
    if not hasattr(array, "__dlpack_device__"):
        return None
    kind, index = array.__dlpack_device__()
    return index if kind == _CUDA else None


def capsule_of(array, stream):
    if getattr(array, "is_neg", bool)():  # PyTorch's DLPack tensor would lack the sign
        raise InputError("is negated only when it is read; give tensor.resolve_neg()")
    arguments = {}
    if array.__dlpack_device__()[0] in (_CUDA, _CUDA_MANAGED):
        arguments["stream"] = stream or 1  # 1: the legacy default stream
    try:
        try:
            return array.__dlpack__(max_version=(1, 0), **arguments)
        except TypeError:  # a library from before DLPack 1.0
            return array.__dlpack__(**arguments)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"gives no DLPack tensor: {error}") from None


def tensor_of(capsule):
    """The tensor, and whether it is read-only."""
    if _is_capsule(capsule, b"dltensor_versioned"):
        pointer = _capsule_pointer(capsule, b"dltensor_versioned")
        managed = ctypes.cast(pointer, POINTER(DLManagedTensorVersioned)).contents
        if managed.major != 1:
            raise InputError(f"is a DLPack tensor of version {managed.major}; 1 is understood")
        return managed.tensor, bool(managed.flags & _FLAG_READ_ONLY)
    if not _is_capsule(capsule, b"dltensor"):
        raise InputError("gives a DLPack capsule that is invalid or was used already")
    pointer = _capsule_pointer(capsule, b"dltensor")
    return ctypes.cast(pointer, POINTER(DLTensor)).contents, False


def type_name_of(tensor):
    """The name of its type; one that kernels do not have keeps its own."""
    kind = _KINDS.get(tensor.type_code, f"DLPack's {tensor.type_code}, ")
    name = _NAMES.get((tensor.type_code, tensor.type_bits), f"{kind}{tensor.type_bits}")
    return name + (f" in {tensor.type_lanes} lanes" if tensor.type_lanes != 1 else "")
