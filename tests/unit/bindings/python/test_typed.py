"""Products and convolutions, overrides and the state of answers, on the host device."""

import array
import gzip
import os
import pathlib
import platform
import tempfile
import unittest
from types import SimpleNamespace

import handmade
from handmade import CUDA, DLPackArray

import tilewright
from tilewright import InputError

SAMPLES = pathlib.Path(os.environ["TILEWRIGHT_TEST_SAMPLES"])
TEMPLATES = os.environ["TILEWRIGHT_TEST_TEMPLATES"]
CACHE = os.environ["TILEWRIGHT_TEST_CACHE"]


def open_runtime(**options):
    return tilewright.Runtime(
        SAMPLES / "stale.db", [TEMPLATES, SAMPLES / "kernels"], cache=CACHE, **options
    )


class Array:
    """Numbers of any shape and strides, in elements, as NumPy would give them."""

    def __init__(self, shape, strides=None, values=None, start=0.0):
        count = 1
        for size in shape:
            count *= size
        if strides:
            count = 1 + sum((size - 1) * step for size, step in zip(shape, strides))
        self.values = values if values is not None else handmade.floats(count, start)
        self.shape, self.strides = shape, strides
        self._given = DLPackArray(shape, handmade.address_of(self.values), strides=strides)
        self.__dlpack__ = self._given.__dlpack__
        self.__dlpack_device__ = self._given.__dlpack_device__

    def at(self, *index):
        strides = self.strides or [_product(self.shape[i + 1 :]) for i in range(len(self.shape))]
        return self.values[sum(i * step for i, step in zip(index, strides))]


def _product(numbers):
    product = 1
    for number in numbers:
        product *= number
    return product


class Products(unittest.TestCase):
    def setUp(self):
        self.runtime = open_runtime()
        self.gemm = tilewright.Gemm(self.runtime, implementation="naive")

    @unittest.skipUnless(platform.machine() == "x86_64", "the kept bundle is for x86-64")
    def test_from_a_bundle(self):
        kept = pathlib.Path(TEMPLATES).parent / "tests" / "kept" / "0.2" / "host.bundle.gz"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "gemm.bundle"
            file.write_bytes(gzip.decompress(kept.read_bytes()))
            gemm = tilewright.Gemm(tilewright.Bundle(file))
            a, b, c = Array((48, 33)), Array((33, 40)), Array((48, 40))
            gemm(a, b, out=c)
        expected = sum(a.at(1, k) * b.at(k, 2) for k in range(33))
        self.assertAlmostEqual(c.at(1, 2), expected, delta=1e-3 * abs(expected))

    def test_product(self):
        a, b, c = Array((2, 3)), Array((3, 4)), Array((2, 4))
        self.assertIs(self.gemm(a, b, out=c, alpha=2.0), c)
        for i in range(2):
            for j in range(4):
                self.assertEqual(c.at(i, j), 2 * sum(a.at(i, k) * b.at(k, j) for k in range(3)))

    def test_takes_strides_as_they_are(self):
        a = Array((2, 3), (1, 4))  # the transposed of rows with a gap
        b = Array((2, 3, 4), (15, 5, 1))  # a batch with gaps
        c = Array((2, 2, 4), (12, 6, 1))
        before = list(c.values)
        self.gemm(a, b, out=c, beta=1.0)
        for batch in range(2):
            for i in range(2):
                for j in range(4):
                    added = before[batch * 12 + i * 6 + j]
                    value = sum(a.at(i, k) * b.at(batch, k, j) for k in range(3))
                    self.assertEqual(c.at(batch, i, j), value + added)
        self.assertEqual(c.values[4:6], handmade.floats(2, 4.0))  # the gaps are left alone
        asked = self.gemm.kernel(a, b, out=c, beta=1.0).answer.problem
        self.assertEqual((asked["transpose_a"], asked["lda"], asked["stride_a"]), ("yes", 4, 0))
        self.assertEqual((asked["ldb"], asked["stride_b"], asked["batch"]), (5, 15, 2))

    def test_usual_arrays_are_the_usual_problem(self):
        problem = self.gemm.kernel(Array((1, 5, 6)), Array((6, 7))).answer.problem
        usual = self.runtime.best("gemm", M=5, N=7, K=6, device="host").problem
        self.assertEqual(problem, usual)

    def test_one_kernel_for_each_size(self):
        kernel = self.gemm.kernel(Array((2, 3)), Array((3, 4)))
        self.assertIs(self.gemm.kernel(Array((2, 3)), Array((3, 4))), kernel)
        self.assertIsNot(self.gemm.kernel(Array((3, 3)), Array((3, 4))), kernel)

    def test_epilogue(self):
        gemm = tilewright.Gemm(self.runtime, implementation="naive", epilogue="bias_relu")
        a, b = Array((1, 1), start=2.0), Array((1, 2), values=handmade.floats(2, -3.0))
        c = Array((1, 2))
        gemm(a, b, Array((2,), start=5.0), out=c)
        self.assertEqual(list(c.values), [0, 2])  # -6 + 5 and -4 + 6
        with self.assertRaisesRegex(InputError, "epilogue_bias"):
            gemm(a, b, out=c)

    def test_integers(self):
        a, b = array.array("b", [-128, 127]), array.array("b", [100, -100])
        c = array.array("i", [5])

        def matrix(shape, values, bits):
            address = handmade.address_of(values)
            return DLPackArray(shape, address, dtype=(handmade.INT, bits, 1))

        left, right = matrix((1, 2), a, 8), matrix((2, 1), b, 8)
        out = matrix((1, 1), c, 32)
        self.gemm(left, right, out=out, alpha=2, beta=-1)
        self.assertEqual(c[0], -2 * 25500 - 5)
        types = ("type_a", "type_b", "type_c", "precision")
        for kernel in (self.gemm.kernel(left, right), self.gemm.kernel(left, right, out=out)):
            problem = kernel.answer.problem
            self.assertEqual([problem[name] for name in types], ["int8", "int8", "int32", "int32"])
        with self.assertRaisesRegex(InputError, "'alpha' is a number of int32; a float was given"):
            self.gemm(left, right, out=out, alpha=0.5)
        narrow = array.array("b", [0])
        out = matrix((1, 1), narrow, 8)
        self.gemm(left, right, out=out, alpha=-0.0009765625)  # -25500 / 1024 = -24.9
        self.assertEqual(narrow[0], 25)

    def test_types_of_8_bits(self):
        e4m3, bfloat16 = (10, 8, 1), (4, 16, 1)
        a, b = DLPackArray((2, 3), dtype=e4m3), DLPackArray((3, 4), dtype=e4m3)
        problem = self.gemm.kernel(a, b).answer.problem
        self.assertEqual(problem["type_c"], "bfloat16")
        weights = DLPackArray((3, 4), dtype=(handmade.INT, 8, 1))
        problem = self.gemm.kernel(DLPackArray((2, 3), dtype=bfloat16), weights).answer.problem
        self.assertEqual((problem["type_b"], problem["type_c"]), ("int8", "bfloat16"))
        with self.assertRaisesRegex(InputError, "type_b int8 needs type_a int8, float16 or bfloat"):
            self.gemm.kernel(Array((2, 3)), weights)
        tf32 = tilewright.Gemm(self.runtime, implementation="naive", precision="tf32")
        problem = tf32.kernel(Array((2, 3)), Array((3, 4))).answer.problem
        self.assertEqual(problem["precision"], "tf32")

    def test_refuses(self):
        a, b, c = Array((2, 3)), Array((3, 4)), Array((2, 4))
        whole = DLPackArray((2, 3), dtype=(handmade.INT, 32, 1))
        complex_ = DLPackArray((2, 3), dtype=(5, 64, 1))
        for arrays, options, text in (
            ((a, a), {"out": c}, "gemm: matrices of 2 × 3 and 2 × 3 have no product"),
            ((a, Array((3,))), {"out": c}, "gemm: 'b' has 1 dimensions; give a matrix"),
            ((Array((2, 3), (6, 2)), b), {"out": c}, "one of the last two must be 1"),
            ((Array((2, 3), (2, 1)), b), {"out": c}, "with which its rows overlap"),
            ((a, b), {"out": Array((2, 3))}, r"'out' must have the shape \(2, 4\)"),
            ((a, b), {"out": Array((2, 4), (1, 2))}, "'out' must have .* its rows contiguous"),
            ((a, b), {"beta": 1.0}, "beta is not 0; give out="),
            ((a, b), {"stream": 0}, "with stream=, also give out="),
            ((a, b), {}, "give out=: no array of type Array can be made"),
            ((Array((2, 2, 3)), Array((3, 3, 4))), {"out": c}, "batches of 2 and 3"),
            ((whole, b), {"out": c}, "gemm: type_a=int32 is none of float32, float64, float16, bf"),
            ((complex_, b), {"out": c}, "gemm: type_a=complex64 is none of float32, float64, float16, bfloat16"),
            (([1.0], b), {"out": c}, "gemm: 'a' is an object of type list"),
        ):
            with self.subTest(text), self.assertRaisesRegex(InputError, text):
                self.gemm(*arrays, **options)

    def test_the_device_is_that_of_the_arrays(self):
        far = DLPackArray((2, 3), device=(CUDA, 71))
        with self.assertRaisesRegex(tilewright.MachineError, "cuda:71"):
            self.gemm.kernel(far, DLPackArray((3, 4), device=(CUDA, 71)))


class Convolutions(unittest.TestCase):
    def setUp(self):
        self.runtime = open_runtime()

    def test_signals(self):
        convolve = tilewright.Convolution1d(self.runtime, boundary="replicate", flip=True)
        signals = Array((2, 3), values=array.array("f", [1, 2, 4, 4, 2, 1]))
        taps = Array((3,), values=array.array("f", [1, 0, -1]))
        output = Array((2, 3))
        convolve(signals, taps, out=output)
        self.assertEqual(list(output.values), [1, 3, 2, -2, -3, -1])
        self.assertEqual(convolve.kernel(signals, taps).answer.problem["batch"], 2)
        with self.assertRaisesRegex(InputError, "conv1d: 'filter' has 2 dimensions; give 1"):
            convolve(taps, signals, out=output)

    def test_images(self):
        shift = tilewright.Convolution2d(self.runtime, anchor=(0, 0))
        image, filter_ = Array((2, 3), start=1.0), Array((1, 2), start=1.0)
        output = Array((2, 3))
        shift(image, filter_, out=output)
        self.assertEqual(list(output.values), [5, 8, 3, 14, 17, 6])

    def test_rows_and_columns(self):
        shift = tilewright.SeparableConvolution2d(self.runtime, anchor=(0, 0))
        image, output = Array((2, 3), start=1.0), Array((2, 3))
        rows = Array((2,), values=array.array("f", [1, 10]))
        columns = Array((2,), values=array.array("f", [2, -1]))
        shift(image, rows, columns, out=output)
        self.assertEqual(list(output.values), [2 * 21 - 54, 2 * 32 - 65, 0, 108, 130, 12])
        problem = shift.kernel(image, rows, columns).answer.problem
        self.assertEqual((problem["filter_width"], problem["filter_height"]), (2, 2))
        with self.assertRaisesRegex(InputError, "'column_filter' has 2 dimensions; give 1"):
            shift(image, rows, image, out=output)

    def test_rows_and_columns_of_channels(self):
        each = tilewright.SeparableConvolution2d(self.runtime, per_channel=True)
        image, filters = Array((2, 1, 2), start=1.0), Array((2, 1), start=1.0)
        output = Array((2, 1, 2))
        each(image, filters, filters, out=output)
        self.assertEqual(list(output.values), [1, 2, 12, 16])
        with self.assertRaisesRegex(InputError, "there are 2 channels and 3 filters"):
            each(image, Array((3, 1)), Array((3, 1)), out=output)
        with self.assertRaisesRegex(InputError, "there are 2 channels and 3 filters"):
            each(image, filters, Array((3, 1)), out=output)

    def test_filters_of_channels(self):
        each = tilewright.Convolution2d(self.runtime, per_channel=True)
        image, filters = Array((2, 1, 2), start=1.0), Array((2, 1, 1), start=1.0)
        output = Array((2, 1, 2))
        each(image, filters, out=output)
        self.assertEqual(list(output.values), [1, 2, 6, 8])
        problem = each.kernel(image, filters).answer.problem
        self.assertEqual((problem["channels"], problem["batch"], problem["width"]), (2, 1, 2))
        with self.assertRaisesRegex(InputError, "there are 2 channels and 3 filters"):
            each(image, Array((3, 1, 1)), out=output)
        with self.assertRaisesRegex(InputError, "'filter' has 2 dimensions; give 3"):
            each(image, Array((1, 1)), out=output)
        with self.assertRaisesRegex(InputError, r"'out' must have the shape \(2, 1, 2\)"):
            each(image, filters, out=Array((2, 2)))
        with self.assertRaisesRegex(InputError, "conv2d: 'image' is not contiguous"):
            each(Array((2, 1, 2), (4, 4, 2)), filters, out=output)


class Answers(unittest.TestCase):
    def test_stale(self):
        runtime = open_runtime()
        answer = runtime.best("diverge", count=77, device="host")
        self.assertEqual((answer.rung_name, answer.stale, answer.origin), ("exact", True, "own"))
        self.assertTrue(answer.why_stale.startswith("the software is now"), answer.why_stale)
        self.assertIsNone(answer.power_limit_w)
        answer = runtime.best("blend", device="host")
        self.assertEqual(answer.why_stale, "")
        self.assertEqual((answer.stale, answer.origin, answer.passed_over), (False, "", ""))

    def test_overrides(self):
        runtime = open_runtime(
            overrides=[
                tilewright.Override("blend/plain", {"BLOCK": 7}),
                tilewright.Override("blend/plain", {"BLOCK": 64}, {"count": 30}),
            ]
        )
        answer = runtime.best("blend", count=30, device="host")
        self.assertEqual((answer.rung_name, answer.configuration), ("override", {"BLOCK": 64}))
        self.assertIn("that of blend/plain does not fit", answer.passed_over)
        self.assertEqual(runtime.best("blend", count=31, device="host").rung_name, "default")
        with self.assertRaisesRegex(InputError, "BLOCK: give an integer or a label"):
            open_runtime(overrides=[tilewright.Override("blend/plain", {"BLOCK": 1.5})])

    def test_a_kernel_steps_down(self):
        runtime = open_runtime(overrides=[tilewright.Override("wide/plain", {"BLOCK": 64})])
        kernel = runtime.kernel("wide", device="host")
        self.assertEqual(kernel.answer.rung_name, "override")
        numbers = array.array("i", bytes(256))
        kernel(numbers)
        self.assertEqual(set(numbers), {32})
        self.assertEqual(kernel.answer.rung_name, "default")
        self.assertRegex(kernel.answer.passed_over, "wide/plain of rung 'override': .* too wide")


class Filters(unittest.TestCase):
    """Which kernel serves on a GPU whose best one takes the filter by value."""

    class Runtime:
        operation = staticmethod(open_runtime().operation)

        def kernel(self, operation, problem, *, inputs, **conditions):
            arguments = [SimpleNamespace(by_value=inputs is None and i == 1) for i in range(3)]
            return SimpleNamespace(device_kind="cuda", arguments=arguments, inputs=inputs)

    def test_needs_no_values(self):
        signal, taps = (array.array("f", bytes(4 * count)) for count in (64, 3))
        convolve = tilewright.Convolution1d(self.Runtime())
        self.assertEqual(convolve.kernel(signal, taps).inputs, "memory")
        self.assertIsNone(convolve.kernel(signal, tilewright.with_values(taps, taps)).inputs)


class WithNumpy(unittest.TestCase):
    def setUp(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no NumPy here")
        self.numpy = numpy
        self.runtime = open_runtime()

    def types(self):
        """The types that there are here, and the half of the step from 1 to the next value."""
        numpy = self.numpy
        yield from ((numpy.float32, 2**-24), (numpy.float64, 2**-53), (numpy.float16, 2**-11))
        try:
            import ml_dtypes
        except ImportError:
            return
        yield ml_dtypes.bfloat16, 2**-8

    def test_new_arrays(self):
        numpy = self.numpy
        generator = numpy.random.default_rng(1)
        gemm = tilewright.Gemm(self.runtime, implementation="naive")
        filter_ = tilewright.Convolution1d(self.runtime, flip=True)
        for type_, step in self.types():
            with self.subTest(type_.__name__):
                left, right, signal, taps = (
                    generator.random(shape).astype(type_) for shape in ((20, 30), (40, 30), 100, 5)
                )
                sums = left.astype(float) @ right.astype(float).T
                for _ in range(2):  # the second one as a call that was made before
                    c = gemm(left, right.T)
                    self.assertEqual(c.dtype, type_)
                    numpy.testing.assert_allclose(c.astype(float), sums, rtol=1.01 * step + 3e-6)
                output = filter_(signal, taps)
                self.assertEqual(output.dtype, type_)
                sums = numpy.convolve(signal.astype(float), taps.astype(float), "same")
                numpy.testing.assert_allclose(output.astype(float), sums, rtol=1.01 * step + 3e-6)

    def test_images(self):
        numpy = self.numpy
        mean = tilewright.Convolution2d(self.runtime, boundary="replicate")
        for type_, _ in self.types():
            image = numpy.arange(12).reshape(3, 4).astype(type_)
            output = mean(image, numpy.full((1, 2), 0.5, type_))
            before = numpy.concatenate((image[:, :1], image[:, :-1]), axis=1).astype(float)
            self.assertEqual(output.dtype, type_)
            numpy.testing.assert_array_equal(output.astype(float), (before + image.astype(float)) / 2)

    def test_each_array_has_a_type_of_its_own(self):
        numpy = self.numpy
        gemm = tilewright.Gemm(self.runtime, implementation="naive")
        a = numpy.array([[1, 2**-12]], numpy.float16)
        b = numpy.array([[1], [1]], numpy.float64)
        c = numpy.empty((1, 1), numpy.float32)
        self.assertIs(gemm(a, b, out=c), c)
        self.assertEqual(c[0, 0], 1 + 2**-12)
        self.assertEqual(gemm(a, b)[0, 0], 1)  # rounded to the type of a
        problem = gemm.kernel(a, b, out=c).answer.problem
        types = [problem.get(name) for name in ("type_a", "type_b", "type_c", "precision")]
        self.assertEqual(types, ["float16", "float64", "float32", "float64"])

    def test_precision(self):
        numpy = self.numpy
        a = numpy.array([[1, 2**-30, -1]], numpy.float32)
        ones = numpy.ones((3, 1), numpy.float32)
        for precision, sum_ in ((None, 0), ("float32", 0), ("float64", 2**-30)):
            gemm = tilewright.Gemm(self.runtime, implementation="naive", precision=precision)
            self.assertEqual(gemm(a, ones)[0, 0], sum_)

    def test_one_type_for_a_filter_and_its_image(self):
        numpy = self.numpy
        blur = tilewright.Convolution1d(self.runtime)
        signal, taps = numpy.ones(9, numpy.float16), numpy.ones(3, numpy.float32)
        with self.assertRaisesRegex(InputError, "'filter' has elements of float16; float32 was"):
            blur(signal, taps)
        with self.assertRaisesRegex(InputError, "conv1d: type=int64 is none of float32"):
            blur(numpy.ones(9, numpy.int64), taps)


if __name__ == "__main__":
    unittest.main()
