"""The package's products, layers, convolutions and stencils as operators of PyTorch, with gradients.

    from tilewright import torch_ops
    gemm = torch_ops.Gemm(runtime, epilogue="bias_gelu")
    y = gemm(x, weight.T, bias)      # in eager mode, under torch.compile, and in a CUDA graph

It needs PyTorch, which the rest of the package does not import. Tensors in host memory are computed
on the host device.
"""

from ._conv2d import Conv2d
from ._filters import Convolution1d, Convolution2d, Convolution3d, SeparableConvolution2d, Stencil3d
from ._layers import ConvLayer
from ._models import Layers
from ._products import Gemm

__all__ = [
    "Conv2d",
    "ConvLayer",
    "Convolution1d",
    "Convolution2d",
    "Convolution3d",
    "Gemm",
    "Layers",
    "SeparableConvolution2d",
    "Stencil3d",
]
