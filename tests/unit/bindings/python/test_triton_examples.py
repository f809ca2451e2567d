"""The products of Triton in examples/evaluator: their answers, by Triton's interpreter or on a GPU."""

import os
import pathlib
import sys
import unittest

from triton_modules import torch_and_triton

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "evaluator"
CONFIGURATIONS = (
    {"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 16, "GROUP_M": 1},
    {"BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 32, "GROUP_M": 8},
)


class Products:
    """The tests, for one device."""

    @classmethod
    def setUpClass(cls):
        cls.torch, cls.triton = torch_and_triton()
        cls.find_device()
        sys.path.insert(0, str(EXAMPLES))
        cls.addClassCleanup(sys.path.remove, str(EXAMPLES))
        cls.torch.manual_seed(1)

    def normal(self, *shape):
        return self.torch.randn(*shape, device=self.place).half()

    def expect_near(self, seen, right, terms):
        self.assertLess((seen.double() - right).abs().max().item(), 2e-3 * terms**0.5)

    def test_product(self):
        import product_triton

        for m, n, k, is_transposed in ((37, 53, 29, False), (64, 48, 40, True), (1, 1, 1, False)):
            a = self.normal(m, k)
            b = self.normal(n, k).T if is_transposed else self.normal(k, n)
            for configuration in CONFIGURATIONS:
                c = self.torch.full((m, n), float("nan"), device=self.place).half()
                strides = b.stride() if k > 1 else (n, 1)
                product_triton.product[product_triton.grid](a, b, c, m, n, k, *strides, **configuration)
                self.expect_near(c, a.double() @ b.double(), k)

    def test_experts(self):
        import experts_triton

        torch = self.torch
        for tokens, top, experts, n, k in ((7, 3, 5, 53, 29), (1, 1, 1, 1, 1), (20, 6, 64, 40, 24)):
            slots = top * tokens
            inner = torch.randint(0, slots + 1, (experts - 1,)).sort().values
            begins = torch.cat([torch.tensor([0]), inner, torch.tensor([slots])]).int().to(self.place)
            x, w = self.normal(tokens, k), self.normal(experts, n, k)
            order = torch.randperm(slots).int().to(self.place)
            weights = torch.rand(slots, device=self.place)
            right = torch.empty(slots, n, dtype=torch.float64, device=self.place)
            for slot, place in enumerate(order.tolist()):
                matrix = w[(begins[1:] <= slot).sum()].double()
                right[place] = weights[place].item() * matrix @ x[place // top].double()
            width = self.triton.next_power_of_2(experts)
            for configuration in CONFIGURATIONS:
                y = torch.full((slots, n), float("nan"), device=self.place).half()
                experts_triton.experts_product[experts_triton.grid](
                    x, w, begins, order, weights, y, slots, top, experts, n, k, WIDTH=width, **configuration
                )  # fmt: skip
                self.expect_near(y, right, k)


class OnTheHost(Products, unittest.TestCase):
    place = "cpu"

    @classmethod
    def find_device(cls):
        if os.environ.get("TRITON_INTERPRET") != "1":
            raise unittest.SkipTest("TRITON_INTERPRET=1 is not set")
        import numpy

        try:
            int(numpy.ones(1))
        except TypeError:
            raise unittest.SkipTest("Triton's interpreter cannot run loops with this NumPy") from None


class OnAGpu(Products, unittest.TestCase):
    place = "cuda"

    @classmethod
    def find_device(cls):
        if os.environ.get("TRITON_INTERPRET") == "1":
            raise unittest.SkipTest("TRITON_INTERPRET=1 is set")
        if not cls.torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch sees no GPU")


if __name__ == "__main__":
    unittest.main()
