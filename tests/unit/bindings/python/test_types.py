"""Python's table of types against the library's, as its headers have it."""

import ctypes
import pathlib
import re
import unittest

from handmade import CudaArray, DLPackArray, field_of_records

from tilewright import InputError, _library
from tilewright._arrays import view_of
from tilewright._numbers import ELEMENT_TYPES, SCALARS, number
from tilewright._tune import FORMATS

_HEADERS = pathlib.Path(__file__).resolve().parents[4] / "include/tilewright"
_KINDS = {"floating": "float", "signed_integer": "int", "unsigned_integer": "uint"}
_KINDS["complex"] = "complex"


class Rows(unittest.TestCase):
    def test_are_those_of_the_library(self):
        text = (_HEADERS / "element_type.hpp").read_text()
        rows = re.findall(r'^    \{"(\w+)",.*ElementKind::(\w+),.*, (\d+)\},$', text, re.M)
        self.assertEqual(
            [(name, _KINDS[kind], int(code)) for name, kind, code in rows],
            [(row.name, row.kind, row.dlpack_code) for row in ELEMENT_TYPES],
        )
        self.assertGreater(len(rows), 10)

    def test_have_the_numbers_of_the_c_interface(self):
        text = (_HEADERS / "tilewright.h").read_text()
        enum = text[text.index("typedef enum tw_type") : text.index("} tw_type")]
        numbers = {name.lower(): int(value) for name, value in re.findall(r"TW_(\w+) = (\d+)", enum)}
        self.assertEqual(numbers, {name: i for i, name in enumerate(_library.TYPES)})

    def test_know_their_bytes(self):
        for row in ELEMENT_TYPES:
            bits = int(re.search(r"[a-z](\d+)(_e|$)", row.name)[1])
            self.assertEqual(8 * row.item_bytes, bits, row.name)
            self.assertEqual(ctypes.sizeof(SCALARS[row.name]), row.item_bytes, row.name)
        self.assertEqual(list(FORMATS), _library.TYPES)


class Arrays(unittest.TestCase):
    def test_of_dlpack(self):
        for row in ELEMENT_TYPES:
            given = DLPackArray((3,), dtype=(row.dlpack_code, 8 * row.item_bytes, 1))
            view = view_of(given)
            self.assertEqual((view.type, view.item_bytes), (row.name, row.item_bytes))

    def test_of_complex_numbers(self):
        self.assertEqual(view_of(CudaArray((2,), typestr="<c8")).type, "complex64")
        self.assertEqual(view_of(CudaArray((2,), typestr="<c16")).type, "complex128")
        view = view_of(field_of_records(3, 8, b"Zf", 8))  # as NumPy has it
        self.assertEqual((view.type, view.count), ("complex64", 3))


class Numbers(unittest.TestCase):
    @staticmethod
    def of(kind, value):
        argument = type("Argument", (), {"type": kind})()
        return number(argument, value)

    def test_complex_numbers_are_two_parts(self):
        self.assertEqual(list(self.of("complex64", 1.5 - 2j)), [1.5, -2])
        self.assertEqual(list(self.of("complex64", 3)), [3, 0])
        with self.assertRaisesRegex(InputError, "is a number of complex64; a str was given"):
            self.of("complex64", "1")
        with self.assertRaisesRegex(InputError, "is a number of float32; a complex was given"):
            self.of("float32", 1j)

    def test_every_type_holds_one(self):
        for row in ELEMENT_TYPES:
            self.assertIsInstance(self.of(row.name, 1), SCALARS[row.name])


if __name__ == "__main__":
    unittest.main()
