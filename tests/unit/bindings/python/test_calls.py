"""Calls that were made before, with a library that poses as PyTorch, on the host device."""

import sys
import types
import unittest
from unittest import mock

import handmade
from test_typed import Array, open_runtime

import tilewright
from tilewright import InputError, _calls, _helpers, _products
from tilewright import kernel as kernel_module


class Tensor(Array):
    """What PyTorch's tensors tell of themselves, of an array in host memory."""

    dtype, device, layout, is_cuda = "float32", "cpu", "strided", False

    def __init__(self, shape, strides=None, values=None, start=0.0, requires_grad=False):
        super().__init__(shape, strides, values, start)
        self.requires_grad, self.negated, self.stored_bytes = requires_grad, False, 1
        self.address = handmade.address_of(self.values)
        if requires_grad:
            self.__dlpack__ = mock.Mock(side_effect=BufferError("it requires a gradient"))

    def stride(self):
        return self.strides

    def is_neg(self):
        return self.negated

    def is_conj(self):
        return False

    def untyped_storage(self):
        return types.SimpleNamespace(nbytes=lambda: self.stored_bytes)

    def data_ptr(self):
        return self.address


Tensor.__module__ = "torch"


def fake_torch():
    module = types.ModuleType("torch")
    module.Tensor, module.float32, module.uint8 = Tensor, "float32", "uint8"
    module.empty = lambda shape, dtype, device: Tensor(shape)
    return module


class CallsAgain(unittest.TestCase):
    def setUp(self):
        patched = mock.patch.dict(sys.modules, {"torch": fake_torch()})
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(_calls._readers.clear)
        self.runtime = open_runtime()
        self.gemm = tilewright.Gemm(self.runtime, implementation="naive")

    def views_of(self, work):
        """How many views it takes."""
        with mock.patch.object(
            _products, "strided_view_of", wraps=_products.strided_view_of
        ) as matrices, mock.patch.object(
            _helpers, "view_of", wraps=_helpers.view_of
        ) as arrays:
            work()
        return matrices.call_count + arrays.call_count

    def expect_product(self, a, b, c, factor=1.0):
        for i in range(2):
            for j in range(4):
                value = factor * sum(a.at(i, k) * b.at(k, j) for k in range(3))
                self.assertEqual(c.at(i, j), value)

    def test_products(self):
        b = Tensor((3, 4))
        for start, alpha in enumerate((1.0, 2, 0.5, -0.0)):
            a, c = Tensor((2, 3), start=float(start)), Tensor((2, 4))
            views = self.views_of(lambda: self.gemm(a, b, out=c, alpha=alpha))
            self.assertEqual(views, 0 if start else 3)
            self.expect_product(a, b, c, alpha)

    def test_new_outputs(self):
        a, b = Tensor((2, 3)), Tensor((3, 4))
        views = [
            self.views_of(lambda: self.expect_product(a, b, self.gemm(a, b))) for _ in range(3)
        ]
        self.assertEqual(views[1:], [0, 0])

    def test_other_looks(self):
        for a, b in (
            (Tensor((2, 3)), Tensor((3, 4))),
            (Tensor((2, 3), (1, 4)), Tensor((3, 4))),
            (Tensor((2, 3)), Tensor((3, 4), (5, 1))),
        ):
            for first in (True, False):
                c = Tensor((2, 4))
                views = self.views_of(lambda: self.gemm(a, b, out=c))
                self.assertEqual(views, 3 if first else 0)
                self.expect_product(a, b, c)

    def test_accumulates(self):
        a, b = Tensor((2, 3)), Tensor((3, 4))
        self.gemm(a, b, out=Tensor((2, 4)))
        for _ in range(2):
            c, plain = Tensor((2, 4)), Tensor((2, 4))
            before = list(c.values)
            self.gemm(a, b, out=c, beta=0.5)
            self.gemm(a, b, out=plain)
            sums = [value + 0.5 * added for value, added in zip(plain.values, before)]
            self.assertEqual(list(c.values), sums)

    def test_refuses_what_a_first_call_refuses(self):
        a, b, c = Tensor((2, 3)), Tensor((3, 4)), Tensor((2, 4))
        self.gemm(a, b, out=c)
        lost, negated = Tensor((2, 3)), Tensor((2, 3))
        lost.stored_bytes = 0
        lost._given.pointer = 0
        negated.negated = True
        for arrays, options, text in (
            ((Tensor((2, 3), requires_grad=True), b), {}, "'a' gives no DLPack tensor"),
            ((negated, b), {}, "'a' is negated only when it is read"),
            ((lost, b), {}, "'a' has the shape .2, 3., but its data is null"),
            ((a, b), {"alpha": "1"}, "'alpha' is a number of float32; a str was given"),
            ((a, b, c), {}, "6 arguments were given; a launch takes 5"),
            ((a, Tensor((4, 4))), {}, "have no product"),
        ):
            with self.subTest(text), self.assertRaisesRegex(InputError, text):
                self.gemm(*arrays, out=c, **options)

    def test_numbers_beyond_the_type(self):
        a, b, c = Tensor((2, 3), start=1.0), Tensor((3, 4), start=1.0), Tensor((2, 4))
        for _ in range(2):
            self.gemm(a, b, out=c, alpha=1e39)  # no float32
            self.assertEqual(c.at(0, 0), float("inf"))

    def test_convolutions(self):
        blur = tilewright.Convolution1d(self.runtime)
        taps = Tensor((3,), values=handmade.floats(3, 1.0))
        results = []
        for round_number in range(3):
            signal, output = Tensor((5,), start=float(round_number)), Tensor((5,))
            views = self.views_of(lambda: blur(signal, taps, out=output))
            self.assertEqual(views, 0 if round_number else 3)
            results.append(list(output.values))
        self.assertEqual([b - a for a, b in zip(results[0], results[1])], [5, 6, 6, 6, 3])

    def test_kernels(self):
        a, b = Tensor((2, 3)), Tensor((3, 4))
        kernel = self.gemm.kernel(a, b)
        for first in (True, False):
            c = Tensor((2, 4))
            with mock.patch.object(kernel_module, "view_of", wraps=kernel_module.view_of) as views:
                kernel(a, b, c, 3.0, 0.0)
            self.assertEqual(views.call_count, 3 if first else 0)
            self.expect_product(a, b, c, 3.0)

    def test_beta_of_any_kind(self):
        class Odd(float):
            def __ne__(self, other):
                return [True]  # no hash

        a, b, c = Tensor((2, 3)), Tensor((3, 4)), Tensor((2, 4))
        before = list(c.values)
        self.gemm(a, b, out=c, alpha=0.0, beta=Odd(2.0))
        self.assertEqual(list(c.values), [2 * value for value in before])

    def test_derived_classes_are_not_known(self):
        class Derived(Tensor):
            pass

        Derived.__module__ = "torch"
        self.assertIsNone(_calls.looks_of([Derived((2, 3))]))
        self.assertIsNone(_calls.looks_of([Tensor((2, 3)), Array((2, 3))]))
        self.assertIsNone(_calls.looks_of([1.0]))

    def test_remembers_only_so_many(self):
        with mock.patch.object(_calls, "_MOST_REMEMBERED", 2):
            for size in range(1, 6):
                self.gemm(Tensor((size, 3)), Tensor((3, 4)), out=Tensor((size, 4)))
                self.assertLessEqual(len(self.gemm._calls._values), 2)


if __name__ == "__main__":
    unittest.main()
