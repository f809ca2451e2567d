"""tilewright.torch_ops: each operator's registration, gradients, and answers under torch.compile.

OnTheHost runs on the CPU, OnAGpu on a GPU. Both are skipped without PyTorch.
"""

import copy
import gc
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import tilewright
from tilewright import InputError

try:
    import torch
except ImportError:
    torch = None
else:
    from tilewright import torch_ops
    from tilewright.torch_ops import _filters, _operator

TEMPLATES = os.environ["TILEWRIGHT_TEST_TEMPLATES"]
CACHE = os.environ["TILEWRIGHT_TEST_CACHE"]
BOUNDARIES = ("zero", "replicate", "reflect", "mirror", "wrap")
SNIPPET = """
schema = 1
[snippet]
name = "squared"
hook = "epilogue"
about = "the square of the value plus the bias of its column"
code = "return (value + bias[column]) * (value + bias[column]);"
[[snippet.argument]]
name = "bias"
type = "float64"
count = "column"
"""


def squared(value, bias):
    return (value + bias).square()


class _Case:
    """What all tests need. `device` is PyTorch's name of it."""

    @classmethod
    def setUpClass(cls):
        if torch is None:
            raise unittest.SkipTest("there is no PyTorch here")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        snippet = pathlib.Path(folder.name) / "squared.toml"
        snippet.write_text(SNIPPET)
        cls.runtime = tilewright.Runtime(kernels=TEMPLATES, manifests=snippet, cache=CACHE)

    def setUp(self):
        torch.manual_seed(1)
        torch._dynamo.reset()

    def random(self, *shape, dtype="float64"):
        made = torch.rand(shape, dtype=torch.float64, device=self.device) - 0.5
        return made.to(getattr(torch, dtype)).requires_grad_()

    def check(self, operator, *arrays, second=False):
        """opcheck, and gradients of first and if asked second order, by differences in float64."""
        arguments = ([*arrays], operator._name)
        torch.library.opcheck(operator._registered, arguments)
        # On a GPU index_add adds in any order.
        self.assertTrue(torch.autograd.gradcheck(operator, arrays, nondet_tol=1e-10))
        if second:
            self.assertTrue(torch.autograd.gradgradcheck(operator, arrays, nondet_tol=1e-10))

    def compiled(self, backend, **options):
        """A layer and a filter in one graph, eager and compiled, forwards and backwards."""
        gemm = torch_ops.Gemm(self.runtime, epilogue="bias_gelu")
        blur = torch_ops.Convolution2d(self.runtime, boundary="mirror")

        def model(x, weight, bias, filter_):
            return blur(gemm(x.sin(), weight.T, bias) * 2, filter_).cos()

        compiled = torch.compile(model, backend=backend, fullgraph=True, **options)
        for rows in (8, 8, 8, 12, 20):  # the shape becomes a dynamic one
            shapes = ((rows, 4), (6, 4), (6,), (3, 3))
            arrays = [self.random(*shape, dtype="float32") for shape in shapes]
            seen, expected = compiled(*arrays), model(*arrays)
            torch.testing.assert_close(seen, expected, rtol=1e-4, atol=1e-5)
            found, wanted = (torch.autograd.grad(y.sum(), arrays) for y in (seen, expected))
            torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


class _Operators(_Case):
    """The tests of both devices."""

    def test_products(self):
        gemm = torch_ops.Gemm(self.runtime)
        for a, b in (
            (self.random(3, 4), self.random(4, 5)),
            (self.random(2, 3, 4), self.random(2, 4, 5)),
            (self.random(2, 3, 4), self.random(4, 5)),
            (self.random(3, 4), self.random(2, 4, 5)),
            (self.random(4, 3).detach().T.requires_grad_(), self.random(4, 5)),
        ):
            with self.subTest(a=a.shape, b=b.shape):
                self.check(gemm, a, b, second=True)
                torch.testing.assert_close(gemm(a, b), a @ b)

    def test_matrices_without_contiguous_rows_are_copied(self):
        gemm = torch_ops.Gemm(self.runtime)
        a, b = self.random(6, 8).detach()[::2, ::2], self.random(1, 1).detach().expand(4, 5)
        torch.testing.assert_close(gemm(a, b), a @ b)

    def test_types_of_products(self):
        gemm = torch_ops.Gemm(self.runtime)
        a, weights = self.random(16, 32, dtype="bfloat16"), self.random(8, 32)
        for b in (weights.to(torch.bfloat16), (weights * 100).to(torch.int8)):
            with self.subTest(b.dtype):
                expected = a.double() @ b.double().T
                expected.sum().backward()
                wanted, a.grad = a.grad, None
                seen = gemm(a, b.T)
                seen.sum().backward()
                self.assertEqual((seen.dtype, a.grad.dtype), (torch.bfloat16, torch.bfloat16))
                torch.testing.assert_close(seen.double(), expected, rtol=2**-7, atol=1e-2)
                torch.testing.assert_close(a.grad, wanted, rtol=2**-6, atol=1e-2)
                a.grad = None

    def test_narrow_types_of_products(self):
        gemm = torch_ops.Gemm(self.runtime)
        a, b = self.random(16, 32).detach(), self.random(32, 16).detach()
        for narrow, wide in (("float8_e4m3fn", "bfloat16"), ("int8", "int32")):
            with self.subTest(narrow):
                given = [(matrix * 200).to(getattr(torch, narrow)) for matrix in (a, b)]
                seen = gemm(*given)
                self.assertEqual(seen.dtype, getattr(torch, wide))
                expected = given[0].double() @ given[1].double()
                torch.testing.assert_close(seen.double(), expected, rtol=2**-7, atol=1e-2)
                arguments = (given, gemm._name)
                torch.library.opcheck(gemm._registered, arguments, test_utils="test_faketensor")
        narrow = a.to(torch.float8_e4m3fn).requires_grad_()
        with self.assertRaisesRegex(InputError, "gemm: 'a' has elements of 8 bits, which have no"):
            gemm(narrow, b.bfloat16()).sum().backward()

    def test_an_own_epilogue(self):
        given = {"epilogue": "squared"}
        arrays = self.random(3, 4), self.random(4, 5), self.random(5)
        gemm = torch_ops.Gemm(self.runtime, **given, epilogue_in_torch=squared)
        self.check(gemm, *arrays, second=True)
        unknown = torch_ops.Gemm(self.runtime, **given)
        torch.testing.assert_close(unknown(*arrays), squared(arrays[0] @ arrays[1], arrays[2]))
        with self.assertRaisesRegex(InputError, "of the epilogue 'squared' is known; give"):
            unknown(*arrays).sum().backward()

    def epilogues_of_products(self):
        m, n, numbers = 6, 8, {"dtype": "float32"}
        arguments = {
            "bias": [self.random(n, **numbers)],
            "bias_gelu": [self.random(n, **numbers)],
            "bias_relu": [self.random(n, **numbers)],
            "residual": [self.random(m, n, **numbers)],
            "row_bias": [self.random(m, **numbers)],
            "scaled": [self.random(m, **numbers), self.random(n, **numbers)],
        }
        arrays = self.random(m, 4, **numbers), self.random(4, n, **numbers)
        for name, given in arguments.items():
            yield name, torch_ops.Gemm(self.runtime, epilogue=name), torch.matmul, arrays, given

    def epilogues_of_images(self):
        arrays = [self.random(*shape, dtype="float32") for shape in ((2, 3, 6, 8), (3, 3))]
        blur = torch_ops.Convolution2d(self.runtime)
        for name in ("channel_bias", "channel_bias_relu", "channel_bias_silu"):
            operator = torch_ops.Convolution2d(self.runtime, epilogue=name)
            yield name, operator, blur, arrays, [self.random(3, dtype="float32")]

    def test_epilogues(self):
        cases = [*self.epilogues_of_products(), *self.epilogues_of_images()]
        known = _operator.known(2)
        self.assertEqual({case[0] for case in cases}, set(known))
        for name, operator, plain, arrays, given in cases:
            with self.subTest(name):
                seen = operator(*arrays, *given)
                expected = known[name].compute(plain(*arrays), *given)
                torch.testing.assert_close(seen, expected, rtol=1e-5, atol=1e-5)
                weights = torch.rand_like(seen)
                inputs = (*arrays, *given)
                found, wanted = (torch.autograd.grad(y, inputs, weights) for y in (seen, expected))
                torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)

    def test_images(self):
        for boundary in BOUNDARIES:
            for flip in (False, True):
                with self.subTest(boundary=boundary, flip=flip):
                    settings = {"boundary": boundary, "flip": flip, "anchor": (0, 2)}
                    convolve = torch_ops.Convolution2d(self.runtime, **settings)
                    self.check(convolve, self.random(2, 4, 5), self.random(3, 2))

    def test_prepared_filters(self):
        once = torch_ops.Convolution2d(self.runtime, boundary="mirror", filter="prepared")
        each = torch_ops.Convolution2d(self.runtime, boundary="mirror")
        image, filter_ = self.random(9, 8), self.random(3, 3)

        def expect_right():
            self.assertTrue(torch.equal(once(image, filter_), each(image, filter_)))

        for _ in range(2):
            expect_right()
        [known] = once._kept._made.values()
        [first] = known.values()
        with torch.no_grad():
            filter_.mul_(2)
        expect_right()
        [changed] = known.values()
        self.assertIs(changed[0], first[0], "prepared again in its place")
        filter_.data = self.random(3, 3).detach()
        expect_right()
        [moved] = known.values()
        self.assertIsNot(moved[0], first[0])
        self.assertTrue(torch.autograd.gradcheck(once, (image, filter_)))
        self.assertTrue(torch.equal(once(image, filter_.T), each(image, filter_.T)))
        del filter_
        gc.collect()
        self.assertFalse(any(True for _ in once._kept._made))
        with self.assertRaisesRegex(InputError, "filter='never': give 'each_call' or 'prepared'"):
            torch_ops.Convolution2d(self.runtime, filter="never")

    def test_edges_wider_than_the_image(self):
        for boundary in BOUNDARIES:
            with self.subTest(boundary):
                convolve = torch_ops.Convolution1d(self.runtime, boundary=boundary)
                self.check(convolve, self.random(3), self.random(9))

    def test_a_filter_for_each_channel(self):
        settings = {"per_channel": True, "boundary": "mirror"}
        image, filter_ = self.random(2, 3, 4, 5), self.random(3, 3, 3)
        self.check(torch_ops.Convolution2d(self.runtime, **settings), image, filter_, second=True)
        arrays = image, self.random(3, 3), self.random(3, 2)
        self.check(torch_ops.SeparableConvolution2d(self.runtime, **settings), *arrays)

    def test_separable_filters(self):
        for flip in (False, True):
            settings = {"boundary": "replicate", "flip": flip, "anchor": (1, 0)}
            operator = torch_ops.SeparableConvolution2d(self.runtime, **settings)
            self.check(operator, self.random(4, 6), self.random(4), self.random(3))

    def test_signals_and_volumes(self):
        signals = torch_ops.Convolution1d(self.runtime, boundary="reflect", flip=True)
        self.check(signals, self.random(2, 9), self.random(4), second=True)
        for boundary in ("zero", "mirror"):
            volumes = torch_ops.Convolution3d(self.runtime, boundary=boundary)
            self.check(volumes, self.random(3, 4, 3), self.random(2, 3, 1))

    def test_stencils(self):
        numbers = [0.4, 0.1, 0.2, 0.05, 0.01, 0.02, 0.03]
        for boundary in ("zero", "reflect", "wrap"):
            with self.subTest(boundary):
                settings = {"coefficients": numbers, "steps": 3, "boundary": boundary}
                heat = torch_ops.Stencil3d(self.runtime, **settings)
                self.check(heat, self.random(3, 4, 5))
        fixed = torch_ops.Stencil3d(self.runtime, coefficients=numbers, boundary="fixed")
        later = fixed(self.random(6, 6, 6))
        with self.assertRaisesRegex(InputError, "boundary=fixed has no gradient; these have: zero"):
            later.sum().backward()

    def test_is_traced_whole(self):
        self.compiled("aot_eager")

    def test_copies_of_a_model_share_it(self):
        gemm = torch_ops.Gemm(self.runtime)
        self.assertIs(copy.deepcopy({"gemm": gemm})["gemm"], gemm)

    def test_outlives_its_name_until_the_gradient_is_known(self):
        a, b = self.random(3, 4), self.random(4, 5)
        gemm = torch_ops.Gemm(self.runtime)
        product, name = gemm(a, b), gemm._name
        del gemm
        product.sum().backward()
        torch.testing.assert_close(a.grad, b.detach().sum(1).expand(3, 4))
        del product
        with self.assertRaisesRegex(InputError, "gemm: the object of this call is gone; keep it"):
            torch.ops.tilewright.gemm([a, b], name)

    def test_equal_names_are_equal_settings(self):
        # PyTorch keeps compiled graphs, with names in them, for other processes.
        def name(**settings):
            return torch_ops.Gemm(self.runtime, **settings)._name

        self.assertEqual(name(epilogue="bias"), name(epilogue="bias"))
        self.assertNotEqual(name(epilogue="bias"), name(epilogue="bias_relu"))
        own = {"epilogue": "squared", "epilogue_in_torch": squared}
        self.assertNotEqual(name(**own), name(**own))
        two = [torch_ops.Gemm(self.runtime) for _ in range(2)]
        self.assertNotEqual(two[0]._name, two[1]._name)

    def test_derived_operators_are_found_by_name_before_they_exist(self):
        def turned(operator):
            return operator._with(flip=True, boundary="zero", anchor=(0, 1))._name

        name = turned(torch_ops.Convolution2d(self.runtime))
        self.assertEqual(name.splitlines(), [name])
        image, filter_ = self.random(4, 5), self.random(2, 2)
        with self.assertRaisesRegex(InputError, "conv2d: the object of this call is gone"):
            torch.ops.tilewright.conv2d([image, filter_], name)
        convolve = torch_ops.Convolution2d(self.runtime)
        seen = torch.ops.tilewright.conv2d([image, filter_], name)
        self.assertEqual(turned(convolve), name)
        settings = {"flip": True, "anchor": (0, 1)}
        expected = tilewright.Convolution2d(self.runtime, **settings)
        self.assertTrue(torch.equal(seen, expected(image.detach(), filter_.detach())))

    def test_refuses(self):
        gemm = torch_ops.Gemm(self.runtime)
        a, b = self.random(3, 4), self.random(4, 5)
        for arrays, text in (
            ((a, 2.0), "gemm: an operator takes tensors only"),
            ((a,), "gemm: 1 tensors were given; give 2 or more"),
            ((a, a), "gemm: matrices of 3 × 4 and 3 × 4 have no product"),
            ((a.to(torch.complex64), b), "'a' has elements complex64|type_a=complex64"),
        ):
            with self.assertRaisesRegex(InputError, text):
                gemm(*arrays)
        with torch.device("meta"):
            for shapes, text in (
                (((3, 4), (5, 6)), "gemm: the matrices have no product"),
                (((2, 3, 4), (3, 4, 6)), "gemm: the batches differ"),
                (((4,), (4, 6)), "gemm: 'a' has 1 dimensions; give 2 or 3"),
            ):
                with self.assertRaisesRegex((InputError, RuntimeError), text):
                    gemm(*(torch.empty(shape) for shape in shapes))


class OnTheHost(_Operators, unittest.TestCase):
    device = "cpu"

    def test_the_package_itself_does_not_import_torch(self):
        seen = "import sys, tilewright; sys.exit('torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", seen]).returncode, 0)

    def test_edges_are_those_of_the_kernels(self):
        row = torch.arange(4.0)
        taps = torch.zeros(23)
        for boundary in BOUNDARIES:
            convolve = tilewright.Convolution1d(self.runtime, boundary=boundary, device="host")
            seen = _filters.extended(row, boundary, [(11, 11)])
            for place in range(23):
                taps.zero_()[place] = 1
                self.assertTrue(torch.equal(convolve(row, taps), seen[place : place + 4]))


class CompiledOnTheHost(_Case, unittest.TestCase):
    device = "cpu"

    def test_by_inductor(self):
        self.compiled("inductor")


class OnAGpu(_Operators, unittest.TestCase):
    device = "cuda"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch sees no GPU here")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    def compiled(self, backend, **options):
        is_ready = importlib.util.find_spec("triton") and shutil.which("cc")
        if backend == "inductor" and not is_ready:
            self.skipTest("Inductor needs Triton and a C compiler for a GPU")
        super().compiled(backend, **options)

    def test_compiled_by_inductor(self):
        self.compiled("inductor")

    def test_compiled_with_cuda_graphs(self):
        self.compiled("inductor", mode="reduce-overhead")

    def test_on_another_device_than_the_current_one(self):
        if torch.cuda.device_count() < 2:
            self.skipTest("there is one GPU here")
        a, b = (self.random(4, 4).detach().to("cuda:1").requires_grad_() for _ in range(2))
        product = torch_ops.Gemm(self.runtime)(a, b)
        torch.testing.assert_close(product, a @ b)
        product.backward(torch.ones_like(product))
        torch.testing.assert_close(a.grad, b.detach().sum(1).expand(4, 4))

    def test_in_a_graph(self):
        gemm = torch_ops.Gemm(self.runtime, epilogue="bias_gelu")
        blur = torch_ops.Convolution2d(self.runtime, boundary="mirror")
        shapes = ((8, 4), (4, 6), (6,), (3, 3))
        arrays = [self.random(*shape, dtype="float32") for shape in shapes]

        def step():
            output = blur(gemm(*arrays[:3]), arrays[3])
            return output, *torch.autograd.grad(output.square().sum(), arrays)

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step()  # compiles and loads the kernels
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = step()
        for _ in range(2):
            with torch.no_grad():
                for array in arrays:
                    array.copy_(torch.rand_like(array))
            graph.replay()
            torch.cuda.synchronize()
            torch.testing.assert_close(captured, step(), rtol=1e-4, atol=1e-5)
