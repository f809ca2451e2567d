"""Convolutional layers: arrays in, an array out."""

import dataclasses

from ._arrays import strided_view_of
from ._calls import looks_of
from ._helpers import Helper, empty, label, pointer_of
from ._products import usual_output
from .kernel import PreparedInput

_AXES = (("depth", "z"), ("height", "y"), ("width", "x"))  # the last ones are those of an array


def layouts_of(shape, strides):
    """Which of channels "last" and "first" an array is without gaps, both where sizes of 1 leave it
    open: images × channels × rows × columns, say, and so for filters. Strides are in elements."""

    def is_dense(order):
        expected = 1
        for axis in reversed(order):
            if shape[axis] != 1 and strides[axis] != expected:
                return False
            expected *= shape[axis]
        return True

    spatial = range(2, len(shape))
    orders = {"last": (0, *spatial, 1), "first": (0, 1, *spatial)}
    return [name for name, order in orders.items() if is_dense(order)]


def per_axis(value, axes, name, refuse):
    """A setting for each axis: one number for all, or a tuple."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * axes
    if len(values) != axes:
        refuse(f"{name}={value!r}: give one for each of {axes} axes")
    return values


def edges_of(padding, axes, refuse):
    """(before, after) for each axis."""
    values = per_axis(padding, axes, "padding", refuse)
    return [tuple(one) if isinstance(one, (tuple, list)) else (one, one) for one in values]


@dataclasses.dataclass
class _Given:
    """What a call is about."""

    views: list  # image, filter, out if it was given
    sizes: dict
    shape: tuple  # of the output
    is_last: bool  # whether channels are


class ConvLayer(Helper):
    """Tuned convolutional layers: output = epilogue(alpha · convolution(image, filter) + beta · output).

        layer = tilewright.ConvLayer(runtime, stride=2, padding=1, epilogue="channel_bias_relu")
        output = layer(image, filter, bias)

    `stride`, `dilation`, `groups` and `padding` are those of PyTorch's convolutions: numbers, or one
    for each axis, rows before columns. A padding may also be a pair (before, after) for each axis.
    `boundary`: the values in the padding, "zero", "replicate", "reflect", "mirror" or "wrap" (in
    PyTorch zeros, replicate, -, reflect, circular). `precision`: "float32", "float64", "tf32" (of
    float32 arrays 10 bits of mantissa may be used) or "int32"; by default float64 or int32 for
    arrays of float64 or int8, else float32. `accuracy`: "normwise", the default, or "elementwise",
    with which an infinity or NaN spoils only outputs whose filter meets it, and not rows beside
    them or other groups. Further settings are those of Gemm.

    An array is images × channels × rows × columns, without rows for signals, with planes before them
    for volumes; a filter is output channels × input channels of a group × rows × columns. Strides
    say whether channels are the innermost (channels_last) or planes, in both alike without gaps.
    Kernels are made for channels_last; those for tensor cores transpose other arrays before and after.
    """

    _operation = "conv_layer"

    def __init__(
        self,
        runtime,
        *,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        boundary="zero",
        precision=None,
        accuracy="normwise",
        **settings,
    ):
        problem = {"boundary": boundary, "groups": groups}
        if accuracy != "normwise":
            problem["accuracy"] = accuracy
        if precision:
            problem["precision"] = precision
        super().__init__(runtime, problem, **settings)
        self._geometry = stride, padding, dilation
        self._groups = groups

    def __call__(
        self, image, filter, *epilogue, alpha=1, beta=0, out=None, stream=None, workspace=None
    ):
        """Launches, and returns the output: `out`, or a new array of the image's library and layout.
        It has the image's type, for float8 bfloat16 and for int8 int32. Where it is int32, alpha and
        beta are ints. Image and filter have one type: float32, float64, float16, bfloat16,
        float8_e4m3, float8_e5m2 or int8.

        A residual is `out` with beta=1. Further arrays are the epilogue's. `filter` may be what
        prepare_filter() made. `stream`, `workspace` and new arrays are as in Gemm."""
        if beta != 0 and out is None:
            self._refuse("beta is not 0; give out=, the output that it scales")
        is_plain = stream is None and workspace is None
        adds = bool(beta != 0)
        if is_plain:
            out = self._known_output((image, filter)) if out is None else out
            if self._again(
                (image, filter, out, *epilogue), adds, (image, filter, out, alpha, beta, *epilogue)
            ):
                return out
        pointer = pointer_of(stream, (image, filter, *epilogue))
        given = self._given(image, filter, out, pointer)
        type_ = given.sizes["type"]
        made = None if usual_output(type_, type_) == type_ else usual_output(type_, type_)
        looks = given.shape, made, given.is_last
        self._outputs.add(looks_of((image, filter)), looks)
        if out is None:
            out = self._output(out, image, stream, *looks)
            given = self._given(image, filter, out, pointer)
        is_prepared = isinstance(filter, PreparedInput)
        kernel = self._planned(given, is_prepared, adds)
        workspace = self._workspace(kernel, workspace, image, stream)
        view, filter_view, written = given.views
        taken = filter if is_prepared else filter_view
        operands = kernel._launch((view, taken, written, alpha, beta, *epilogue), pointer, workspace)
        if is_plain:
            arguments = (image, filter, out, alpha, beta, *epilogue)
            self._remember((image, filter, out, *epilogue), adds, kernel, arguments, operands)
        return out

    def kernel(self, image, filter, *, beta=0, out=None):
        """The Kernel of such a call, to prepare it or to ask for its workspace."""
        given = self._given(image, filter, out, 0)
        return self._planned(given, isinstance(filter, PreparedInput), beta != 0)

    def problem(self, image, filter, *, beta=0, out=None):
        """The problem of such a call, as Runtime.tune() takes it."""
        given = self._given(image, filter, out, 0)
        return self._problem | given.sizes | {"accumulate": label(beta != 0)}

    def prepare_filter(self, image, filter, *, beta=0, out=None, stream=None):
        """The PreparedInput of a filter that many calls share, for images (and outputs, if given) of
        this shape, type and layout. Such calls then take it in place of the filter, with a beta of 0
        if `beta` is 0, else with any other. Some kernels want the filter in an order of their own,
        and make that in each call otherwise."""
        pointer = pointer_of(stream, (image, filter))
        given = self._given(image, filter, out, pointer)
        kernel = self._planned(given, True, beta != 0)
        prepared = kernel.prepare_input(given.views[1], pointer)
        prepared.array = filter
        return prepared

    def _refuse(self, why):
        raise self._error(why)

    def _empty(self, like, shape, type_name, is_last):
        if not is_last:
            return empty(like, shape, type_name)
        made = empty(like, (shape[0], *shape[2:], shape[1]), type_name)
        if made is None:
            return None
        turned = getattr(made, "permute", None) or made.transpose  # PyTorch's, or the others'
        return turned(0, len(shape) - 1, *range(1, len(shape) - 1))

    def _dense(self, named, stream):
        """The views of arrays without gaps, and their layouts."""
        views = [self._view(strided_view_of, array, name, stream) for name, array in named]
        axes = len(views[0].shape)
        if axes not in (3, 4, 5):
            self._refuse(f"'image' has {axes} dimensions; give 3, 4 or 5")
        layouts = []
        for (name, _), view in zip(named, views):
            if len(view.shape) != axes:
                self._refuse(f"'{name}' has {len(view.shape)} dimensions, and 'image' has {axes}")
            if 0 in view.shape:
                self._refuse(f"'{name}' has the shape {tuple(view.shape)}; no size may be 0")
            layouts.append(layouts_of(view.shape, view.strides))
            if not layouts[-1]:
                self._refuse(
                    f"'{name}' has strides of {tuple(view.strides)} elements; give it without gaps, "
                    "with its channels innermost or as planes"
                )
        return views, layouts

    def _given(self, image, filter, out, stream):
        named = [("image", image), ("filter", filter)] + ([] if out is None else [("out", out)])
        views, layouts = self._dense(named, stream)
        types = [self._named_type(view, name) for (name, _), view in zip(named, views)]
        if types[0] != types[1]:
            self._refuse(f"'image' is of {types[0]} and 'filter' of {types[1]}; give one type")
        common = [name for name in layouts[0] if all(name in found for found in layouts[2:])]
        if not common:
            self._refuse("'image' and 'out' have different layouts")
        # Where sizes of 1 leave it open, the filter decides, and then what kernels are made for.
        layout = next((name for name in common if name in layouts[1]), common[0])
        of_filter = layout if layout in layouts[1] else layouts[1][0]
        sizes, shape = self.sizes_of(views[0].shape, views[1].shape, types[0], layout, of_filter)
        if out is not None and tuple(views[2].shape) != shape:
            self._refuse(f"'out' must have the shape {shape}")
        if out is not None and types[2] != usual_output(types[0], types[0]):
            sizes["type_out"] = types[2]
        return _Given(views, sizes, shape, layout == "last")

    def sizes_of(self, image, filter, type_, layout="last", of_filter="last"):
        """The problem's settings for arrays of these shapes and layouts, and the output's shape."""
        sizes, shape = self._sizes(image, filter)
        sizes |= {"type": type_, "layout": "nhwc" if layout == "last" else "nchw"}
        return sizes | {"filter_layout": "krsc" if of_filter == "last" else "kcrs"}, shape

    def _sizes(self, image, filter):
        """The dimensions of the problem, and the shape of the output."""
        axes = len(image) - 2
        stride, padding, dilation = self._geometry
        strides = per_axis(stride, axes, "stride", self._refuse)
        dilations = per_axis(dilation, axes, "dilation", self._refuse)
        edges = edges_of(padding, axes, self._refuse)
        if image[1] != filter[1] * self._groups:
            self._refuse(
                f"images have {image[1]} channels, filters {filter[1]}, in groups={self._groups}"
            )
        sizes = {"batch": image[0], "channels_in": image[1], "channels_out": filter[0]}
        for length, axis in _AXES[: 3 - axes]:
            sizes |= {length: 1, f"filter_{length}": 1, f"padding_{axis}": 0, f"{length}_out": 1}
            sizes |= {f"stride_{axis}": 1, f"dilation_{axis}": 1}
        shape = [image[0], filter[0]]
        described = zip(_AXES[3 - axes :], image[2:], filter[2:], strides, dilations, edges)
        for (length, axis), size, taps, step, apart, (before, after) in described:
            places = (size + before + after - apart * (taps - 1) - 1) // step + 1
            if places < 1:
                self._refuse(f"a filter of {length} {taps} does not fit into {length} {size}")
            sizes |= {length: size, f"filter_{length}": taps, f"stride_{axis}": step}
            sizes |= {f"dilation_{axis}": apart, f"padding_{axis}": before, f"{length}_out": places}
            shape.append(places)
        return sizes, tuple(shape)

    def _planned(self, given, is_prepared, adds):
        sizes = given.sizes | {"accumulate": label(adds)}
        if is_prepared:
            sizes["filter"] = "prepared"
        return self._kernel_for(given.views, sizes)
