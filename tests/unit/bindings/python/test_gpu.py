"""Arrays of CuPy and PyTorch on a GPU; skipped where there is none, or no such library."""

import os
import unittest
from unittest import mock

import tilewright
from tilewright import InputError, _products

TEMPLATES = os.environ["TILEWRIGHT_TEST_TEMPLATES"]
CACHE = os.environ["TILEWRIGHT_TEST_CACHE"]
M, N, K = 96, 112, 80
SPLIT = {  # of gemm/blocked, with a workspace
    **{"BLOCK_M": 32, "BLOCK_N": 32, "THREAD_M": 4, "THREAD_N": 4, "LANES_N": 8, "BLOCK_K": 16},
    **{"LOADING": "registers", "STAGES": 2, "FRAGMENTS": 1, "ORDER": "zigzag", "SPLIT_K": 2},
    **{"REDUCTION": "block", "GROUP": 1, "PACKED": "none", "LAYOUT": "depths", "VECTOR_A": 4},
    **{"VECTOR_B": 4, "SHAPE": "launch", "MIN_BLOCKS": 1},
}


def launch_definitions(test, library):
    """The answers are NumPy's."""
    import definition_cases

    if definition_cases.numpy is None:
        test.skipTest("there is no NumPy here")
    definition_cases.launch_all(test, "cuda:0", library)


class PyTorchArrays:
    """As definition_cases.expect_right() takes a library."""

    def __init__(self, torch):
        self.torch = torch

    def give(self, array, type_):
        values = self.torch.from_numpy(array.view("u1")).cuda()
        return values.view(getattr(self.torch, type_))

    def take(self, given):
        bits = "u2" if given.dtype is self.torch.bfloat16 else str(given.dtype).partition(".")[2]
        return given.view(self.torch.uint8).cpu().numpy().view(bits)

    def workspace(self, bytes_):
        return self.torch.empty(bytes_, dtype=self.torch.uint8, device="cuda:0")

    def lacks(self, _types):
        return None

    def refuses(self, _name):
        return None


class CuPyArrays:
    """The same."""

    def __init__(self, cupy):
        self.cupy = cupy

    def give(self, array, _type):
        return self.cupy.asarray(array)

    def take(self, given):
        return self.cupy.asnumpy(given)

    def workspace(self, bytes_):
        return self.cupy.empty(bytes_, self.cupy.uint8)

    def lacks(self, types):
        return "CuPy has no bfloat16" if "bfloat16" in types else None

    def refuses(self, _name):
        return None


def open_runtime(**options):
    return tilewright.Runtime(kernels=TEMPLATES, cache=CACHE, **options)


class WithPyTorch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import torch
        except ImportError:
            raise unittest.SkipTest("there is no PyTorch here") from None
        if not torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch sees no GPU here")
        cls.torch = torch

    def setUp(self):
        torch = self.torch
        torch.backends.cuda.matmul.allow_tf32 = False
        self.a, self.b = (torch.rand(shape, device="cuda:0") for shape in ((M, K), (K, N)))
        self.c = torch.full((M, N), float("nan"), device="cuda:0")
        self.kernel = open_runtime().kernel("gemm", M=M, N=N, K=K, device="cuda:0")
        self.workspace = self.room_for(self.kernel)

    def room_for(self, kernel):
        return self.torch.empty(kernel.workspace_bytes, dtype=self.torch.uint8, device="cuda:0")

    def is_right(self, c):
        self.torch.testing.assert_close(c, self.a @ self.b, rtol=1e-4, atol=1e-4)

    def launch(self, *arrays, **options):
        arrays = arrays or (self.a, self.b, self.c)
        self.kernel(*arrays, 1.0, 0.0, workspace=self.workspace, **options)

    def test_on_the_current_stream(self):
        self.launch()
        self.is_right(self.c)
        stream = self.torch.cuda.Stream()
        stream.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(stream):
            self.c.fill_(0)
            self.launch()
            copy = self.c.clone()
        stream.synchronize()
        self.is_right(copy)

    def test_on_a_given_stream(self):
        self.torch.cuda.synchronize()
        for _ in range(20):
            stream = self.torch.cuda.Stream()
            late = self.torch.zeros_like(self.a)
            self.torch.cuda._sleep(2_000_000)
            late.copy_(self.a)  # on the current stream; DLPack makes the launch's wait for it
            self.launch(late, self.b, self.c, stream=stream)
            stream.synchronize()
            self.is_right(self.c)

    def test_in_a_graph(self):
        self.kernel.prepare()
        stream = self.torch.cuda.Stream()
        graph = self.torch.cuda.CUDAGraph()
        self.torch.cuda.synchronize()
        with self.torch.cuda.graph(graph, stream=stream):
            self.launch()
        self.c.fill_(0)
        graph.replay()
        self.torch.cuda.synchronize()
        self.is_right(self.c)

    def test_convolution_with_values(self):
        torch = self.torch
        kernel = open_runtime().kernel("conv1d", length=5000, taps=9, device="cuda:0")
        signal, output = torch.rand(5000, device="cuda:0"), torch.empty(5000, device="cuda:0")
        filter_ = torch.rand(9)
        both = tilewright.with_values(filter_.cuda(), filter_)
        kernel(signal, both, output, workspace=self.room_for(kernel))
        expected = torch.nn.functional.conv1d(
            signal.double().view(1, 1, -1), filter_.cuda().double().view(1, 1, -1), padding=4
        )
        torch.testing.assert_close(output.double(), expected.view(-1), rtol=1e-5, atol=1e-5)

    def test_products_of_arrays(self):
        torch = self.torch
        gemm = tilewright.Gemm(open_runtime(), epilogue="bias_relu")
        bias = torch.rand(N, device="cuda:0") - K / 4
        expected = torch.relu(self.a @ self.b + bias)
        stored = self.b.t().contiguous()
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            c = gemm(self.a, stored.t(), bias)
        stream.synchronize()
        torch.testing.assert_close(c, expected, rtol=1e-4, atol=1e-4)
        self.assertEqual(c.device, self.a.device)
        wide = torch.zeros((M, 2 * N), device="cuda:0")
        gemm(self.a, self.b, bias, out=wide[:, :N])
        torch.testing.assert_close(wide[:, :N], expected, rtol=1e-4, atol=1e-4)
        self.assertFalse(wide[:, N:].any())
        plain = tilewright.Gemm(open_runtime())
        batch = torch.rand((3, M, K), device="cuda:0")
        torch.testing.assert_close(plain(batch, self.b), batch @ self.b, rtol=1e-4, atol=1e-4)
        with self.assertRaisesRegex(InputError, "with stream=, also give out="):
            plain(self.a, self.b, stream=stream)

    def test_arrays_of_each_type(self):
        torch = self.torch
        runtime = open_runtime()
        gemm, filter_ = tilewright.Gemm(runtime), tilewright.Convolution1d(runtime)
        signal, taps = torch.rand(5000, device="cuda:0"), torch.rand(9, device="cuda:0")
        for type_, bound in (
            (torch.float64, 1e-13),
            (torch.float16, 2**-11 + 1e-5),
            (torch.bfloat16, 2**-8 + 1e-5),
        ):
            with self.subTest(type_):
                a, b, x, f = (given.to(type_) for given in (self.a, self.b, signal, taps))
                expected = a.double() @ b.double()
                for _ in range(2):  # the second one as a call that was made before
                    c = gemm(a, b)
                    self.assertEqual((c.dtype, c.device), (type_, a.device))
                    torch.testing.assert_close(c.double(), expected, rtol=bound, atol=0)
                gemm(a, b, out=self.c)
                torch.testing.assert_close(self.c.double(), expected, rtol=1e-5, atol=0)
                rows = (given.double().view(1, 1, -1) for given in (x, f))
                expected = torch.nn.functional.conv1d(*rows, padding=4).view(-1)
                output = filter_(x, tilewright.with_values(f, f.cpu()))
                self.assertEqual(output.dtype, type_)
                torch.testing.assert_close(output.double(), expected, rtol=bound, atol=0)

    def test_calls_again_on_other_streams(self):
        torch = self.torch
        runtime = open_runtime(overrides=[tilewright.Override("gemm/blocked", SPLIT)])
        gemm = tilewright.Gemm(runtime)
        kernel = gemm.kernel(self.a, self.b)
        kernel.prepare()
        self.assertGreater(kernel.workspace_bytes, 0)
        for first in (True, False, False):
            stream = torch.cuda.Stream()
            torch.cuda.synchronize()
            with torch.cuda.stream(stream), mock.patch.object(
                _products, "strided_view_of", wraps=_products.strided_view_of
            ) as views:
                late = torch.zeros_like(self.a)
                torch.cuda._sleep(2_000_000)
                late.copy_(self.a)
                c = gemm(late, self.b)
            stream.synchronize()
            self.is_right(c)
            self.assertEqual(views.call_count, 3 if first else 0)

    def test_convolution_of_arrays(self):
        torch = self.torch
        images, filter_ = torch.rand((2, 3, 40, 56), device="cuda:0"), torch.rand((5, 3))
        convolve = tilewright.Convolution2d(open_runtime())
        output = convolve(images, tilewright.with_values(filter_.cuda(), filter_))
        planes = images.view(6, 1, 40, 56).double()
        kernel = filter_.cuda().double().view(1, 1, 5, 3)
        expected = torch.nn.functional.conv2d(planes, kernel, padding=(2, 1)).view(images.shape)
        torch.testing.assert_close(output.double(), expected, rtol=1e-5, atol=1e-5)

    def by_value(self):
        """A runtime whose best conv2d takes the filter by value."""
        halo = tilewright.Runtime(kernels=TEMPLATES).best("conv2d/halo", device="cuda:0")
        forced = tilewright.Override("conv2d/halo", halo.configuration | {"FILTER": "value"})
        return tilewright.Runtime(kernels=TEMPLATES, cache=CACHE, overrides=[forced])

    def filtered(self, image, filter_):
        torch = self.torch
        padded = torch.nn.functional.pad(image.double()[None, None], (1, 1, 2, 2), "reflect")
        return torch.nn.functional.conv2d(padded, filter_.double()[None, None])[0, 0]

    def test_convolution_with_a_filter_on_the_gpu(self):
        # The example of docs/c-and-python.md.
        torch = self.torch
        image, filter = (torch.rand(shape, device="cuda:0") for shape in ((40, 56), (5, 3)))
        runtime = self.by_value()
        blur = tilewright.Convolution2d(runtime, boundary="mirror")
        fast = blur(image, tilewright.with_values(filter, filter.cpu()))
        output = blur(image, filter)
        for one in (fast, output):
            torch.testing.assert_close(
                one.double(), self.filtered(image, filter), rtol=1e-5, atol=1e-5
            )
        self.assertEqual(blur.kernel(image, filter).answer.configuration["FILTER"], "shared")
        filter.mul_(2)  # read anew by the next launch
        torch.testing.assert_close(blur(image, filter), 2 * output, rtol=1e-5, atol=1e-5)
        problem = {"width": 56, "height": 40, "filter_width": 3, "filter_height": 5}
        kernel = runtime.kernel("conv2d", problem, boundary="mirror", device="cuda:0")
        with self.assertRaisesRegex(InputError, "'filter' goes by value in this configuration"):
            kernel(image, filter, output)

    def test_convolution_in_a_graph(self):
        torch = self.torch
        image, filter_ = (torch.rand(shape, device="cuda:0") for shape in ((40, 56), (5, 3)))
        blur = tilewright.Convolution2d(self.by_value(), boundary="mirror")
        blur.kernel(image, filter_).prepare()
        output = torch.empty_like(image)
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            blur(image, filter_, out=output)
        for _ in range(2):
            filter_.copy_(torch.rand((5, 3)))
            graph.replay()
            torch.cuda.synchronize()
            expected = self.filtered(image, filter_)
            torch.testing.assert_close(output.double(), expected, rtol=1e-5, atol=1e-5)

    def test_refuses(self):
        torch = self.torch
        for given, text in (
            (self.a.cpu(), "argument 1 'a' is in host memory; this kernel runs on cuda:0"),
            (self.a.double(), "argument 1 'a' has elements of float32; float64 was given"),
            (self.a.half(), "argument 1 'a' has elements of float32; float16 was given"),
            (torch.rand((K, M), device="cuda:0").t(), "argument 1 'a' is not contiguous"),
            (self.a.clone().requires_grad_(), "argument 1 'a' gives no DLPack tensor: "),
            (self.a[:-1], f"argument 1 'a' has {M * K} elements; {(M - 1) * K} were given"),
        ):
            with self.assertRaisesRegex(InputError, text):
                self.launch(given, self.b, self.c)

    def test_definitions(self):
        launch_definitions(self, PyTorchArrays(self.torch))

    def test_another_device(self):
        if self.torch.cuda.device_count() < 2:
            self.skipTest("there is one GPU here")
        with self.assertRaisesRegex(InputError, "is on cuda:1; this kernel runs on cuda:0"):
            self.launch(self.a.to("cuda:1"), self.b, self.c)


class WithCuPy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import cupy
        except ImportError:
            raise unittest.SkipTest("there is no CuPy here") from None
        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise unittest.SkipTest(f"CuPy sees no GPU here: {error}") from None
        cls.cupy = cupy

    def setUp(self):
        cupy = self.cupy
        self.a, self.b = (cupy.random.random(s, dtype=cupy.float32) for s in ((M, K), (K, N)))
        self.c = cupy.full((M, N), cupy.nan, cupy.float32)
        self.kernel = open_runtime().kernel("gemm", M=M, N=N, K=K, device="cuda:0")
        self.workspace = cupy.empty(self.kernel.workspace_bytes, cupy.uint8)

    def launch(self, *arrays, **options):
        self.kernel(*arrays, 1.0, 0.0, workspace=self.workspace, **options)

    def is_right(self):
        expected = self.a.astype("f8") @ self.b.astype("f8")
        self.cupy.testing.assert_allclose(self.c, expected, rtol=1e-4, atol=1e-4)

    def test_on_streams(self):
        self.launch(self.a, self.b, self.c)
        self.is_right()
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            self.c.fill(0)
            self.launch(self.a, self.b, self.c)
            self.is_right()
        self.c.fill(0)
        self.cupy.cuda.Device().synchronize()
        self.launch(self.a, self.b, self.c, stream=stream)
        stream.synchronize()
        self.is_right()

    def test_cuda_array_interface_alone(self):
        class Plain:
            def __init__(self, array):
                self.array = array
                self.__cuda_array_interface__ = array.__cuda_array_interface__

        self.launch(Plain(self.a), Plain(self.b), Plain(self.c))
        self.is_right()

    def test_products_of_arrays(self):
        gemm = tilewright.Gemm(open_runtime())
        stored = self.cupy.ascontiguousarray(self.b.T)
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            stream.synchronize()
            self.c = gemm(self.a, stored.T)
            self.is_right()
        self.assertIsInstance(self.c, self.cupy.ndarray)

    def test_arrays_of_each_type(self):
        cupy = self.cupy
        gemm = tilewright.Gemm(open_runtime())
        for type_, bound in (("f8", 1e-13), ("f2", 2**-11 + 1e-5)):
            a, b = self.a.astype(type_), self.b.astype(type_)
            c = gemm(a, b)
            self.assertEqual(c.dtype, cupy.dtype(type_))
            cupy.testing.assert_allclose(c.astype("f8"), a.astype("f8") @ b.astype("f8"), rtol=bound)

    def test_refuses(self):
        with self.assertRaisesRegex(InputError, "argument 1 'a' is not contiguous"):
            self.launch(self.cupy.asfortranarray(self.a), self.b, self.c)
        with self.assertRaisesRegex(InputError, "float64 was given"):
            self.launch(self.a.astype("f8"), self.b, self.c)

    def test_definitions(self):
        launch_definitions(self, CuPyArrays(self.cupy))


if __name__ == "__main__":
    unittest.main()
