"""Filters and stencils of volumes: arrays in, an array out."""

from ._arrays import view_of
from ._convolutions import _Convolution
from ._typed import _Helper, _label, _pointer_of


class Convolution3d(_Convolution):
    """Tuned 3-D filters: as Convolution2d, for volumes. `anchor`: x, y and z of the filter element
    that lies on the output element; by default the middle."""

    def __init__(
        self, runtime, *, boundary="zero", flip=False, per_channel=False, anchor=None, **settings
    ):
        filters = "per_channel" if per_channel else "one"
        problem = {"boundary": boundary, "flip": _label(flip), "filters": filters}
        super().__init__(runtime, "conv3d", problem, **settings)
        self._per_channel = per_channel
        self._anchor = anchor

    def __call__(self, volume, filter, *epilogue, out=None, stream=None, workspace=None):
        """Launches, and returns the output in the volume's shape: `out`, or a new array.

        volume: depth × height × width, channels × depth × height × width, or a batch of the latter.
        filter: depth × height × width, with per_channel channels × depth × height × width. All else
        is as for Convolution2d.
        """
        return self._launched(volume, (filter,), epilogue, out, stream, workspace)

    def kernel(self, volume, filter):
        """The Kernel of such a call, to prepare it or to ask for its workspace."""
        return self._planned(volume, (filter,))

    def _sizes(self, volume, filter_):
        dimensions = 4 if self._per_channel else 3
        if not 3 <= len(volume) <= 5:
            raise self._error(f"the volume has {len(volume)} dimensions; give 3, 4 or 5")
        if len(filter_) != dimensions:
            raise self._error(f"'filter' has {len(filter_)} dimensions; give {dimensions}")
        batch, channels, depth, height, width = (1,) * (5 - len(volume)) + tuple(volume)
        if self._per_channel and filter_[0] != channels:
            raise self._error(f"there are {channels} channels and {filter_[0]} filters")
        x, y, z = self._anchor or (filter_[-1] // 2, filter_[-2] // 2, filter_[-3] // 2)
        return {
            "width": width,
            "height": height,
            "depth": depth,
            "filter_width": filter_[-1],
            "filter_height": filter_[-2],
            "filter_depth": filter_[-3],
            "anchor_x": x,
            "anchor_y": y,
            "anchor_z": z,
            "channels": channels,
            "batch": batch,
        }


class Stencil3d(_Helper):
    """Tuned star stencils. Field and output are of float32, float64, float16 or bfloat16.

        heat = tilewright.Stencil3d(runtime, boundary="fixed")
        later = heat(field, [1 - 6 * k, k, k, k], steps=100)

    `boundary`: the values beyond the faces in each step: "zero", "replicate", "reflect", "mirror",
    "wrap", or "fixed": points nearer to a face than the radius keep their values. Further settings
    are those of Gemm; an epilogue is for one step only.
    """

    def __init__(self, runtime, *, boundary="zero", **settings):
        super().__init__(runtime, "stencil3d", {"boundary": boundary}, **settings)

    def __call__(
        self, field, coefficients, *epilogue, steps=1, out=None, stream=None, workspace=None
    ):
        """Launches, and returns the volumes after the steps: `out`, or a new array.

        field: depth × height × width, or a batch of them; C-contiguous; it stays unchanged.
        coefficients: numbers: c0, then as many for each of x, y and z as the star's radius, 1 to 4.
        Streams, new arrays and workspaces are as in Gemm.
        """
        pointer = _pointer_of(stream, (field, *epilogue))
        view, kernel = self._planned(field, coefficients, steps, pointer)
        out = self._output(out, field, tuple(view.shape), stream)
        written = self._view(view_of, out, "out", pointer)
        if written.shape != view.shape:
            raise self._error(f"'out' must have the shape {tuple(view.shape)}")
        workspace = self._workspace(kernel, workspace, field, stream)
        kernel._launch((view, list(coefficients), written, *epilogue), pointer, workspace)
        return out

    def kernel(self, field, coefficients, *, steps=1):
        """The Kernel of such a call, to prepare it or to ask for its workspace."""
        return self._planned(field, coefficients, steps, 0)[1]

    def _planned(self, field, coefficients, steps, stream):
        view = self._view(view_of, field, "field", stream)
        if len(view.shape) not in (3, 4):
            raise self._error(f"'field' has {len(view.shape)} dimensions; give 3 or 4")
        radius, left_over = divmod(len(coefficients) - 1, 3)
        if left_over or radius < 1:
            raise self._error(
                f"there are {len(coefficients)} coefficients; give 1 + 3 · radius of them"
            )
        batch, depth, height, width = (1,) * (4 - len(view.shape)) + tuple(view.shape)
        sizes = {"width": width, "height": height, "depth": depth, "radius": radius}
        sizes |= {"steps": steps, "batch": batch}
        type_ = self._named_type(view, "field")
        if type_ != "float32":
            sizes["type"] = type_
        return view, self._kernel_for([view], sizes)
