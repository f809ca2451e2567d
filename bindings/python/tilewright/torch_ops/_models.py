"""Which layers of models tilewright computes."""

import json
import os
import pathlib
import tempfile
import threading

import torch

from ..errors import InputError, NothingFound
from ..runtime import version
from ._contest import contest
from ._conv2d import Conv2d


class Layers:
    """Which layers of models tilewright computes: those that it has been seen to compute faster.

        layers = torch_ops.Layers(runtime, "layers.json")
        model = layers.convert(model.eval().to(memory_format=torch.channels_last))
        layers.tune(model, image)
        output = model(image)

    PyTorch computes shapes that tune() has not met. `file` keeps what tune() has found for the next
    process: a JSON object of times by device, versions of the software and problem. `accuracy` is that
    of ConvLayer: with "normwise" an infinity or NaN may spoil outputs in a few rows and columns around
    it and in other groups, with "elementwise" only those whose filter meets it, as with PyTorch.
    Copies of a model share this object. Safe to use from many threads, but for tune().
    """

    def __init__(self, runtime, file=None, *, accuracy="normwise"):
        self.runtime = runtime
        self.accuracy = accuracy
        self._file = None if file is None else pathlib.Path(file)
        self._times = {}
        self._met = None  # while tune() runs the model: arrays, problem and layers by key
        self._saving = threading.Lock()
        if self._file is not None and self._file.exists():
            self._times = _read(self._file)

    def __deepcopy__(self, memo):
        return self

    def convert(self, model):
        """Makes each torch.nn.Conv2d of the model a Conv2d of these layers, in its place and with its
        parameters, and returns the model."""
        for module in model.modules():
            if type(module) is torch.nn.Conv2d:
                module.__class__ = Conv2d
                module.join(self)
        return model

    def tune(self, model, *inputs, time_limit_s=30, report=None, **options):
        """Runs the model on the inputs, sweeps each problem of its Conv2d that has no exact result
        yet, for `time_limit_s` at most, and measures whether tilewright or PyTorch is faster.
        Further options are those of Runtime.tune(). `report` is called with a line for each problem.
        Returns how many of them tilewright computes in a CUDA graph."""
        self._met = {}
        try:
            with torch.no_grad():
                model(*inputs)
            met = self._met
        finally:
            self._met = None
        for key, (arrays, problem, layers) in met.items():
            if key not in self._times:
                times = self._measured(layers[0], arrays, problem, {"time_limit_s": time_limit_s} | options)
                if times is None:
                    continue
                self._times[key] = times
                self._save()
            if report is not None:
                ours, theirs = self._times[key]["captured"]
                shapes = " * ".join("x".join(map(str, array.shape)) for array in arrays[:2])
                report(f"{shapes}: {ours:.1f} us, PyTorch {theirs:.1f} us")
        for _, _, layers in met.values():
            for layer in layers:
                layer.forget()
        with torch.no_grad():
            model(*inputs)  # so that all know what they have, also those that torch.compile meets next
        return sum(self.are_ours(key)[True] for key in met)

    def key_of(self, problem, device):
        name = torch.cuda.get_device_name(device) if device.type == "cuda" else "host"
        software = f"{version()} {torch.__version__} {torch.backends.cudnn.version()}"
        return f"{name}, {software}: {json.dumps(problem, sort_keys=True)}"

    def are_ours(self, key):
        """Whether tilewright is faster in eager mode, and in a CUDA graph."""
        times = self._times.get(key)
        if times is None:
            return False, False
        return tuple(times[how][0] < times[how][1] for how in ("eager", "captured"))

    def meet(self, layer, arrays):
        """Of a layer, on the way to its answer."""
        if self._met is not None:
            key, problem = layer.key(*arrays[:2])
            self._met.setdefault(key, (arrays, problem, []))[2].append(layer)

    def _measured(self, layer, arrays, problem, options):
        """Times of both ways; None if tilewright has none."""
        image = arrays[0]
        device = f"cuda:{image.device.index or 0}" if image.is_cuda else "host"
        try:
            try:
                self.runtime.best("conv_layer", problem, device=device, require="exact")
            except NothingFound:
                self.runtime.tune("conv_layer", problem, device=device, **options)
        except NothingFound:
            return None
        with torch.no_grad():
            plain = [array.detach().to(image.dtype) for array in arrays]
            calls = [lambda: layer.by_tilewright(arrays), lambda: layer.by_torch(*plain)]
            return contest(calls, image.device)

    def _save(self):
        if self._file is None:
            return
        with self._saving:
            times = (_read(self._file) if self._file.exists() else {}) | self._times
            folder, name = self._file.parent, self._file.name
            with tempfile.NamedTemporaryFile("w", dir=folder, prefix=name, delete=False) as file:
                json.dump(times, file, indent=1, sort_keys=True)
            os.replace(file.name, self._file)


def _are_times(entry):
    pairs = [entry.get(how) for how in ("eager", "captured")] if isinstance(entry, dict) else [None]
    return all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(us, float) for us in pair)
        for pair in pairs
    )


def _read(file):
    try:
        times = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}; give the file of an earlier Layers, or a new name") from None
    if not isinstance(times, dict) or not all(map(_are_times, times.values())):
        raise InputError(f"{file} does not have times of layers; give another file")
    return times
