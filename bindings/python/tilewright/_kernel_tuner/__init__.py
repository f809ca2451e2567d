"""Kernel Tuner's tune_kernel and run_kernel on top of Runtime.tune."""

from .tuning import run_kernel, tune_kernel

__all__ = ["run_kernel", "tune_kernel"]
