"""Arrays as matrices: how BLAS would describe them."""

import dataclasses

from ._arrays import ArrayView


@dataclasses.dataclass
class Matrix:
    """A matrix or a batch of matrices, and how it is stored."""

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
