# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Blurs an image of CuPy with a Gaussian, and compares it with cupyx.scipy.ndimage. It needs a GPU.

    python3 cupy_filter.py [DATABASE]
"""

import sys

import tilewright

try:
    import cupy
    from cupyx.scipy import ndimage
except ImportError as error:
    sys.exit(f"cupy_filter: CuPy is not installed: {error}")


def main():
    image = cupy.random.default_rng(1).random((1024, 2048), cupy.float32)
    x = cupy.arange(-8, 9)
    taps = cupy.exp(-(x**2) / 18.0)
    taps = (taps / taps.sum()).astype(cupy.float32)

    runtime = tilewright.Runtime(sys.argv[1] if len(sys.argv) > 1 else None)
    blur = tilewright.SeparableConvolution2d(runtime, boundary="mirror")
    seen = blur(image, taps, taps)  # a new array of CuPy, on its current stream

    expected = image.astype(cupy.float64)
    for axis in (0, 1):
        expected = ndimage.correlate1d(expected, taps.astype(cupy.float64), axis, mode="mirror")
    error = float(cupy.abs(seen - expected).max())
    print(f"greatest difference from SciPy's filter in float64: {error:.2g}")
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        sys.exit(f"cupy_filter: CuPy finds no GPU: {error}")
    except tilewright.TilewrightError as error:
        sys.exit(f"cupy_filter: {error}")
