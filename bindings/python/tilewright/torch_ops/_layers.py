"""Convolutional layers as an operator."""

import torch

from .. import _layers
from .._arrays import plain_name
from .._products import usual_output
from ._filters import extended
from ._kept import Kept
from ._operator import Operator


def is_dense(tensor, last):
    """Whether it has no gaps, with its channels innermost or as planes."""
    return (tensor.movedim(1, -1) if last else tensor).is_contiguous()


def is_last(tensor):
    """Whether channels are innermost (channels_last), as PyTorch's convolutions see it: where sizes of
    1 leave it open, by the strides."""
    usual = tensor.stride(1) == 1 and tensor.stride(-1) == tensor.shape[1]
    return usual and max(tensor.shape[1:]) > 1 and is_dense(tensor, True)


def is_either(shape):
    """Whether dense tensors of this shape are the same with channels innermost and as planes."""
    return shape[1] == 1 or max(shape[2:]) == 1


def is_ready(tensor, last):
    """Whether launches take it as it is: dense, at a multiple of 16 bytes. Not for fake tensors."""
    return is_dense(tensor, last) and tensor.data_ptr() % 16 == 0


def ready(tensor, last):
    """The tensor, or a copy that is ready."""
    if is_dense(tensor, last):
        return tensor if is_ready(tensor, last) else tensor.clone()
    return tensor.movedim(1, -1).contiguous().movedim(-1, 1) if last else tensor.contiguous()


class ConvLayer(Operator, of=_layers.ConvLayer):
    """Tuned convolutional layers with gradients: epilogue(convolution(image, filter)).

        layer = torch_ops.ConvLayer(runtime, stride=2, padding=1, epilogue="channel_bias_relu")
        output = layer(image, filter, bias)

    Tensors and settings are those of tilewright.ConvLayer; alpha is 1 and beta 0. As with PyTorch's
    convolutions, the output is channels_last where the image or the filter is. A filter of another
    layout or type than the image, and biases in half precision, are converted once. Kernels that want
    the filter in an order of their own get it so once (filter="prepared", the default; "each_call"
    does so in each call). Both are done again when the tensor's version counter says that it has
    changed, which changes through `.data` do not. Gradients are PyTorch's own.
    """

    _axes = None  # those of the image

    def __init__(self, runtime, *, filter="prepared", **settings):
        super().__init__(runtime, **settings)
        if filter not in ("each_call", "prepared"):
            raise self._error(f"filter={filter!r}: give 'each_call' or 'prepared'")
        self._prepares = filter == "prepared"
        self._kept = Kept()

    def prepared(self, arrays, given):
        image, filter_, *extra = arrays
        out = self.imagined(arrays)
        last = is_last(image) or is_last(filter_)
        image = ready(image, last)
        if filter_.dtype != image.dtype or not is_ready(filter_, last):
            filter_ = self._converted(
                given[1],
                filter_,
                (image.dtype, last),
                lambda: ready(arrays[1].to(image.dtype), last),
            )
        extra = [
            self._argument(owner, array, out, last) for owner, array in zip(given[2:], extra)
        ]
        if self._prepares:
            found = self._kept.get(
                given[1],
                (image.shape, image.dtype, image.device, last),
                filter_,
                lambda: self._helper.prepare_filter(image, filter_, out=out),
                lambda prepared: prepared.prepare_again(),
            )
            filter_ = found or filter_
        return [image, filter_, *extra, out]

    def _argument(self, owner, array, out, last):
        """An epilogue's argument: one for each element of the output lies in memory as the output."""
        is_half = array.dtype in (torch.float16, torch.bfloat16)
        if array.shape == out.shape or self._settings.get("epilogue") == "residual":
            array = array.reshape(out.shape)
            array = ready(array.float() if is_half else array, last)
            return array.movedim(1, -1) if last else array
        if is_half:
            return self._converted(
                owner, array, torch.float32, lambda: array.float().contiguous()
            )
        return ready(array, False)

    def _converted(self, owner, tensor, key, convert):
        found = self._kept.get(owner, key, tensor, convert, lambda kept: kept.copy_(tensor))
        return convert() if found is None else found

    def launch(self, arrays):
        *arrays, out = arrays
        return self._helper(*arrays, out=out)

    def imagined(self, arrays):
        image, filter_ = arrays[:2]
        if not 3 <= image.dim() == filter_.dim() <= 5:
            raise self._error(f"an image of {image.dim()} and a filter of {filter_.dim()} dimensions")
        type_ = plain_name(image.dtype)
        usual = usual_output(type_, type_)
        _, shape = self._helper._sizes(image.shape, filter_.shape)
        last = is_last(image) or is_last(filter_)
        return self._helper._empty(image, shape, None if usual == type_ else usual, last)

    def _gradients(self, arrays, gradient, wanted):
        image, filter_ = arrays
        axes = image.dim() - 2
        settings, refuse = self._settings, self._helper._refuse

        def of_axes(name, default):
            return list(_layers.per_axis(settings.get(name, default), axes, name, refuse))

        edges = _layers.edges_of(settings.get("padding", 0), axes, refuse)
        boundary = settings.get("boundary", "zero")
        around, back = torch.func.vjp(lambda image: extended(image, boundary, edges), image)
        found = torch.ops.aten.convolution_backward(
            gradient.to(image.dtype),
            around,
            filter_.to(image.dtype),
            None,
            of_axes("stride", 1),
            [0] * axes,
            of_axes("dilation", 1),
            False,
            [0] * axes,
            settings.get("groups", 1),
            [wanted[0], wanted[1], False],
        )
        of_filter = found[1].to(filter_.dtype) if wanted[1] else None
        return [back(found[0])[0] if wanted[0] else None, of_filter]
