# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Lets every torch.nn.Linear of a model take its product, with its bias, from tilewright. It needs a GPU
and PyTorch, and is for inference: gradients do not flow.

    python3 linear.py [DATABASE]
"""

import sys

import tilewright


def replace_linears(torch, model, runtime):
    """Every torch.nn.Linear in `model` becomes one that calls tilewright, with the same weights."""

    class Linear(torch.nn.Module):
        def __init__(self, old):
            super().__init__()
            self.weight = old.weight
            if old.bias is None:
                self.gemm = tilewright.Gemm(runtime)
                self.bias = []
            else:
                self.gemm = tilewright.Gemm(runtime, epilogue="bias")
                self.bias = [old.bias.detach().float()]  # which a snippet's arguments are

        @torch.no_grad()
        def forward(self, x):
            rows = x.reshape(-1, x.shape[-1])
            product = self.gemm(rows, self.weight.T, *self.bias)
            return product.reshape(*x.shape[:-1], self.weight.shape[0])

    for name, child in model.named_children():
        if isinstance(child, torch.nn.Linear):
            setattr(model, name, Linear(child))
        else:
            replace_linears(torch, child, runtime)
    return model


def main():
    import torch

    torch.manual_seed(1)
    layers = [torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024, bias=False)]
    model = torch.nn.Sequential(*layers).cuda().bfloat16()
    x = torch.randn(8, 512, 1024, device="cuda", dtype=torch.bfloat16)
    with torch.no_grad():
        expected = model(x)
        runtime = tilewright.Runtime(sys.argv[1] if len(sys.argv) > 1 else None)
        seen = replace_linears(torch, model, runtime)(x)
    error = (seen.float() - expected.float()).abs().max().item()
    print(f"greatest difference from PyTorch: {error:.3g} of {expected.abs().max().item():.3g}")
    return 0 if error < 0.02 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ImportError:
        sys.exit("linear: PyTorch is not installed")
    except tilewright.TilewrightError as error:
        sys.exit(f"linear: {error}")
