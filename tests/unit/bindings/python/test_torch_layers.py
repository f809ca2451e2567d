"""Layers in tilewright.torch_ops: operators, and Conv2d in models.

OnTheHost runs on the CPU, OnAGpu on a GPU. Both are skipped without PyTorch.
"""

import copy
import json
import os
import pathlib
import tempfile
import unittest

from test_torch_ops import TEMPLATES, _Case

import tilewright
from tilewright import InputError

try:
    import torch
except ImportError:
    torch = None
else:
    from tilewright import torch_ops


# Gradients by differences change tensors behind the back of their version counters.
_EACH = {"filter": "each_call"}


def all_ours(runtime):
    """Layers of which tilewright computes all, as if it had been faster."""
    layers = torch_ops.Layers(runtime)
    layers.are_ours = lambda key: (True, True)
    return layers


class _Layers(_Case):
    """The tests of both devices."""

    def model(self, **settings):
        nn = torch.nn
        model = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 8, (2, 3), stride=2, groups=4, padding="valid", bias=False),
            nn.Conv2d(8, 8, 4, dilation=2, padding="same", padding_mode="reflect"),
        )
        return model.to(self.device, **settings).eval()

    def expect_ours(self, model, image, expected, **tolerance):
        """The model's answer, which tilewright computes."""
        with torch.no_grad():
            seen = model(image)
        for conv in model.modules():
            if isinstance(conv, torch_ops.Conv2d):
                self.assertTrue(any(one.has_ours for one in conv._either.values()))
        torch.testing.assert_close(seen, expected, **tolerance)
        return seen

    def test_operators(self):
        functional = torch.nn.functional
        for axes, settings in (
            (2, {"stride": 2, "padding": 1}),
            (2, {"stride": (1, 3), "padding": (0, 2), "dilation": 2, "groups": 2}),
            (1, {"padding": 2, "groups": 4}),
            (3, {"stride": (2, 1, 1), "padding": 1}),
        ):
            with self.subTest(axes=axes, **settings):
                layer = torch_ops.ConvLayer(self.runtime, **_EACH, **settings)
                groups = settings.get("groups", 1)
                arrays = (
                    self.random(2, 4, *(7, 6, 5)[:axes]),
                    self.random(4, 4 // groups, *(3, 2, 2)[:axes]),
                )
                self.check(layer, *arrays, second=True)
                convolve = (functional.conv1d, functional.conv2d, functional.conv3d)[axes - 1]
                torch.testing.assert_close(layer(*arrays), convolve(*arrays, **settings))

    def test_gradients_with_other_boundaries_and_edges(self):
        for boundary in ("zero", "mirror", "wrap"):
            with self.subTest(boundary):
                settings = {"boundary": boundary, "padding": ((2, 0), (1, 2))}
                layer = torch_ops.ConvLayer(self.runtime, **_EACH, **settings)
                self.check(layer, self.random(1, 2, 5, 4), self.random(2, 2, 3, 2))

    def test_epilogues_of_layers(self):
        arrays = [self.random(*shape, dtype="float32") for shape in ((2, 3, 5, 5), (4, 3, 3, 3))]
        bias = self.random(4, dtype="float32")
        plain = torch.nn.functional.conv2d(*arrays, bias)
        for name, apply in (
            ("channel_bias", lambda x: x),
            ("channel_bias_relu", torch.relu),
            ("channel_bias_silu", torch.nn.functional.silu),
        ):
            with self.subTest(name):
                layer = torch_ops.ConvLayer(self.runtime, epilogue=name)
                seen, expected = layer(*arrays, bias), apply(plain)
                torch.testing.assert_close(seen, expected, rtol=1e-4, atol=1e-5)
                inputs = (*arrays, bias)
                found, wanted = (
                    torch.autograd.grad(y.sum(), inputs, retain_graph=True) for y in (seen, expected)
                )
                torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-4)

    def test_outputs_are_channels_last_where_an_input_is(self):
        layer = torch_ops.ConvLayer(self.runtime)
        last = {"memory_format": torch.channels_last}
        image, filter_ = (self.random(2, 4, 5, 5).detach() for _ in range(2))
        filter_ = filter_[:, :, :3, :3].contiguous()
        expected = torch.nn.functional.conv2d(image, filter_)
        for x, w in ((image.to(**last), filter_), (image, filter_.to(**last))):
            seen = layer(x, w)
            self.assertTrue(seen.is_contiguous(**last))
            torch.testing.assert_close(seen, expected)
        self.assertTrue(layer(image, filter_).is_contiguous())
        half = layer(image.half().to(**last), filter_)  # a filter of another type
        torch.testing.assert_close(half.double(), expected, rtol=1e-2, atol=1e-2)

    def test_residuals_lie_as_the_output(self):
        layer = torch_ops.ConvLayer(self.runtime, padding=1, epilogue="residual")
        image, filter_ = (self.random(*shape, dtype="float32").detach() for shape in ((2, 3, 5, 4), (6, 3, 3, 3)))
        residual = self.random(2, 6, 5, 4, dtype="float32").detach()
        expected = torch.nn.functional.conv2d(image, filter_, padding=1) + residual
        last = {"memory_format": torch.channels_last}
        for x in (image, image.to(**last)):
            for added in (residual, residual.to(**last), residual.flatten()):
                torch.testing.assert_close(layer(x, filter_, added), expected, rtol=1e-4, atol=1e-5)
            seen = layer(x, filter_, residual.half())
            torch.testing.assert_close(seen, expected, rtol=1e-2, atol=1e-2)

    def test_tensors_at_any_address(self):
        layer = torch_ops.ConvLayer(self.runtime, epilogue="channel_bias")
        image, filter_, bias = (
            self.random(1 + size, dtype="float32").detach()[1:] for size in (2 * 3 * 25, 4 * 3 * 9, 4)
        )
        image, filter_ = image.reshape(2, 3, 5, 5), filter_.reshape(4, 3, 3, 3)
        expected = torch.nn.functional.conv2d(image, filter_, bias)
        seen = layer(image, filter_, bias)
        torch.testing.assert_close(seen, expected, rtol=1e-4, atol=1e-5)

    def test_pytorch_computes_what_nobody_has_tuned(self):
        model = self.model()
        image = self.random(2, 3, 12, 12, dtype="float32").detach()
        expected = model(image)
        keys = list(model.state_dict())
        converted = torch_ops.Layers(self.runtime).convert(model)
        self.assertIs(type(converted[0]), torch_ops.Conv2d)
        self.assertEqual(list(converted.state_dict()), keys)
        with torch.no_grad():
            self.assertTrue(torch.equal(converted(image), expected))
        self.assertTrue(converted(image).requires_grad)
        made = torch_ops.Conv2d(3, 4, 3, layers=torch_ops.Layers(self.runtime))
        made.load_state_dict(torch.nn.Conv2d(3, 4, 3).state_dict())

    def test_models(self):
        for last in (False, True):
            with self.subTest(channels_last=last):
                form = torch.channels_last if last else torch.contiguous_format
                model = self.model(memory_format=form)
                image = self.random(2, 3, 12, 12, dtype="float32").detach()
                image = image.contiguous(memory_format=form)
                with torch.no_grad():
                    expected = model(image)
                ours = all_ours(self.runtime).convert(copy.deepcopy(model))
                close = {"rtol": 1e-3, "atol": 1e-3}
                seen = self.expect_ours(ours, image, expected, **close)
                self.assertTrue(seen.is_contiguous(memory_format=form))
                self.expect_ours(copy.deepcopy(ours), image, expected, **close)
                with torch.no_grad():
                    for parameter in (*model.parameters(), *ours.parameters()):
                        parameter.mul_(1.5)
                    expected = model(image)
                self.expect_ours(ours, image, expected, **close)
                self.assertTrue(ours(image).requires_grad)  # PyTorch's

    def test_autocast(self):
        model = self.model(memory_format=torch.channels_last)
        ours = all_ours(self.runtime).convert(copy.deepcopy(model))
        image = self.random(2, 3, 12, 12, dtype="float32").detach()
        with torch.autocast(self.device, torch.bfloat16):
            with torch.no_grad():
                expected = model(image)
            self.expect_ours(ours, image, expected, rtol=5e-2, atol=5e-2)

    def compiled_model(self, backend, **options):
        model = self.model(memory_format=torch.channels_last)
        image = self.random(2, 3, 12, 12, dtype="float32").detach()
        image = image.contiguous(memory_format=torch.channels_last)
        with torch.no_grad():
            expected = model(image)
            ours = all_ours(self.runtime).convert(model)
            ours(image)
            compiled = torch.compile(ours, backend=backend, fullgraph=True, **options)
            for _ in range(3):
                seen = compiled(image)
                torch.testing.assert_close(seen, expected, rtol=1e-3, atol=1e-3)
            untuned = torch_ops.Layers(self.runtime).convert(self.model())
            compiled = torch.compile(untuned, backend=backend, fullgraph=True, **options)
            torch.testing.assert_close(compiled(image), untuned(image), rtol=1e-3, atol=1e-3)

    def test_compiled_models(self):
        self.compiled_model("aot_eager")

    def test_tunes_and_remembers(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            cache = os.environ["TILEWRIGHT_TEST_CACHE"]
            runtime = tilewright.Runtime(folder / "results.db", TEMPLATES, cache=cache)
            file, lines = folder / "layers.json", []
            layers = torch_ops.Layers(runtime, file)
            model = layers.convert(self.model())
            image = self.random(1, 3, 12, 12, dtype="float32").detach()
            worker = os.environ["TILEWRIGHT_TEST_WORKER"]
            options = {"budget": 1, "worker": worker, "compile_processes": 1}
            ours = layers.tune(model, image, report=lines.append, **options)
            times = json.loads(file.read_text())
            self.assertEqual((len(times), len(lines)), (3, 3))
            self.assertEqual(ours, sum(one["captured"][0] < one["captured"][1] for one in times.values()))
            known = torch_ops.Layers(runtime, file)
            for key, one in times.items():
                faster = tuple(one[how][0] < one[how][1] for how in ("eager", "captured"))
                self.assertEqual(known.are_ours(key), faster)
            known.are_ours = lambda key: (key in times, True)
            model = known.convert(self.model())
            known.tune(model, image)  # measures nothing
            self.assertEqual(json.loads(file.read_text()), times)
            for conv in (model[0], model[2], model[3]):
                self.assertTrue(all(one.has_ours for one in conv._either.values()))
            for text, why in (("[1", "layers.json: "), ('{"a": 1}', "does not have times of layers")):
                file.write_text(text)
                with self.assertRaisesRegex(InputError, why):
                    torch_ops.Layers(runtime, file)


class LayersOnTheHost(_Layers, unittest.TestCase):
    device = "cpu"


class CompiledLayersOnTheHost(_Case, unittest.TestCase):
    device = "cpu"
    model, compiled_model = _Layers.model, _Layers.compiled_model

    def test_by_inductor(self):
        self.compiled_model("inductor")


class LayersOnAGpu(_Layers, unittest.TestCase):
    device = "cuda"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch sees no GPU here")
        torch.backends.cudnn.allow_tf32 = False

    def test_compiled_with_cuda_graphs(self):
        self.compiled_model("inductor", mode="reduce-overhead")

    def test_in_a_graph(self):
        model = self.model(memory_format=torch.channels_last, dtype=torch.float16)
        ours = all_ours(self.runtime).convert(copy.deepcopy(model))
        image = self.random(2, 3, 12, 12, dtype="float16").detach()
        with torch.no_grad():
            ours(image)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                captured = ours(image)
            for _ in range(2):
                image.copy_(torch.rand_like(image))
                graph.replay()
                torch.testing.assert_close(captured, model(image), rtol=2e-2, atol=2e-2)


if __name__ == "__main__":
    unittest.main()
