"""Matrix products: arrays in, an array out."""

import dataclasses

from ._arrays import ArrayView, strided_view_of
from ._calls import looks_of
from ._helpers import Helper, label, pointer_of


@dataclasses.dataclass
class Matrix:
    """A matrix or a batch of matrices, and how it is stored, as BLAS would describe it."""

    view: ArrayView
    rows: int
    columns: int
    transposed: bool
    leading: int
    batch: int | None  # None for a single matrix
    stride: int


def matrix_of(view, refuse):
    """The matrix of a view. `refuse` raises an error that says what is wrong with it."""
    if len(view.shape) not in (2, 3):
        refuse(f"has {len(view.shape)} dimensions; give a matrix, or a batch of them")
    *batch, rows, columns = view.shape
    *stride, down, right = view.strides
    transposed = right != 1 and columns > 1
    if transposed and down != 1 and rows > 1:
        refuse(f"has strides of {tuple(view.strides)} elements; one of the last two must be 1")
    stored_rows, row = (columns, rows) if transposed else (rows, columns)
    leading = (right if transposed else down) if stored_rows > 1 else row
    if leading < row or (stride and stride[0] < 0):
        refuse(f"has strides of {tuple(view.strides)} elements, with which its rows overlap")
    # The stride of a single matrix does not matter. The usual one has been tuned.
    alone = not batch or batch[0] == 1
    between = stored_rows * leading if alone else stride[0]
    count = 1 + sum((size - 1) * step for size, step in zip(view.shape, view.strides))
    return Matrix(
        view=dataclasses.replace(view, count=count),
        rows=rows,
        columns=columns,
        transposed=transposed,
        leading=leading,
        batch=batch[0] if batch else None,
        stride=between,
    )


def usual_output(a, b):
    """The operation's default for the type of C."""
    narrow = ("float8_e4m3", "float8_e5m2", "int8")
    if a not in narrow or b not in narrow:
        return b if a in narrow else a
    return "int32" if b == "int8" else "bfloat16"


class Gemm(Helper):
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

    _operation = "gemm"

    def __init__(self, runtime, *, precision=None, **settings):
        problem = {"precision": precision} if precision else {}
        super().__init__(runtime, problem, **settings)

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
        pointer = pointer_of(stream, (a, b, *epilogue))
        left, right, shape = self._factors(a, b, pointer)
        usual = usual_output(left.view.type, right.view.type)
        made = None if usual == left.view.type else usual
        self._outputs.add(looks_of((a, b)), (shape, made))
        out = self._output(out, a, stream, shape, made)
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
            sizes[f"transpose_{name}"] = label(matrix.transposed)
        sizes |= {"ldc": n, "stride_c": m * n, "accumulate": label(adds)}
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
        if out and out[0] != usual_output(a, b):
            types["type_c"] = out[0]
        return types
