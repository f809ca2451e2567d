"""How arrays are read, without a GPU and without their libraries."""

import array
import ctypes
import struct
import unittest

import handmade
from handmade import CPU, CUDA, CUDA_HOST, FLOAT, INT, ROCM, CudaArray, DLPackArray
from handmade import field_of_records

from tilewright import InputError
from tilewright._arrays import stream_of, stream_pointer, view_of
from tilewright._dlpack import gpu_of
from tilewright._numbers import narrow_bits


class Case(unittest.TestCase):
    def refuses(self, given, part):
        with self.assertRaises(InputError) as caught:
            view_of(given)
        self.assertIn(part, str(caught.exception))


class Buffers(Case):
    def test_of_an_array(self):
        values = handmade.floats(6)
        view = view_of(values)
        self.assertEqual(view.pointer, handmade.address_of(values))
        self.assertEqual((view.type, view.count, view.item_bytes), ("float32", 6, 4))
        self.assertEqual((view.places, view.readonly), (("host",), False))

    def test_types(self):
        names = "float64 uint8 int32 uint32 int64 uint64 int8 int16 uint16".split()
        for letter, name in zip("dBiIqQbhH", names):
            self.assertEqual(view_of(array.array(letter, [1])).type, name)
        self.assertEqual(view_of((ctypes.c_float * 3)()).type, "float32")  # of format '<f'
        self.assertEqual(view_of((ctypes.c_float.__ctype_be__ * 3)()).type, "of format '>f'")

    def test_read_only(self):
        self.assertTrue(view_of(b"abcd").readonly)
        self.assertTrue(view_of(memoryview(handmade.floats(3)).toreadonly()).readonly)

    def test_keeps_the_memory(self):
        values = handmade.floats(3)
        view = view_of(values)
        with self.assertRaises(BufferError):
            values.append(1.0)
        del view
        values.append(1.0)

    def test_strides(self):
        values = memoryview(handmade.floats(8))
        self.refuses(values[::2], "is not contiguous (shape (4,), strides of (2,) elements)")
        self.assertEqual(view_of(values[2:5]).count, 3)
        self.assertEqual(view_of(values[3:4:2]).count, 1)  # one element has no stride

    # As NumPy gives it for a field of a structured array: 4 bytes every 5, or 4 every 6.
    def test_a_field_of_records_is_not_contiguous(self):
        self.refuses(field_of_records(3, stride=5), "strides of (5,) bytes")
        self.refuses(field_of_records(3, stride=6), "not multiples of its elements' 4 bytes")
        self.refuses(field_of_records(3, stride=3), "strides of (3,) bytes")
        self.refuses(field_of_records(3, stride=8), "strides of (2,) elements")
        self.refuses(field_of_records(3, stride=-4), "strides of (-1,) elements")
        self.refuses(field_of_records(3, stride=-5), "strides of (-5,) bytes")
        self.refuses(field_of_records(3, stride=0), "strides of (0,) elements")
        self.assertEqual(view_of(field_of_records(3, stride=4)).count, 3)
        self.assertEqual(view_of(field_of_records(1, stride=5)).count, 1)  # of no consequence
        self.assertEqual(view_of(field_of_records(0, stride=5)).count, 0)

    def test_of_nothing(self):
        self.assertEqual(view_of(array.array("f")).count, 0)
        self.assertEqual(view_of(ctypes.c_float(1)).count, 1)  # no dimension

    def test_of_no_array(self):
        self.refuses([1.0], "is an object of type list; give an array with DLPack")


class CudaArrayInterface(Case):
    def test_is_read(self):
        view = view_of(CudaArray((3, 4), pointer=0x2000))
        self.assertEqual((view.pointer, view.type, view.count), (0x2000, "float32", 12))
        self.assertEqual((view.places, view.readonly, view.device_index), (("cuda",), False, None))
        self.assertTrue(view_of(CudaArray((1,), readonly=True)).readonly)
        self.assertEqual(view_of(CudaArray((0,), pointer=0)).count, 0)
        self.assertEqual(view_of(CudaArray(())).count, 1)

    def test_goes_before_a_buffer(self):
        class Both(bytearray):
            __cuda_array_interface__ = CudaArray((2,)).__cuda_array_interface__

        self.assertEqual(view_of(Both(8)).places, ("cuda",))

    def test_types(self):
        self.assertEqual(view_of(CudaArray((1,), "|u1")).type, "uint8")
        self.assertEqual(view_of(CudaArray((1,), "<i8")).type, "int64")
        self.assertEqual(view_of(CudaArray((1,), ">f4")).type, "of type '>f4'")
        self.assertEqual(view_of(CudaArray((1,), "<V8")).type, "of type '<V8'")

    def test_strides(self):
        self.assertEqual(view_of(CudaArray((3, 4), strides=(16, 4))).count, 12)
        self.assertEqual(view_of(CudaArray((1, 4), strides=(999, 4))).count, 4)
        self.refuses(CudaArray((3, 4), strides=(32, 4)), "is not contiguous")
        self.refuses(CudaArray((3, 4), strides=(4, 12)), "is not contiguous")  # column-major

    def test_strides_are_checked_exactly(self):
        self.refuses(CudaArray((3,), strides=(5,)), "strides of (5,) bytes")
        self.refuses(CudaArray((3, 4), strides=(17, 4)), "strides of (17, 4) bytes")
        self.refuses(CudaArray((3, 4), strides=(4,)), "1 strides for 2 dimensions")
        self.refuses(CudaArray((3,), strides=("4",)), "give a tuple of whole numbers")
        self.refuses(CudaArray((3,), strides=4), "give a tuple of whole numbers")
        self.assertEqual(view_of(CudaArray((1, 4), strides=(-7, 4))).strides, [4, 1])
        self.assertEqual(view_of(CudaArray((0, 4), strides=(7, 9), pointer=0)).count, 0)
        self.assertEqual(view_of(CudaArray((3,), strides=None)).count, 3)

    def test_shapes(self):
        self.refuses(CudaArray((-1,)), "has the shape (-1,); sizes are whole numbers from 0 on")
        self.refuses(CudaArray((-2, -3)), "has the shape (-2, -3)")
        self.refuses(CudaArray((2.0,)), "give a tuple of whole numbers")
        self.refuses(CudaArray(None), "give a tuple of whole numbers")
        self.refuses(CudaArray((2**64 - 1,)), "more than any memory holds")
        self.refuses(CudaArray((2**62, 4)), "more than any memory holds")

    def test_typestr(self):
        for typestr in ("", "f4", "<f", "<f0", "<f-4", "<f4x", "<f 4", "\u0663f4", None, 4):
            self.refuses(CudaArray((1,), typestr), "give a typestr such as '<f4'")

    def test_data(self):
        self.refuses(CudaArray((2,), pointer=0), "its data is null")
        self.refuses(CudaArray((2,), pointer=None), "its data is null")
        self.refuses(CudaArray((2,), pointer=-8), "which is no address")
        self.refuses(CudaArray((2,), data=None), "whose data is None; give (address, read-only)")
        self.refuses(CudaArray((2,), data=(1, 2, 3)), "whose data is (1, 2, 3)")
        self.refuses(CudaArray((2,), data=("x", False)), "whose data is ('x', False)")

    def test_missing_parts(self):
        for name in ("shape", "typestr", "data"):
            given = CudaArray((2,))
            del given.__cuda_array_interface__[name]
            self.refuses(given, f"has a __cuda_array_interface__ without '{name}'")
        given.__cuda_array_interface__ = 7
        self.refuses(given, "has a __cuda_array_interface__ without 'shape'")
        self.assertEqual(stream_of([given]), 0)

    def test_refuses_a_mask(self):
        self.refuses(CudaArray((3,), mask=CudaArray((3,))), "masked")

    def test_of_a_tensor_that_cannot_say(self):
        class Tensor:
            @property
            def __cuda_array_interface__(self):
                raise RuntimeError("Can't get it on Variable that requires grad")

        self.refuses(Tensor(), "requires grad")


class DLPack(Case):
    def test_of_the_host(self):
        given = DLPackArray((2, 3), 0x3000, byte_offset=8)
        view = view_of(given)
        self.assertEqual((view.pointer, view.type, view.count), (0x3008, "float32", 6))
        self.assertEqual((view.places, view.device_index), (("host",), None))
        self.assertEqual(given.asked, [{}])  # no stream for the host

    def test_of_a_gpu_waits_for_the_stream(self):
        given = DLPackArray((4,), device=(CUDA, 1), readonly=False)
        view = view_of(given, stream=77)
        self.assertEqual((view.places, view.device_index), (("cuda",), 1))
        self.assertEqual(given.asked, [{"max_version": (1, 0), "stream": 77}])
        old = DLPackArray((4,), device=(CUDA, 0))
        view_of(old, stream=0)
        self.assertEqual(old.asked, [{"stream": 1}])  # the legacy default stream

    def test_says_its_gpu_without_being_read(self):
        given = DLPackArray((4,), device=(CUDA, 1))
        self.assertEqual(gpu_of(given), 1)
        self.assertEqual(given.asked, [])
        self.assertIsNone(gpu_of(DLPackArray((4,), device=(CPU, 0))))
        self.assertIsNone(gpu_of(array.array("f", [1])))

    def test_pinned_memory_serves_both(self):
        self.assertEqual(view_of(DLPackArray((4,), device=(CUDA_HOST, 0))).places, ("host", "cuda"))

    def test_read_only(self):
        self.assertTrue(view_of(DLPackArray((4,), readonly=True)).readonly)
        self.assertFalse(view_of(DLPackArray((4,), readonly=False)).readonly)

    def test_types(self):
        self.assertEqual(view_of(DLPackArray((1,), dtype=(INT, 32, 1))).type, "int32")
        self.assertEqual(view_of(DLPackArray((1,), dtype=(FLOAT, 16, 1))).type, "float16")
        self.assertEqual(view_of(DLPackArray((1,), dtype=(4, 16, 1))).type, "bfloat16")
        self.assertEqual(view_of(DLPackArray((1,), dtype=(10, 8, 1))).type, "float8_e4m3")
        self.assertEqual(view_of(DLPackArray((1,), dtype=(12, 8, 1))).type, "float8_e5m2")
        lanes = DLPackArray((1,), dtype=(FLOAT, 32, 4))
        self.assertEqual(view_of(lanes).type, "float32 in 4 lanes")

    def test_strides(self):
        self.assertEqual(view_of(DLPackArray((2, 3), strides=(3, 1))).count, 6)
        self.refuses(DLPackArray((2, 3), strides=(4, 1)), "strides of (4, 1) elements")

    def test_shapes_and_memory(self):
        self.refuses(DLPackArray((-1,)), "has the shape (-1,)")
        self.refuses(DLPackArray((2**62, 4)), "more than any memory holds")
        self.refuses(DLPackArray((2,), pointer=0, byte_offset=16), "its data is null")
        self.assertEqual(view_of(DLPackArray((1, 3), strides=(-9, 1))).strides, [3, 1])
        self.assertEqual(view_of(DLPackArray((0, 3), pointer=0, strides=(9, 2))).count, 0)

    def test_other_devices(self):
        self.refuses(DLPackArray((2,), device=(ROCM, 0)), "DLPack's type 10")

    def test_of_a_tensor_that_cannot_say(self):
        class Tensor:
            def __dlpack_device__(self):
                return (CPU, 0)

            def __dlpack__(self, **_):
                raise BufferError("Can't export tensors that require gradient")

        self.refuses(Tensor(), "require gradient")

    def test_capsules_that_are_none(self):
        class Tensor:
            def __dlpack_device__(self):
                return (CPU, 0)

            def __dlpack__(self, **_):
                return "capsule"

        self.refuses(Tensor(), "is invalid or was used already")


class TypesWithoutABuffer(Case):
    """As ml_dtypes and PyTorch have them."""

    class Array:
        __array_interface__ = None

        def __init__(self, name, item_bytes):
            self.dtype = type("DType", (), {"itemsize": item_bytes, "__str__": lambda _: name})()

        def view(self, bits):
            return array.array({"u1": "B", "u2": "H"}[bits], [1, 2])

    def test_are_read_as_bits(self):
        for name, item_bytes, known in (
            ("bfloat16", 2, "bfloat16"),
            ("float8_e4m3fn", 1, "float8_e4m3"),
            ("float8_e5m2", 1, "float8_e5m2"),
        ):
            view = view_of(self.Array(name, item_bytes))
            self.assertEqual((view.type, view.count, view.item_bytes), (known, 2, item_bytes))

    def test_others_are_refused(self):
        self.refuses(self.Array("float8_e3m4", 1), "is an object of type Array")


class NarrowNumbers(unittest.TestCase):
    def test_are_those_of_struct(self):
        for bits in range(0x7C00):
            value = struct.unpack("e", struct.pack("H", bits))[0]
            self.assertEqual(narrow_bits("float16", value), bits)
            self.assertEqual(narrow_bits("float16", -value), bits | 0x8000)
        for value in (1 / 3, 1e-7, 65519.9, 6e-8, 1 + 2**-11, 1 + 3 * 2**-11):
            packed = struct.unpack("H", struct.pack("e", value))[0]
            self.assertEqual(narrow_bits("float16", value), packed)

    def test_of_the_other_formats(self):
        for kind, value, bits in (
            ("bfloat16", 1.0, 0x3F80),
            ("bfloat16", 3.4e38, 0x7F80),
            ("bfloat16", -1 / 3, 0xBEAB),
            ("float8_e4m3", 448.0, 0x7E),
            ("float8_e4m3", 465.0, 0x7F),
            ("float8_e4m3", 2**-9, 0x01),
            ("float8_e5m2", 57344.0, 0x7B),
            ("float8_e5m2", 1e9, 0x7C),
            ("float8_e5m2", float("-inf"), 0xFC),
        ):
            self.assertEqual(narrow_bits(kind, value), bits, (kind, value))
        self.assertEqual(narrow_bits("float16", float("nan")) & 0x7FFF, 0x7E00)


class Streams(unittest.TestCase):
    def test_pointers(self):
        class Stream:
            def __init__(self, **attributes):
                self.__dict__.update(attributes)

        class Core:
            def __cuda_stream__(self):
                return (0, 44)

        self.assertEqual(stream_pointer(5), 5)
        self.assertEqual(stream_pointer(Stream(cuda_stream=6)), 6)
        self.assertEqual(stream_pointer(Stream(ptr=7)), 7)
        self.assertEqual(stream_pointer(Stream(handle=ctypes.c_void_p(8))), 8)
        self.assertEqual(stream_pointer(Stream(handle=ctypes.c_void_p(None))), 0)
        self.assertEqual(stream_pointer(Core()), 44)
        with self.assertRaisesRegex(InputError, "stream: str is not a stream"):
            stream_pointer("main")

    def test_of_the_arrays(self):
        self.assertEqual(stream_of([CudaArray((1,)), 2.0]), 0)
        self.assertEqual(stream_of([CudaArray((1,), stream=1), CudaArray((1,))]), 0)
        self.assertEqual(stream_of([CudaArray((1,), stream=9), CudaArray((1,), stream=9)]), 9)
        with self.assertRaisesRegex(InputError, "name the launch's with stream="):
            stream_of([CudaArray((1,), stream=9), CudaArray((1,), stream=2)])


if __name__ == "__main__":
    unittest.main()
