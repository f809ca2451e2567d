"""The names of Kernel Tuner's modules: a script imports tilewright.kernel_tuner in place of
kernel_tuner. docs/kernel-tuner.md says what is different."""

from .._kernel_tuner import run_kernel, tune_kernel
from . import file_utils, util

__all__ = ["file_utils", "run_kernel", "tune_kernel", "util"]


def __getattr__(name):
    raise AttributeError(
        f"tilewright.kernel_tuner has no '{name}'; docs/kernel-tuner.md lists what is different"
    )
