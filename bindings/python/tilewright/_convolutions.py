"""Convolutions of signals and images: arrays in, an array out."""

from ._arrays import view_of
from ._calls import looks_of
from ._typed import _Helper, _label, _pointer_of
from .kernel import WithValues


class _Convolution(_Helper):
    _filters = ("filter",)  # the names of its arguments

    def _launched(self, image, filters, epilogue, out, stream, workspace):
        is_plain = stream is None and workspace is None
        if is_plain:
            out = self._known_output((image,)) if out is None else out
            arrays = (image, *filters, out, *epilogue)
            if self._again(arrays, None, arrays):
                return out
        pointer = _pointer_of(stream, (image, *filters, *epilogue))
        view, taps = self._views(image, filters, pointer)
        kernel = self._serving(view, taps, filters)
        self._outputs.add(looks_of((image,)), (tuple(view.shape), None))
        out = self._output(out, image, tuple(view.shape), stream)
        written = self._view(view_of, out, "out", pointer)
        if written.shape != view.shape:
            raise self._error(f"'out' must have the shape {tuple(view.shape)}")
        workspace = self._workspace(kernel, workspace, image, stream)
        operands = kernel._launch((view, *filters, written, *epilogue), pointer, workspace)
        if is_plain:
            arrays = (image, *filters, out, *epilogue)
            self._remember(arrays, None, kernel, arrays, operands)
        return out

    def _planned(self, image, filters):
        return self._serving(*self._views(image, filters, 0), filters)

    def _views(self, image, filters, stream):
        view = self._view(view_of, image, "image", stream)
        named = zip(filters, self._filters)
        return view, [self._view(view_of, filter_, name, stream) for filter_, name in named]

    def _serving(self, view, taps, filters):
        """The best kernel. If it needs filter values that are missing: the best without."""
        sizes = self._sizes(view.shape, *(tap.shape for tap in taps))
        type_ = self._named_type(view, "image")
        if type_ != "float32":  # the usual one, and all that definitions of version 0.1 have
            sizes["type"] = type_
        kernel = self._kernel_for([view, *taps], sizes)
        needs_values = kernel.device_kind == "cuda" and kernel.arguments[1].by_value
        if needs_values and not all(isinstance(filter_, WithValues) for filter_ in filters):
            kernel = self._kernel_for([view, *taps], sizes, "memory")
        return kernel


class _Convolution2d(_Convolution):
    def __init__(
        self,
        runtime,
        operation,
        *,
        boundary="zero",
        flip=False,
        per_channel=False,
        anchor=None,
        **settings,
    ):
        filters = "per_channel" if per_channel else "one"
        problem = {"boundary": boundary, "flip": _label(flip), "filters": filters}
        super().__init__(runtime, operation, problem, **settings)
        self._per_channel = per_channel
        self._anchor = anchor

    def _image_sizes(self, image, filter_width, filter_height, filters):
        """`filters`: of how many channels there are some; None where one serves all."""
        if not 2 <= len(image) <= 4:
            raise self._error(f"'image' has {len(image)} dimensions; give 2, 3 or 4")
        batch, channels, height, width = (1,) * (4 - len(image)) + tuple(image)
        if filters is not None and filters != channels:
            raise self._error(f"there are {channels} channels and {filters} filters")
        x, y = self._anchor or (filter_width // 2, filter_height // 2)
        return {
            "width": width,
            "height": height,
            "filter_width": filter_width,
            "filter_height": filter_height,
            "anchor_x": x,
            "anchor_y": y,
            "channels": channels,
            "batch": batch,
        }

    def _check_dimensions(self, shape, name, dimensions):
        dimensions += self._per_channel
        if len(shape) != dimensions:
            raise self._error(f"'{name}' has {len(shape)} dimensions; give {dimensions}")


class Convolution2d(_Convolution2d):
    """Tuned 2-D filters. Image, filter and output are all of float32, float64, float16 or bfloat16.

        blur = tilewright.Convolution2d(runtime, boundary="mirror")
        output = blur(image, filter)

    `boundary`: the values beyond the edges: "zero", "replicate", "reflect", "mirror" or "wrap" (in
    SciPy constant, nearest, reflect, mirror, wrap). `flip`: convolution instead of correlation.
    `per_channel`: each channel has its own filter. `anchor`: x and y of the filter element that
    lies on the output element; by default the middle. Further settings are those of Gemm.
    """

    def __init__(self, runtime, **settings):
        super().__init__(runtime, "conv2d", **settings)

    def __call__(self, image, filter, *epilogue, out=None, stream=None, workspace=None):
        """Launches, and returns the output in the image's shape: `out`, or a new array.

        image: height × width, channels × height × width, or a batch of the latter. filter: height ×
        width, with per_channel channels × height × width. Both must be C-contiguous and on the same
        device. Streams, new arrays and workspaces are as in Gemm.

        On a GPU, with_values(filter, host_copy) is fastest, because the best configuration may pass
        the filter by value. Without the copy, a slower kernel is used. It reads the filter in
        device memory at each launch and at each replay of a CUDA graph. It may be captured too.
        """
        return self._launched(image, (filter,), epilogue, out, stream, workspace)

    def kernel(self, image, filter):
        """The Kernel of such a call, to prepare it or to ask for its workspace.

        It may be another one with with_values() than without.
        """
        return self._planned(image, (filter,))

    def _sizes(self, image, filter_):
        self._check_dimensions(filter_, "filter", 2)
        filters = filter_[0] if self._per_channel else None
        return self._image_sizes(image, filter_[-1], filter_[-2], filters)


class SeparableConvolution2d(_Convolution2d):
    """Tuned 2-D filters that are a row filter and a column filter, such as a Gaussian; the rest is
    as in Convolution2d.

        blur = tilewright.SeparableConvolution2d(runtime, boundary="mirror")
        output = blur(image, row_filter, column_filter)
    """

    _filters = ("row_filter", "column_filter")

    def __init__(self, runtime, **settings):
        super().__init__(runtime, "conv2d_separable", **settings)

    def __call__(
        self, image, row_filter, column_filter, *epilogue, out=None, stream=None, workspace=None
    ):
        """Launches, and returns the output in the image's shape: `out`, or a new array.

        row_filter and column_filter: up to 129 taps each, with per_channel channels × taps. Give
        with_values() for both or for neither. Long filters may need a workspace.
        """
        filters = (row_filter, column_filter)
        return self._launched(image, filters, epilogue, out, stream, workspace)

    def kernel(self, image, row_filter, column_filter):
        """The Kernel of such a call, to prepare it or to ask for its workspace.

        It may be another one with with_values() than without.
        """
        return self._planned(image, (row_filter, column_filter))

    def _sizes(self, image, row_filter, column_filter):
        for name, shape in zip(self._filters, (row_filter, column_filter)):
            self._check_dimensions(shape, name, 1)
        if row_filter[:-1] != column_filter[:-1]:
            raise self._error("there are not as many row filters as column filters")
        filters = row_filter[0] if self._per_channel else None
        return self._image_sizes(image, row_filter[-1], column_filter[-1], filters)


class Convolution1d(_Convolution):
    """Tuned 1-D filters: as Convolution2d, for signals. The anchor is the middle."""

    def __init__(self, runtime, *, boundary="zero", flip=False, **settings):
        problem = {"boundary": boundary, "flip": _label(flip)}
        super().__init__(runtime, "conv1d", problem, **settings)

    def __call__(self, signal, filter, *epilogue, out=None, stream=None, workspace=None):
        """Launches, and returns the output. signal: one or a batch of them; filter: the taps."""
        return self._launched(signal, (filter,), epilogue, out, stream, workspace)

    def kernel(self, signal, filter):
        """The Kernel of such a call, to prepare it or to ask for its workspace."""
        return self._planned(signal, (filter,))

    def _sizes(self, signal, filter_):
        if len(signal) not in (1, 2) or len(filter_) != 1:
            raise self._error("give a signal or a batch of them, and a filter of one dimension")
        batch, length = (1,) * (2 - len(signal)) + tuple(signal)
        return {"length": length, "taps": filter_[0], "batch": batch}
