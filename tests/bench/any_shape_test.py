"""What bench/any_shape.py does without a GPU: which libraries a product of each type is timed beside, and the report."""
import contextlib
import io
import pathlib
import random
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Type:
    def __init__(self, itemsize, is_floating_point=True):
        self.itemsize, self.is_floating_point = itemsize, is_floating_point


TYPES = {"float32": Type(4), "float16": Type(2), "bfloat16": Type(2), "float8_e4m3fn": Type(1), "float8_e5m2": Type(1),
         "int8": Type(1, False), "int32": Type(4, False)}
sys.modules["torch"] = types.SimpleNamespace(**TYPES, ones=lambda *shape, device: None)
sys.modules["tilewright"] = types.SimpleNamespace()
(program,) = ROOT.glob("bench/**/any_shape.py")
sys.path.insert(0, str(program.parent))
import any_shape  # noqa: E402: needs the path


def shape(dtype, **changes):
    """An aligned product without gaps, with A and B as stored."""
    one = any_shape.Shape(random.Random(1), "aligned", TYPES[dtype])
    one.pad, one.transposed = 0, (False, False)
    for name, value in changes.items():
        setattr(one, name, value)
    return one


def timed(kind, times):
    return {"type": "float32", "kind": kind, "right": True, "first_ms": 1.0, "answer": ["exact", "gemm/mma", {}], "warm": times, "cold": times}


class Libraries(unittest.TestCase):
    def names(self, dtype, **changes):
        return list(any_shape.libraries(shape(dtype, **changes)))

    def test_matmul_has_two_for_types_of_two_bytes_and_more(self):
        for dtype in "float32", "float16", "bfloat16":
            self.assertEqual(self.names(dtype, m=3, n=5, batch=7, pad=1), ["cublas", "cublaslt"])

    def test_int8_has_its_own_call_for_single_aligned_products(self):
        self.assertEqual(self.names("int8"), ["cublaslt"])
        self.assertEqual(self.names("int8", transposed=(True, True)), ["cublaslt"])
        for changes in {"m": 16}, {"n": 33}, {"k": 12}, {"batch": 2}, {"pad": 8}:
            self.assertEqual(self.names("int8", **changes), [], changes)

    def test_float8_has_its_own_call_for_rows_by_columns(self):
        columns = {"transposed": (False, True)}
        self.assertEqual(self.names("float8_e4m3fn", **columns), ["cublaslt"])
        self.assertEqual(self.names("float8_e4m3fn"), [])
        self.assertEqual(self.names("float8_e4m3fn", n=24, **columns), [])
        self.assertEqual(self.names("float8_e5m2", **columns), [])


class Report(unittest.TestCase):
    def test_products_that_no_library_has_are_counted_apart(self):
        rows = [timed("aligned", {"ours": 10.0, "cublaslt": 20.0}), timed("aligned", {"ours": 10.0})]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            any_shape.report(rows)
        self.assertRegex(printed.getvalue(), r"aligned +warm +1 +2\.00 +2\.00 +2\.00 +0 of 1\n")
        self.assertIn("no library has the product: 1 shapes\n", printed.getvalue())

    def test_what_is_served_stands_beside_the_kernels(self):
        rows = [timed("deep", {"ours": 20.0, "served": 10.0, "cublas": 10.0, "cublaslt": 12.0}),
                timed("deep", {"ours": 4.0, "cublas": 10.0, "cublaslt": 8.0})]
        rows[0]["served"], rows[1]["served"] = ["default", "gemm/cublas", {}], rows[1]["answer"]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            any_shape.report(rows)
        self.assertRegex(printed.getvalue(), r"deep +cold +2 +1\.00 +0\.50 +0\.50 +1\.41 +1\.00 +1\.00 +1 of 2\n")
        self.assertIn("served, all: least 1.000, 10th percentile 1.000, least mean of a class 1.414\n", printed.getvalue())
        self.assertIn("served by gemm/cublas 1, gemm/mma 1\n", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
