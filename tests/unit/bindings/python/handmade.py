"""Arrays made by hand, as libraries that are not here would give them."""

import array
import ctypes

from tilewright import _arrays, _dlpack


def floats(count, start=0.0):
    return array.array("f", [start + i for i in range(count)])


def address_of(values):
    return values.buffer_info()[0]


_new_memoryview = ctypes.pythonapi.PyMemoryView_FromBuffer
_new_memoryview.argtypes = [ctypes.POINTER(_arrays._PyBuffer)]
_new_memoryview.restype = ctypes.py_object
_RECORDS = (ctypes.c_uint8 * 64)()


def field_of_records(count, stride, form=b"f", item_bytes=4):
    """A buffer of floats, one every `stride` bytes, as NumPy gives a field of a structured array."""
    return _new_memoryview(
        _arrays._PyBuffer(
            buf=ctypes.addressof(_RECORDS) + 32,
            len=item_bytes * count,
            itemsize=item_bytes,
            ndim=1,
            format=form,
            shape=(ctypes.c_ssize_t * 1)(count),
            strides=(ctypes.c_ssize_t * 1)(stride),
        )
    )


class CudaArray:
    """Speaks __cuda_array_interface__ of memory that nobody reads."""

    def __init__(self, shape, typestr="<f4", pointer=0x1000, readonly=False, **more):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (pointer, readonly),
            "version": 3,
            **more,
        }


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_new_capsule.restype = ctypes.py_object

CPU, CUDA, CUDA_HOST, ROCM = 1, 2, 3, 10
INT, UINT, FLOAT = 0, 1, 2


class DLPackArray:
    """Speaks DLPack; remembers what it was asked. Keeps its capsules' tensors."""

    def __init__(self, shape, pointer=0x1000, device=(CPU, 0), dtype=(FLOAT, 32, 1), **more):
        self.device = device
        self.strides = more.pop("strides", None)
        self.readonly = more.pop("readonly", None)  # None: speaks DLPack of before 1.0
        self.byte_offset = more.pop("byte_offset", 0)
        assert not more
        self.shape = shape
        self.pointer = pointer
        self.dtype = dtype
        self.asked = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **arguments):
        if self.readonly is None and "max_version" in arguments:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.asked.append(arguments)
        numbers = ctypes.c_int64 * len(self.shape)
        self._shape = numbers(*self.shape)
        self._strides = numbers(*self.strides) if self.strides else None
        tensor = _dlpack.DLTensor(
            data=self.pointer,
            device_type=self.device[0],
            device_id=self.device[1],
            ndim=len(self.shape),
            type_code=self.dtype[0],
            type_bits=self.dtype[1],
            type_lanes=self.dtype[2],
            shape=self._shape,
            strides=self._strides,
            byte_offset=self.byte_offset,
        )
        if self.readonly is None:
            self._managed = tensor  # a DLManagedTensor begins with it
            name = b"dltensor"
        else:
            self._managed = _dlpack.DLManagedTensorVersioned(
                major=1, flags=int(self.readonly), tensor=tensor
            )
            name = b"dltensor_versioned"
        return _new_capsule(ctypes.addressof(self._managed), name, None)
