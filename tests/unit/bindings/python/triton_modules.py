"""PyTorch and Triton for tests, which are skipped without them."""

import importlib
import unittest


def torch_and_triton(*further):
    """Both modules, if those of the further names are there too."""
    try:
        torch, triton, *_ = map(importlib.import_module, ("torch", "triton", *further))
    except ImportError as error:
        raise unittest.SkipTest(f"no PyTorch with Triton: {error}")
    return torch, triton
