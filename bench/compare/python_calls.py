#!/usr/bin/env python3
"""What a call from Python costs the host, in microseconds: the least of some rounds of calls.

    PYTHONPATH=bindings/python TILEWRIGHT_LIBRARY=…/libtilewright.so bench/compare/python_calls.py KERNELS

With PyTorch and a GPU, 64³ products that a kernel and that cuBLAS answers, with torch.matmul beside them;
else NumPy's arrays on the host device, without the launch itself. KERNELS is the folder kernel_templates.
"""
import sys
import tempfile
import time

import tilewright
from tilewright import _calls

ROUNDS, CALLS = 20, 500


def microseconds(call, wait=lambda: None):
    best = float("inf")
    for _ in range(ROUNDS):
        wait()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, time.perf_counter() - start)
    wait()
    return 1e6 * best / CALLS


def operator_calls(runtime, a, b, implementation):
    """The same product as an operator of PyTorch, without and with a record for its gradient."""
    from tilewright import torch_ops

    gemm = torch_ops.Gemm(runtime, implementation=implementation)
    wanted = a.clone().requires_grad_()
    gemm(a, b)
    return {
        "torch_ops.Gemm": lambda: gemm(a, b),
        "torch_ops.Gemm, gradient": lambda: gemm(wanted, b),
    }


def measure(a, b, c, wait, implementation="naive"):
    print(f"gemm/{implementation}")
    with tempfile.TemporaryDirectory() as folder:
        runtime = tilewright.Runtime(folder + "/none.db", [sys.argv[1]], cache=folder)
        gemm = tilewright.Gemm(runtime, implementation=implementation)
        for _ in range(3):
            gemm(a, b, out=c), gemm(a, b)
        kernel = gemm.kernel(a, b, out=c)
        kernel(a, b, c, 1.0, 0.0)
        if c.__class__.__module__ == "numpy":
            _calls._launch = lambda *arguments: 0
        calls = {
            "gemm(a, b, out=c)": lambda: gemm(a, b, out=c),
            "gemm(a, b)": lambda: gemm(a, b),
            "kernel(a, b, c, 1.0, 0.0)": lambda: kernel(a, b, c, 1.0, 0.0),
        }
        if c.__class__.__module__ == "torch":
            calls |= operator_calls(runtime, a, b, implementation)
        for name, call in calls.items():
            print(f"{name:28} {microseconds(call, wait):6.1f}")


def main():
    try:
        import torch

        on_gpu = torch.cuda.is_available()
    except ImportError:
        on_gpu = False
    if on_gpu:
        a, b, c = (torch.randn(64, 64, device="cuda") for _ in range(3))
        print(torch.cuda.get_device_name())
        for implementation in "naive", "cublas":
            measure(a, b, c, torch.cuda.synchronize, implementation)
        torch.backends.cuda.preferred_blas_library("cublas")
        matmul = microseconds(lambda: torch.matmul(a, b, out=c), torch.cuda.synchronize)
        print(f"{'torch.matmul(a, b, out=c)':28} {matmul:6.1f}")
    else:
        import numpy

        print("the host device, without the launch itself")
        measure(*(numpy.ones((4, 4), numpy.float32) for _ in range(3)), lambda: None)


if __name__ == "__main__":
    main()
