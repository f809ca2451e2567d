# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""A layer of PyTorch that is one kernel: GELU(x · Wᵀ + bias) in bfloat16, with gradients. It is compared with
torch.nn.Linear and GELU, forwards and backwards. It runs on the GPU, else on the host device with a small layer.

    python3 linear.py [DATABASE]
"""

import sys

import tilewright

try:
    import torch
except ImportError:
    sys.exit("linear: PyTorch is not installed")

from tilewright import torch_ops


class LinearGelu(torch.nn.Linear):
    """torch.nn.Linear with GELU (the form with tanh) after it, and the same parameters."""

    def __init__(self, gemm, *sizes, **options):
        super().__init__(*sizes, **options)
        self.gemm = gemm

    def forward(self, x):
        bias = self.bias.float()  # an epilogue's arguments are of float32
        rows = self.gemm(x.flatten(0, -2), self.weight.T, bias)
        return rows.unflatten(0, x.shape[:-1])


def results(layer, x):
    """The output, and the gradients of the input and the parameters."""
    x = x.detach().to(layer[0].weight.dtype).requires_grad_()
    y = layer(x)
    return [y, *torch.autograd.grad(y.sum(), [x, *layer.parameters()])]


def main():
    torch.manual_seed(1)
    on_gpu = torch.cuda.is_available()
    rows, inputs, outputs = (512, 1024, 4096) if on_gpu else (16, 64, 96)
    options = {"device": "cuda" if on_gpu else "cpu", "dtype": torch.bfloat16}

    runtime = tilewright.Runtime(sys.argv[1] if len(sys.argv) > 1 else None)
    gemm = torch_ops.Gemm(runtime, epilogue="bias_gelu")
    ours = torch.nn.Sequential(LinearGelu(gemm, inputs, outputs, **options))
    gelu = torch.nn.GELU(approximate="tanh")
    theirs = torch.nn.Sequential(torch.nn.Linear(inputs, outputs, **options), gelu)
    exact = torch.nn.Sequential(torch.nn.Linear(inputs, outputs, **options).double(), gelu)
    for other in (theirs, exact):
        other.load_state_dict(ours.state_dict())

    x = torch.randn(8, rows, inputs, **options)
    is_right = True
    names = ("output", "gradient of x", "gradient of the weight", "gradient of the bias")
    for name, *seen in zip(names, results(ours, x), results(theirs, x), results(exact, x)):
        ours_, theirs_, exact_ = (one.double() for one in seen)
        errors = [(one - exact_).norm().item() / exact_.norm().item() for one in (ours_, theirs_)]
        print("{}: relative error {:.2g}, of PyTorch {:.2g}".format(name, *errors))
        is_right = is_right and errors[0] <= 2 * errors[1] and ours_.shape == exact_.shape
    return 0 if is_right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except tilewright.TilewrightError as error:
        sys.exit(f"linear: {error}")
