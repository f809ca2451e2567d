"""What operations as calls share: arrays in, an array out."""

import functools
import re
import sys

from ._arrays import stream_of, stream_pointer, view_of
from ._calls import Memo, call_of, looks_of
from ._library import TYPES
from .errors import InputError
from .kernel import PreparedInput, WithValues, bare


class Helper:
    """The kernels of one operation, by size and device, from a Runtime or a Bundle. Each is looked
    up once. Gemm describes the settings that all operations have."""

    _operation = None  # of derived classes

    def __init__(
        self,
        runtime,
        problem,
        *,
        epilogue=None,
        implementation=None,
        device=None,
        cache=None,
        require=None,
    ):
        self._runtime = runtime
        self._name = f"{self._operation}/{implementation}" if implementation else self._operation
        self._problem = problem | ({"epilogue": epilogue} if epilogue else {})
        self._device = device
        conditions = {"cache": cache, "require": require}
        self._conditions = {name: value for name, value in conditions.items() if value is not None}
        self._kernels = {}
        self._calls = Memo()
        self._outputs = Memo()  # their shapes and types

    def _error(self, text):
        return InputError(f"{self._operation}: {text}")

    def _kernel_for(self, views, sizes, inputs=None):
        device = self._device or device_of(views)
        key = (device, inputs, *sizes.items())
        kernel = self._kernels.get(key)
        if kernel is None:
            problem = self._problem | sizes
            kernel = self._runtime.kernel(
                self._name, problem, device=device, inputs=inputs, **self._conditions
            )
            kernel = self._kernels.setdefault(key, kernel)
        return kernel

    def _view(self, make, array, name, stream):
        try:
            return make(bare(array), stream)
        except InputError as error:
            raise self._error(f"'{name}' {error}") from error.__cause__

    def _empty(self, like, *looks):
        """A new output; None as empty()."""
        return empty(like, *looks)

    def _output(self, out, like, stream, *looks):
        if out is not None:
            return out
        if stream is not None:
            raise self._error("with stream=, also give out=, and workspace= if one is needed")
        made = self._empty(like, *looks)
        if made is None:
            raise self._error(f"give out=: no array of type {type(like).__name__} can be made")
        return made

    def _again(self, arrays, kind, arguments):
        """Launches as an earlier call of this kind with such arrays did; False if there was none."""
        call = self._calls.get(_key_of(arrays, kind))
        if call is None:
            return False
        workspace = None
        if call.workspace_bytes:
            workspace = empty(arrays[0], (call.workspace_bytes,), "uint8")
        return call.launch(arguments, workspace)

    def _remember(self, arrays, kind, kernel, arguments, operands):
        key = _key_of(arrays, kind)
        if key is not None and self._calls.get(key) is None:
            self._calls.add(key, call_of(kernel, arguments, operands))

    def _known_output(self, inputs):
        """A new array as such inputs had as their output; None if it is not known."""
        known = self._outputs.get(looks_of(inputs))  # the type is None where it is that of the first
        return None if known is None else self._empty(inputs[0], *known)

    def _named_type(self, view, name):
        if view.type not in TYPES:
            raise self._error(f"'{name}' has elements {view.type}, which no argument has")
        return view.type

    def _workspace(self, kernel, workspace, like, stream):
        """A workspace of the array's library on its current stream; None if it cannot be made."""
        missing = workspace is None and kernel.workspace_bytes and kernel.device_kind == "cuda"
        if not missing or stream is not None:
            return workspace
        return empty(like, (kernel.workspace_bytes,), "uint8")


def _key_of(arrays, kind):
    """None if an array, such as an output that is still to be made, is not known."""
    looks = looks_of(arrays)
    return None if looks is None else (looks, kind)


def pointer_of(stream, arrays):
    return stream_of(list(map(bare, arrays))) if stream is None else stream_pointer(stream)


def _has_values(array):
    return isinstance(array.array if isinstance(array, PreparedInput) else array, WithValues)


def device_of(views):
    for view in views:
        if view.places == ("cuda",):
            return f"cuda:{view.device_index or 0}"
    return "host"


def empty(like, shape, type_name=None):
    """An array of the same library on the same device, by default of the same type; None if the
    library is not known or lacks the type."""
    library = type(like).__module__.partition(".")[0]
    module = sys.modules.get(library)
    if type_name and not hasattr(module, type_name):
        return None
    if library == "torch":
        dtype = getattr(module, type_name) if type_name else like.dtype
        return module.empty(shape, dtype=dtype, device=like.device)
    if library == "cupy":
        with like.device:
            return module.empty(shape, type_name or like.dtype)
    if library == "numpy":
        return module.empty(shape, type_name or like.dtype)
    return None


def label(flag):
    return "yes" if flag else "no"


# A factor of a count: a dimension, or one where a choice has a label.
_FACTOR = re.compile(r"\((\w+) == '(\w+)' \? (\w+) : 1\)|(\w+)")


class Shaped(Helper):
    """An operation whose problems are the shapes of its arrays, and whose output has the shape of its
    first one. The definition says which dimension each size is: the count of a buffer is their
    product, the innermost first (docs/manifest-operation.md)."""

    @functools.cached_property
    def _axes(self):
        """The inputs by name, each with its axes if it is a buffer: (dimension, may be missing, the
        choice that it depends on), the outermost first."""
        described = self._runtime.operation(self._operation)
        dimensions = {one["name"]: one for one in described["dimensions"]}
        found = {}
        for argument in described["arguments"]:
            if argument["role"] != "input" or argument["kind"] == "scalar":
                continue
            axes = found[argument["name"]] = []
            factors = _FACTOR.findall(argument["count"]) if argument["kind"] == "buffer" else ()
            for choice, label_, dimension, name in factors:
                if choice and self._problem.get(choice) != label_:
                    continue
                axis = dimensions[dimension or name]
                if axis["role"] == "none":  # a distance, which is that size without gaps
                    axis = dimensions[axis["default"]]
                axes.insert(0, (axis["name"], not choice and axis["default"] == 1, choice))
        return found

    def __call__(self, *arrays, out=None, stream=None, workspace=None, **named):
        """Launches, and returns the output: `out`, or a new array. `arrays`: the inputs in the order
        of the operation, or by their names, then those of the epilogue. Dimensions that no shape
        says, such as the steps of a stencil, are given by their names."""
        inputs, epilogue, sizes = self._given(arrays, named)
        is_plain = stream is None and workspace is None
        kind = tuple(sizes.items())
        if is_plain:
            out = self._known_output(inputs[:1]) if out is None else out
            given = (*inputs, out, *epilogue)
            if self._again(given, kind, given):
                return out
        pointer = pointer_of(stream, (*inputs, *epilogue))
        view, kernel = self._planned(inputs, sizes, pointer)
        shape = tuple(view.shape)
        self._outputs.add(looks_of(inputs[:1]), (shape, None))
        out = self._output(out, inputs[0], stream, shape)
        written = self._view(view_of, out, "out", pointer)
        if tuple(written.shape) != shape:
            raise self._error(f"'out' must have the shape {shape}")
        workspace = self._workspace(kernel, workspace, inputs[0], stream)
        operands = kernel._launch((view, *inputs[1:], written, *epilogue), pointer, workspace)
        if is_plain:
            given = (*inputs, out, *epilogue)
            self._remember(given, kind, kernel, given, operands)
        return out

    def kernel(self, *arrays, **named):
        """The Kernel of such a call, to prepare it or to ask for its workspace. It may be another one
        with with_values() than without."""
        inputs, _, sizes = self._given(arrays, named)
        return self._planned(inputs, sizes, 0)[1]

    def _given(self, arrays, named):
        """The inputs, the epilogue's arguments, and the sizes that no shape says."""
        names = list(self._axes)
        count = len(names)
        if named:
            arrays = (*arrays, *(named.pop(name) for name in names[len(arrays) :] if name in named))
        if len(arrays) < count:
            raise self._error(f"{len(arrays)} arrays were given; give {', '.join(names)}")
        given = zip(arrays, self._axes.values())
        inputs = tuple(array if axes else list(array) for array, axes in given)
        return inputs, arrays[count:], named | self._sizes_of_numbers(*inputs)

    def _sizes_of_numbers(self, *inputs):
        """Those that inputs by value say."""
        return {}

    def _planned(self, inputs, sizes, stream):
        """The view of the first array, and the best kernel. If that needs values of arrays that are
        missing: the best without."""
        views = {
            name: self._view(view_of, array, name, stream)
            for (name, axes), array in zip(self._axes.items(), inputs)
            if axes
        }
        for name, view in views.items():
            self._add_sizes(sizes, name, view.shape)
        for name, array in zip(self._axes, inputs):
            if isinstance(array, PreparedInput):
                sizes[name] = "prepared"
        name, view = next(iter(views.items()))
        type_ = self._named_type(view, name)
        if type_ != "float32":  # the usual one, and all that definitions of version 0.1 have
            sizes["type"] = type_
        kernel = self._kernel_for(views.values(), sizes)
        needs_values = kernel.device_kind == "cuda" and any(one.by_value for one in kernel.arguments)
        if needs_values and not all(map(_has_values, inputs[1:])):
            kernel = self._kernel_for(views.values(), sizes, "memory")
        return view, kernel

    def _add_sizes(self, sizes, name, shape):
        axes = self._axes[name]
        least = len(axes) - sum(may_be_missing for _, may_be_missing, _ in axes)
        if not least <= len(shape) <= len(axes):
            *others, last = map(str, range(least, len(axes) + 1))
            accepted = f"{', '.join(others)} or {last}" if others else last
            raise self._error(f"'{name}' has {len(shape)} dimensions; give {accepted}")
        for (axis, _, choice), size in zip(axes, (1,) * (len(axes) - len(shape)) + tuple(shape)):
            known = sizes.setdefault(axis, size)
            if known != size:
                raise self._error(f"there are {known} {axis} and {size} {choice or name}")
