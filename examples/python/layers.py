# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Three networks whose convolutional layers tilewright computes where it is faster than PyTorch: a ResNet, a U-Net and a
super-resolution network, with random weights in float16. It tunes each layer (minutes, once for a database), compares the
answers, and prints the times of a batch in eager mode, in a CUDA graph, and with torch.compile(mode="max-autotune"). Images are
contiguous, so their conversion to channels_last is a part of every time.

    python3 layers.py [DATABASE [NETWORK…]]
    python3 layers.py --small       on the host device, with small networks, all by tilewright without tuning
"""

import copy
import pathlib
import sys
import time

import tilewright

try:
    import torch
except ImportError:
    sys.exit("layers: PyTorch is not installed")

from torch import nn

from tilewright import torch_ops


class Sum(nn.Module):
    """What a path adds to its input, or to what another one makes of it."""

    def __init__(self, path, other=None):
        super().__init__()
        self.path, self.other = path, other or nn.Identity()

    def forward(self, x):
        return self.path(x) + self.other(x)


def resnet(width, blocks):
    """After: He, Zhang, Ren and Sun, Deep residual learning for image recognition, 2016."""

    def conv(inputs, outputs, size, stride=1):
        layer = nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False)
        return nn.Sequential(layer, nn.BatchNorm2d(outputs))

    layers, inputs = [conv(3, width, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], width
    for stage, count in enumerate(blocks):
        outputs = width << stage
        for block in range(count):
            stride = 2 if stage and not block else 1
            path = nn.Sequential(conv(inputs, outputs, 3, stride), nn.ReLU(), conv(outputs, outputs, 3))
            other = conv(inputs, outputs, 1, stride) if inputs != outputs else None
            layers += [Sum(path, other), nn.ReLU()]
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


class UNet(nn.Module):
    """After: Ronneberger, Fischer and Brox, U-Net: convolutional networks for biomedical image
    segmentation, 2015."""

    def __init__(self, width, depth):
        super().__init__()

        def pair(inputs, outputs):
            first, second = (nn.Conv2d(n, outputs, 3, padding=1) for n in (inputs, outputs))
            return nn.Sequential(first, nn.SiLU(), second, nn.SiLU())

        widths = [width << level for level in range(depth + 1)]
        self.down = nn.ModuleList(pair(n, m) for n, m in zip([4, *widths], widths))
        self.up = nn.ModuleList(pair(n + m, n) for n, m in zip(widths, widths[1:]))
        self.out = nn.Conv2d(width, 4, 3, padding=1)

    def forward(self, x):
        kept = []
        for level, down in enumerate(self.down):
            x = down(nn.functional.avg_pool2d(x, 2) if level else x)
            kept.append(x)
        x = kept.pop()
        for up in reversed(self.up):
            x = up(torch.cat([kept.pop(), nn.functional.interpolate(x, scale_factor=2)], 1))
        return self.out(x)


def super_resolution(width, blocks):
    """After: Lim and others, Enhanced deep residual networks for single image super-resolution, 2017."""

    def conv(inputs, outputs):
        return nn.Conv2d(inputs, outputs, 3, padding=1)

    body = [Sum(nn.Sequential(conv(width, width), nn.ReLU(), conv(width, width))) for _ in range(blocks)]
    return nn.Sequential(
        conv(3, width),
        Sum(nn.Sequential(*body, conv(width, width))),
        conv(width, 4 * width),
        nn.PixelShuffle(2),
        conv(width, 3),
    )


def networks(is_small):
    if is_small:
        return {
            "ResNet": (resnet(8, (1, 1)), (1, 3, 32, 32)),
            "U-Net": (UNet(8, 1), (1, 4, 16, 16)),
            "super-resolution": (super_resolution(8, 1), (1, 3, 16, 16)),
        }
    return {
        "ResNet": (resnet(64, (3, 4, 6, 3)), (32, 3, 224, 224)),
        "U-Net": (UNet(64, 4), (2, 4, 256, 256)),
        "super-resolution": (super_resolution(64, 16), (1, 3, 540, 960)),
    }


def milliseconds(call, calls):
    wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    times = []
    for _ in range(6):  # the first one warms up
        wait()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        times.append(1e3 * (time.perf_counter() - start) / calls)
    return f"{sorted(times[1:])[2]:9.2f} ms"


def captured(call):
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def compare(name, model, image, layers, is_small):
    """Prints the times of one network; whether both answers agree."""
    last = {"memory_format": torch.channels_last}
    model = model.eval().to(image.device, image.dtype, **last)
    ours = layers.convert(copy.deepcopy(model))
    if not is_small:
        layers.tune(ours, image.to(**last), report=print)
    answers, calls = [], 1 if is_small else 20
    for who, network in (("PyTorch", model), ("tilewright", ours)):
        answers.append(network(image.to(**last)))
        print(f"{name}, {who}, eager: {milliseconds(lambda: network(image.to(**last)), calls)}")
        if not is_small:
            replay = captured(lambda: network(image.to(**last)))
            print(f"{name}, {who}, in a CUDA graph: {milliseconds(replay, calls)}")
            compiled = torch.compile(network, mode="max-autotune")
            print(f"{name}, {who}, max-autotune: {milliseconds(lambda: compiled(image.to(**last)), calls)}")
    expected, seen = (answer.float() for answer in answers)
    error = ((seen - expected).abs().max() / expected.abs().max()).item()
    print(f"{name}: the answers differ by {error:.1e} of the largest")
    return error < 2e-2


def main():
    torch.manual_seed(1)
    is_small = "--small" in sys.argv
    if not is_small and not torch.cuda.is_available():
        sys.exit("layers: this takes a GPU; --small does without")
    device, dtype = ("cpu", torch.float32) if is_small else ("cuda", torch.float16)
    database, *names = [one for one in sys.argv[1:] if one != "--small"] or [None]
    file = pathlib.Path(database).with_suffix(".layers.json") if database else None
    layers = torch_ops.Layers(tilewright.Runtime(database), file)
    if is_small:
        layers.are_ours = lambda key: (True, True)  # whatever is faster, so that answers are compared
    are_right = True
    with torch.no_grad():
        for name, (model, shape) in networks(is_small).items():
            if names and name not in names:
                continue
            image = torch.randn(shape, device=device, dtype=dtype)
            are_right &= compare(name, model, image, layers, is_small)
    sys.exit(0 if are_right else 1)


if __name__ == "__main__":
    main()
