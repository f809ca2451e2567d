"""Matrix products: arrays in, an array out; and what all such helpers share."""

import sys

from ._arrays import strided_view_of
from ._calls import Memo, call_of, looks_of
from ._library import TYPES
from ._matrices import matrix_of
from ._streams import stream_of, stream_pointer
from .errors import InputError
from .kernel import WithValues


class _Helper:
    """The kernels of one operation, by size and device, from a Runtime or a Bundle. Each is looked
    up once. Gemm describes the settings that all operations have."""

    def __init__(
        self,
        runtime,
        operation,
        problem,
        *,
        epilogue=None,
        implementation=None,
        device=None,
        cache=None,
        require=None,
    ):
        self._runtime = runtime
        self._name = operation
        self._operation = f"{operation}/{implementation}" if implementation else operation
        self._problem = problem | ({"epilogue": epilogue} if epilogue else {})
        self._device = device
        conditions = {"cache": cache, "require": require}
        self._conditions = {name: value for name, value in conditions.items() if value is not None}
        self._kernels = {}
        self._calls = Memo()
        self._outputs = Memo()  # their shapes and types

    def _error(self, text):
        return InputError(f"{self._name}: {text}")

    def _kernel_for(self, views, sizes, inputs=None):
        device = self._device or _device_of(views)
        key = (device, inputs, *sizes.items())
        kernel = self._kernels.get(key)
        if kernel is None:
            problem = self._problem | sizes
            kernel = self._runtime.kernel(
                self._operation, problem, device=device, inputs=inputs, **self._conditions
            )
            kernel = self._kernels.setdefault(key, kernel)
        return kernel

    def _view(self, make, array, name, stream):
        if isinstance(array, WithValues):
            array = array.array
        try:
            return make(array, stream)
        except InputError as error:
            raise self._error(f"'{name}' {error}") from error.__cause__

    def _output(self, out, like, shape, stream, type_name=None):
        if out is not None:
            return out
        if stream is not None:
            raise self._error("with stream=, also give out=, and workspace= if one is needed")
        made = _empty(like, shape, type_name)
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
            workspace = _empty(arrays[0], (call.workspace_bytes,), "uint8")
        return call.launch(arguments, workspace)

    def _remember(self, arrays, kind, kernel, arguments, operands):
        key = _key_of(arrays, kind)
        if key is not None and self._calls.get(key) is None:
            self._calls.add(key, call_of(kernel, arguments, operands))

    def _known_output(self, inputs):
        """A new array as such inputs had as their output; None if it is not known."""
        known = self._outputs.get(looks_of(inputs))  # the type is None where it is that of the first
        return None if known is None else _empty(inputs[0], *known)

    def _named_type(self, view, name):
        if view.type not in TYPES:
            raise self._error(f"'{name}' has elements {view.type}, which no argument has")
        return view.type

    def _workspace(self, kernel, workspace, like, stream):
        """A workspace of the array's library on its current stream; None if it cannot be made."""
        missing = workspace is None and kernel.workspace_bytes and kernel.device_kind == "cuda"
        if not missing or stream is not None:
            return workspace
        return _empty(like, (kernel.workspace_bytes,), "uint8")


def _key_of(arrays, kind):
    """None if an array, such as an output that is still to be made, is not known."""
    looks = looks_of(arrays)
    return None if looks is None else (looks, kind)


def _pointer_of(stream, arrays):
    plain = [array.array if isinstance(array, WithValues) else array for array in arrays]
    return stream_of(plain) if stream is None else stream_pointer(stream)


def _device_of(views):
    for view in views:
        if view.places == ("cuda",):
            return f"cuda:{view.device_index or 0}"
    return "host"


def _empty(like, shape, type_name=None):
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


def _label(flag):
    return "yes" if flag else "no"


def _usual_output(a, b):
    """The operation's default for the type of C."""
    narrow = ("float8_e4m3", "float8_e5m2", "int8")
    if a not in narrow or b not in narrow:
        return b if a in narrow else a
    return "int32" if b == "int8" else "bfloat16"


class Gemm(_Helper):
    """Tuned matrix products: C = epilogue(alpha · A · B + beta · C).

        gemm = tilewright.Gemm(runtime, epilogue="bias_relu")
        c = gemm(a, b, bias)

    `runtime` is a Runtime or a Bundle.

    Each array may be of float32, float64, float16, bfloat16, float8_e4m3, float8_e5m2 or int8, and
    C of int32. int8 goes with int8, float16 and bfloat16. `precision`: how products are formed and
    summed, "float32", "float64", "tf32" (float32 arrays, of which 10 bits of mantissa may be used),
    "float16" (float16 arrays, whose sums may be kept in float16) or "int32" (int8 arrays); by
    default float64 if A or B is, int32 if both are int8, else float32. `epilogue`: the name of a
    snippet. `implementation`: use only this one; by default the fastest. `device`: by default that
    of the arrays. `cache` (of a Runtime) and `require`: as in its kernel(). Safe to use from many
    threads.
    """

    def __init__(self, runtime, *, precision=None, **settings):
        problem = {"precision": precision} if precision else {}
        super().__init__(runtime, "gemm", problem, **settings)

    def __call__(
        self, a, b, *epilogue, alpha=1, beta=0, out=None, stream=None, workspace=None
    ):
        """Launches, and returns C: `out`, or a new array of the library of `a`. It has the type of
        `a`, if that has 8 bits the one of `b`, if both have, int32 for int8 and else bfloat16.
        Where C is int32, alpha and beta are ints.

        a is m × k and b is k × n. Either may be a batch; a single matrix is then shared by the
        whole batch. One of the last two dimensions must be contiguous, so that transposed arrays
        (a.T) and parts of larger arrays need no copy. Further arrays are the epilogue's.

        Without `stream` the launch uses the current stream of the arrays' library. A new array and
        a workspace are then also made on it. With `stream`, give `out`, and `workspace` if one is
        needed.
        """
        if beta != 0 and out is None:
            raise self._error("beta is not 0; give out=, the C that it scales")
        is_plain = stream is None and workspace is None
        adds = bool(beta != 0)
        if is_plain:
            out = self._known_output((a, b)) if out is None else out
            if self._again((a, b, out, *epilogue), adds, (a, b, out, alpha, beta, *epilogue)):
                return out
        pointer = _pointer_of(stream, (a, b, *epilogue))
        left, right, shape = self._factors(a, b, pointer)
        usual = _usual_output(left.view.type, right.view.type)
        made = None if usual == left.view.type else usual
        self._outputs.add(looks_of((a, b)), (shape, made))
        out = self._output(out, a, shape, stream, made)
        kernel, views = self._planned(left, right, shape, out, adds, pointer)
        workspace = self._workspace(kernel, workspace, a, stream)
        operands = kernel._launch((*views, alpha, beta, *epilogue), pointer, workspace)
        if is_plain:
            given = (a, b, out, alpha, beta, *epilogue)
            self._remember((a, b, out, *epilogue), adds, kernel, given, operands)
        return out

    def kernel(self, a, b, *, beta=0, out=None):
        """The Kernel of such a call, to prepare it or to ask for its workspace."""
        left, right, shape = self._factors(a, b, 0)
        return self._planned(left, right, shape, out, beta != 0, 0)[0]

    def _matrix(self, array, name, stream):
        def refuse(why):
            raise self._error(f"'{name}' {why}")

        return matrix_of(self._view(strided_view_of, array, name, stream), refuse)

    def _factors(self, a, b, stream):
        """Both factors as matrices, and the shape of their product."""
        left, right = self._matrix(a, "a", stream), self._matrix(b, "b", stream)
        if left.columns != right.rows:
            shapes = f"{left.rows} × {left.columns} and {right.rows} × {right.columns}"
            raise self._error(f"matrices of {shapes} have no product")
        batches = {matrix.batch for matrix in (left, right)} - {None}
        if len(batches) > 1:
            raise self._error(f"batches of {left.batch} and {right.batch} do not go together")
        return left, right, (*batches, left.rows, right.columns)

    def _planned(self, left, right, shape, out, adds, stream):
        *batch, m, n = shape
        count = batch[0] if batch else 1
        sizes = {"M": m, "N": n, "K": left.columns, "batch": count}
        for matrix, name in ((left, "a"), (right, "b")):
            sizes[f"ld{name}"] = matrix.leading
            sizes[f"stride_{name}"] = 0 if matrix.batch is None and count > 1 else matrix.stride
            sizes[f"transpose_{name}"] = _label(matrix.transposed)
        sizes |= {"ldc": n, "stride_c": m * n, "accumulate": _label(adds)}
        views = [left.view, right.view]
        if out is not None:
            result = self._matrix(out, "out", stream)
            if tuple(result.view.shape) != shape or result.transposed:
                raise self._error(f"'out' must have the shape {shape}, and its rows contiguous")
            sizes |= {"ldc": result.leading, "stride_c": result.stride}
            views.append(result.view)
        return self._kernel_for(views, sizes | self._types(views)), views

    def _types(self, views):
        """The settings for matrices of these types. What is as usual is left out, so that
        definitions and bundles from before there were types serve float32."""
        a, b, *out = (self._named_type(view, name) for view, name in zip(views, ("a", "b", "out")))
        types = {} if a == "float32" else {"type_a": a}
        if b != a:
            types["type_b"] = b
        if out and out[0] != _usual_output(a, b):
            types["type_c"] = out[0]
        return types
