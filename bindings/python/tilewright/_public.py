"""Looks up and launches tuned CUDA kernels.

    import tilewright
    runtime = tilewright.Runtime(database="results.db")
    gemm = runtime.kernel("gemm", M=1024, N=1024, K=1024)
    gemm(a, b, c, 1.0, 0.0)          # arrays of CuPy, PyTorch, …
"""

from . import _operations, kernel_tuner
from ._callables import tune_callable
from ._kernel_tuner import run_kernel, tune_kernel
from ._layers import ConvLayer
from ._operations import *
from ._products import Gemm
from ._tune import Progress, TuneResult
from .errors import (
    InputError,
    InternalError,
    LaunchError,
    MachineError,
    NothingFound,
    TilewrightError,
)
from .kernel import Answer, Argument, Kernel, PreparedInput, with_values
from .runtime import (
    Bundle,
    Override,
    Runtime,
    general_bundles,
    kernel_templates,
    results,
    shipped_results,
    version,
)

__all__ = [
    "Answer",
    "Argument",
    "Bundle",
    "ConvLayer",
    "Gemm",
    "InputError",
    "InternalError",
    "Kernel",
    "LaunchError",
    "MachineError",
    "NothingFound",
    "Override",
    "PreparedInput",
    "Progress",
    "Runtime",
    "TilewrightError",
    "TuneResult",
    "general_bundles",
    "kernel_templates",
    "kernel_tuner",
    "results",
    "run_kernel",
    "shipped_results",
    "tune_callable",
    "tune_kernel",
    "version",
    "with_values",
]
__all__ += _operations.__all__
__version__ = version()
