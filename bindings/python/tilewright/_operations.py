"""Operations whose problems are the shapes of their arrays: arrays in, an array out."""

from ._helpers import Shaped, label, pointer_of

__all__ = [
    "Convolution1d",
    "Convolution2d",
    "Convolution3d",
    "SeparableConvolution2d",
    "Stencil3d",
]


class _Convolution(Shaped):
    def __init__(
        self,
        runtime,
        *,
        boundary="zero",
        flip=False,
        per_channel=False,
        anchor=None,
        accuracy="normwise",
        **settings,
    ):
        problem = {"boundary": boundary, "flip": label(flip)}
        if accuracy != "normwise":
            problem["accuracy"] = accuracy
        if per_channel:
            problem["filters"] = "per_channel"
        problem |= zip(("anchor_x", "anchor_y", "anchor_z"), anchor or ())
        super().__init__(runtime, problem, **settings)


class _WithPrepared(_Convolution):
    def prepare_filter(self, image, filter, *, stream=None):
        """The PreparedInput of a filter that many calls share, for images (or signals) of this shape
        and type. Such calls then take it in place of the filter. Some kernels want the filter in an
        order of their own, and make that in each call otherwise."""
        inputs, _, sizes = self._given((image, filter), {})
        pointer = pointer_of(stream, inputs)
        _, kernel = self._planned(inputs, sizes | {"filter": "prepared"}, pointer)
        return kernel.prepare_input(filter, pointer)


class Convolution2d(_WithPrepared):
    """Tuned 2-D filters. Image, filter and output are all of float32, float64, float16 or bfloat16.

        blur = tilewright.Convolution2d(runtime, boundary="mirror")
        output = blur(image, filter)

    `boundary`: the values beyond the edges: "zero", "replicate", "reflect", "mirror" or "wrap" (in
    SciPy constant, nearest, reflect, mirror, wrap). `flip`: convolution instead of correlation.
    `per_channel`: each channel has its own filter. `anchor`: x and y of the filter element that
    lies on the output element; by default the middle. `accuracy`: "normwise", the default, lets
    large filters be computed by Fourier transforms, whose errors are relative to the largest samples
    around an output. There a NaN or an infinity spoils outputs whose taps lie up to 256 samples from
    it along a side, and samples above about 1e34 in float32 and bfloat16 may overflow. With
    "elementwise" an output depends on its own samples alone. Further settings are those of Gemm.

    A call launches, and returns the output in the image's shape: `out`, or a new array. image:
    height × width, channels × height × width, or a batch of the latter. filter: height × width, with
    per_channel channels × height × width. Both must be C-contiguous and on the same device. Further
    arrays are the epilogue's. `stream`, `workspace` and new arrays are as in Gemm. kernel(image,
    filter) is the Kernel of such a call, to prepare it or to ask for its workspace.

    On a GPU, with_values(filter, host_copy) is fastest, because the best configuration may pass the
    filter by value. Without the copy, a slower kernel is used. It reads the filter in device memory
    at each launch and at each replay of a CUDA graph. It may be captured too.

    prepare_filter(image, filter) prepares a filter once for many calls with such images, which take
    the result in place of the filter:

        filter = blur.prepare_filter(images[0], filter)
        outputs = [blur(image, filter) for image in images]
    """

    _operation = "conv2d"


class SeparableConvolution2d(_Convolution):
    """Tuned 2-D filters that are a row filter and a column filter, such as a Gaussian; the rest is
    as in Convolution2d.

        blur = tilewright.SeparableConvolution2d(runtime, boundary="mirror")
        output = blur(image, row_filter, column_filter)

    row_filter and column_filter: up to 129 taps each, with per_channel channels × taps. Give
    with_values() for both or for neither. Long filters may need a workspace. There is no `accuracy`:
    it is always elementwise.
    """

    _operation = "conv2d_separable"


class Convolution1d(_WithPrepared):
    """Tuned 1-D filters: as Convolution2d, for signals: (signal, filter). signal: one or a batch of
    them; filter: the taps. The anchor is the middle. A transform holds up to 16384 samples."""

    _operation = "conv1d"


class Convolution3d(_Convolution):
    """Tuned 3-D filters: as Convolution2d, for volumes: (volume, filter). `anchor`: x, y and z of the
    filter element that lies on the output element; by default the middle. There is no `accuracy`: it
    is always elementwise.

    volume: depth × height × width, channels × depth × height × width, or a batch of the latter.
    filter: depth × height × width, with per_channel channels × depth × height × width.
    """

    _operation = "conv3d"


class Stencil3d(Shaped):
    """Tuned star stencils. Field and output are of float32, float64, float16 or bfloat16.

        heat = tilewright.Stencil3d(runtime, boundary="fixed")
        later = heat(field, [1 - 6 * k, k, k, k], steps=100)

    `boundary`: the values beyond the faces in each step: as in Convolution2d, or "fixed": points
    nearer to a face than the radius keep their values. Further settings are those of Gemm; an
    epilogue is for one step only.

    A call launches, and returns the volumes after the steps: `out`, or a new array. field: depth ×
    height × width, or a batch of them; C-contiguous; it stays unchanged. coefficients: numbers: c0,
    then as many for each of x, y and z as the star's radius, 1 to 4. steps: by default 1. All else
    is as in Convolution2d.
    """

    _operation = "stencil3d"

    def __init__(self, runtime, *, boundary="zero", **settings):
        super().__init__(runtime, {"boundary": boundary}, **settings)

    def _sizes_of_numbers(self, field, coefficients):
        radius, left_over = divmod(len(coefficients) - 1, 3)
        if left_over or radius < 1:
            raise self._error(
                f"there are {len(coefficients)} coefficients; give 1 + 3 · radius of them"
            )
        return {"radius": radius}
