# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Looks up and launches tuned CUDA kernels.

    import tilewright
    runtime = tilewright.Runtime(database="results.db")
    gemm = runtime.kernel("gemm", M=1024, N=1024, K=1024)
    gemm(a, b, c, 1.0, 0.0)          # arrays of CuPy, PyTorch, …
"""

from ._tune import Progress, TuneResult
from .errors import (
    InputError,
    InternalError,
    LaunchError,
    MachineError,
    NothingFound,
    TilewrightError,
)
from .kernel import Answer, Argument, Kernel, with_values
from .runtime import Bundle, Runtime, kernel_templates, results, version

__all__ = [
    "Answer",
    "Argument",
    "Bundle",
    "InputError",
    "InternalError",
    "Kernel",
    "LaunchError",
    "MachineError",
    "NothingFound",
    "Progress",
    "Runtime",
    "TilewrightError",
    "TuneResult",
    "kernel_templates",
    "results",
    "version",
    "with_values",
]
__version__ = version()
