# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Launches a tuned product with an epilogue: C = ReLU(A · B + bias). It runs on the GPU with PyTorch's
arrays, else on the host device with plain arrays.

    python3 tuned_gemm.py [DATABASE [SIZE]]
"""

import array
import sys

import tilewright


def on_gpu(torch, kernel, size):
    a = torch.full((size, size), 0.5, device="cuda")
    b = torch.full((size, size), 0.25, device="cuda")
    c = torch.empty((size, size), device="cuda")
    bias = torch.full((size,), -1.0, device="cuda")
    workspace = torch.empty(kernel.workspace_bytes, dtype=torch.uint8, device="cuda")
    kernel(a, b, c, 1.0, 0.0, bias, workspace=workspace)  # on PyTorch's current stream
    return c[-1, -1].item()


def on_host(kernel, size):
    a = array.array("f", [0.5]) * (size * size)
    b = array.array("f", [0.25]) * (size * size)
    c = array.array("f", [0.0]) * (size * size)
    bias = array.array("f", [-1.0]) * size
    kernel(a, b, c, 1.0, 0.0, bias)
    return c[-1]


def gpu_library():
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def main():
    database = sys.argv[1] if len(sys.argv) > 1 else None
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    torch = gpu_library()
    runtime = tilewright.Runtime(database)
    kernel = runtime.kernel(
        "gemm", M=size, N=size, K=size, epilogue="bias_relu", device="cuda:0" if torch else "host"
    )
    answer = kernel.answer
    print(answer.implementation, answer.configuration)
    print(f"  rung {answer.rung_name} on {kernel.device_name}")
    kernel.prepare()  # compiles
    seen = on_gpu(torch, kernel, size) if torch else on_host(kernel, size)
    expected = max(0.125 * size - 1, 0)
    print(f"C = {seen:g}, expected {expected:g}")
    return 0 if seen == expected else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except tilewright.TilewrightError as error:
        sys.exit(f"tuned_gemm: {error}")
