"""Convolutions of signals, images and volumes, and stencils, as operators."""

import torch

from .. import _operations
from ..errors import InputError
from ._kept import Kept
from ._operator import Operator

_FILTER_GRADIENTS = {
    1: torch.nn.grad.conv1d_weight,
    2: torch.nn.grad.conv2d_weight,
    3: torch.nn.grad.conv3d_weight,
}
_SYMMETRIC = ("zero", "reflect", "wrap")


# What lies beyond the edges of images, as kernel_templates/common/boundary.cuh has it.


def _sources(boundary, size, before, after, device):
    """The index of the sample that stands at each place from `before` in front of a row of `size`
    samples to `after` behind it."""
    index = torch.arange(-before, size + after, device=device)
    if boundary == "replicate":
        return index.clamp(0, size - 1)
    if boundary == "reflect":
        folded = index % (2 * size)
        return torch.where(folded < size, folded, 2 * size - 1 - folded)
    if boundary == "mirror":
        period = max(2 * size - 2, 1)
        folded = index % period
        return torch.where(folded < size, folded, period - folded)
    if boundary == "wrap":
        return index % size
    raise InputError(f"the boundary '{boundary}' has no gradient")


def extended(image, boundary, edges):
    """The image with its edges. `edges`: (before, after) for each of its last dimensions."""
    if boundary == "zero":
        return with_zeros(image, edges)
    first = image.dim() - len(edges)
    for dimension, (before, after) in enumerate(edges, first):
        size = image.shape[dimension]
        sources = _sources(boundary, size, before, after, image.device)
        image = image.index_select(dimension, sources)
    return image


def with_zeros(image, edges):
    flat = [width for edge in reversed(edges) for width in edge]
    return torch.nn.functional.pad(image, flat)


class _Convolution(Operator):
    def _gradients(self, arrays, gradient, wanted):
        image, *filters = arrays
        of_filters = [None] * len(filters)
        if any(wanted[1 : self._inputs]):
            of_filters = self._gradients_of_filters(image, filters, gradient)
        of_image = self._gradient_of_image(image, filters, gradient) if wanted[0] else None
        return [of_image, *of_filters]

    def _setting(self, name, default):
        return self._settings.get(name, default)

    def _edges(self, sizes):
        """How far the filter reaches beyond both ends of each axis. These are numbers, even while
        PyTorch traces for any size."""
        sizes = [int(size) for size in sizes]
        anchor = self._setting("anchor", None) or [size // 2 for size in reversed(sizes)]
        return [(at, size - 1 - at) for size, at in zip(sizes, reversed(anchor))]

    def _filter_sizes(self, filters):
        return filters[0].shape[-self._axes :]

    def _gradient_of_image(self, image, filters, gradient):
        boundary = self._setting("boundary", "zero")
        edges = self._edges(self._filter_sizes(filters))
        if boundary in ("zero", "wrap"):
            return self._turned_round(gradient, filters, edges, boundary)
        around = self._turned_round(with_zeros(gradient, edges), filters, edges, "zero")
        return torch.func.vjp(lambda image: extended(image, boundary, edges), image)[1](around)[0]

    def _turned_round(self, gradient, filters, edges, boundary):
        anchor = tuple(after for _, after in reversed(edges))
        turned = self._with(flip=not self._setting("flip", False), boundary=boundary, anchor=anchor)
        return turned(gradient, *filters)

    def _planes(self, image, edges=()):
        """As PyTorch's convolutions take it: a batch of channels, each with a filter of its own."""
        image = extended(image, self._setting("boundary", "zero"), edges) if edges else image
        channels = image.shape[-self._axes - 1] if self._setting("per_channel", False) else 1
        return image.reshape(-1, channels, *image.shape[-self._axes :])

    def _correlation_gradient(self, planes, size, gradient):
        """That of the filter of a correlation without edges."""
        groups = planes.shape[1]
        shape = (groups, 1, *size)
        return _FILTER_GRADIENTS[self._axes](planes, shape, gradient, groups=groups)

    def _turned(self, filter_, axes):
        """The filter as a correlation has it, and back."""
        flip = self._setting("flip", False)
        return filter_.flip(tuple(range(-axes, 0))) if flip else filter_

    def _gradients_of_filters(self, image, filters, gradient):
        size = self._filter_sizes(filters)
        planes = self._planes(image, self._edges(size))
        found = self._correlation_gradient(planes, size, self._planes(gradient))
        return [self._turned(found.reshape(filters[0].shape), self._axes)]


class _WithPrepared(_Convolution):
    """`filter="prepared"`: see Convolution2d."""

    def __init__(self, runtime, *, filter="each_call", **settings):
        super().__init__(runtime, **settings)
        if filter not in ("each_call", "prepared"):
            raise self._error(f"filter={filter!r}: give 'each_call' or 'prepared'")
        self._kept = Kept() if filter == "prepared" else None

    def prepared(self, arrays, given):
        image, filter_, *others = arrays
        if self._kept is None or not filter_.is_contiguous():
            return arrays
        image = image.contiguous()
        found = self._kept.get(
            given[1],
            (image.shape, image.dtype, image.device),
            filter_,
            lambda: self._helper.prepare_filter(image, filter_),
            lambda prepared: prepared.prepare_again(),
        )
        return [image, found or filter_, *others]

    def _readable(self, array):
        return super()._readable(array) if isinstance(array, torch.Tensor) else array


class Convolution1d(_WithPrepared, of=_operations.Convolution1d):
    """Tuned 1-D filters with gradients: as Convolution2d, for signals."""

    _axes = 1

    def _turned_round(self, gradient, filters, edges, boundary):
        """Its anchor is always the middle, so that a filter of even length gets one more tap."""
        flip = self._setting("flip", False)
        [filter_] = filters
        if filter_.shape[0] % 2 == 0:
            filter_ = with_zeros(filter_, [(1, 0) if flip else (0, 1)])
        return self._with(flip=not flip, boundary=boundary)(gradient, filter_)


class Convolution2d(_WithPrepared, of=_operations.Convolution2d):
    """Tuned 2-D filters with gradients.

        blur = torch_ops.Convolution2d(runtime, boundary="mirror")
        output = blur(image, filter)

    Tensors and settings are those of the package's class of this name. Tensors that are not
    contiguous are copied first. The gradient of the image is a filter by tilewright, turned round.
    The gradient of the filter is PyTorch's own, as precise as torch.backends.cudnn.allow_tf32 says.
    Epilogues are as in Gemm.

    filter="prepared" is for filters that seldom change. Each filter is prepared once for images of a
    shape and type, and again when its version counter says that it has changed, which changes
    through `.data` do not. Where nothing is prepared yet, a captured call prepares the filter itself.
    """

class Convolution3d(_Convolution, of=_operations.Convolution3d):
    """Tuned 3-D filters with gradients: as Convolution2d, for volumes."""

    _axes = 3


class SeparableConvolution2d(_Convolution, of=_operations.SeparableConvolution2d):
    """Tuned filters of rows and columns with gradients; the rest is as in Convolution2d.

        output = blur(image, row_filter, column_filter)
    """

    _inputs = 3

    def _filter_sizes(self, filters):
        row_filter, column_filter = filters
        return column_filter.shape[-1], row_filter.shape[-1]

    def _gradients_of_filters(self, image, filters, gradient):
        height, width = self._filter_sizes(filters)
        planes = self._planes(image, self._edges((height, width)))
        gradient = self._planes(gradient)
        groups = planes.shape[1]
        row_filter, column_filter = (self._turned(filter_, 1) for filter_ in filters)
        row_filter = row_filter.reshape(groups, 1, 1, width)
        column_filter = column_filter.reshape(groups, 1, height, 1)
        functional = torch.nn.functional
        by_rows = functional.conv2d(planes, row_filter, groups=groups)
        by_columns = functional.conv_transpose2d(gradient, column_filter, groups=groups)
        of_rows = self._correlation_gradient(planes, (1, width), by_columns)
        of_columns = self._correlation_gradient(by_rows, (height, 1), gradient)
        return [
            self._turned(found.reshape(filter_.shape), 1)
            for found, filter_ in zip((of_rows, of_columns), filters)
        ]


class Stencil3d(Operator, of=_operations.Stencil3d):
    """Tuned star stencils with gradients.

        heat = torch_ops.Stencil3d(runtime, coefficients=[0.4, 0.1, 0.1, 0.1], steps=10)
        later = heat(field)

    `coefficients` and `steps` are those of a call of tilewright.Stencil3d, as are tensors and all
    other settings. The coefficients are numbers and have no gradient. The gradient of the field is
    the same stencil, with the boundaries "zero", "reflect" and "wrap". With others, the way back is
    another stencil, which tilewright lacks, and asking for a gradient is an InputError.
    """

    _inputs = 1
    _axes = 3

    def __init__(self, runtime, *, coefficients, steps=1, **settings):
        self._call = {"coefficients": list(coefficients), "steps": steps}
        super().__init__(runtime, **settings)

    def launch(self, arrays):
        field, *extra = (array.contiguous() for array in arrays)
        return self._helper(field, self._call["coefficients"], *extra, steps=self._call["steps"])

    def _remade(self, **settings):
        return super()._remade(**self._call, **settings)

    def _gradients(self, arrays, gradient, wanted):
        boundary = self._settings.get("boundary", "zero")
        if boundary not in _SYMMETRIC:
            names = ", ".join(_SYMMETRIC)
            raise self._error(f"boundary={boundary} has no gradient; these have: {names}")
        return [self._with()(gradient)]
