# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Multiplies matrices of JAX, which give their memory by DLPack, and compares the product with JAX's. It runs where JAX
runs: on the GPU with CuPy's memory for the output, else on the host device with NumPy's.

    python3 jax_product.py [DATABASE]
"""

import sys

import tilewright

try:
    import jax
except ImportError:
    sys.exit("jax_product: JAX is not installed")


def product(gemm, library, a, b):
    """a · b as an array of JAX. JAX's own arrays are never written, so `library` makes the output."""
    out = library.empty((a.shape[0], b.shape[1]), a.dtype)
    workspace = library.empty(gemm.kernel(a, b, out=out).workspace_bytes, "uint8")
    gemm(a, b, out=out, workspace=workspace)  # waits for what JAX still computes
    return jax.dlpack.from_dlpack(out)


def main():
    on_gpu = jax.devices()[0].platform == "gpu"
    try:
        if on_gpu:
            import cupy as library
        else:
            import numpy as library
    except ImportError as error:
        sys.exit(f"jax_product: {error}")

    size = 1024 if on_gpu else 96
    a, b = (jax.random.normal(jax.random.key(seed), (size, size)) for seed in (1, 2))
    runtime = tilewright.Runtime(sys.argv[1] if len(sys.argv) > 1 else None)
    seen = product(tilewright.Gemm(runtime), library, a, b)
    expected = jax.numpy.matmul(a, b, precision="highest")
    error = float(abs(seen - expected).max() / abs(expected).max())
    print(f"on {seen.device}: greatest difference from JAX {error:.2g} of the greatest element")
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except tilewright.TilewrightError as error:
        sys.exit(f"jax_product: {error}")
