"""Matrix products as an operator."""

import torch

from .. import _products
from .._arrays import plain_name
from ._operator import Operator


class Gemm(Operator, of=_products.Gemm):
    """Tuned matrix products with gradients: epilogue(a · b).

        gemm = torch_ops.Gemm(runtime, epilogue="bias")
        c = gemm(a, b, bias)

    Tensors, their types and the settings are those of tilewright.Gemm; alpha is 1 and beta 0. A
    matrix without contiguous rows or columns is copied first. The gradients are products by
    tilewright, too. With an epilogue that is more than a sum, the value before it is computed once
    more. `epilogue_in_torch`: for an epilogue of your own, what it computes as a function of
    tensors, (value, *arguments) → output, from which its gradient follows.
    """

    def imagined(self, arrays):
        a, b = arrays[:2]
        for name, matrix in (("a", a), ("b", b)):
            if matrix.dim() not in (2, 3):
                raise self._error(f"'{name}' has {matrix.dim()} dimensions; give 2 or 3")
        torch._check(a.shape[-1] == b.shape[-2], lambda: "gemm: the matrices have no product")
        batches = [matrix.shape[0] for matrix in (a, b) if matrix.dim() == 3]
        torch._check(batches[:1] == batches[-1:], lambda: "gemm: the batches differ")
        types = [plain_name(matrix.dtype) for matrix in (a, b)]
        made = _products.usual_output(*types)
        dtype = a.dtype if made == types[0] else getattr(torch, made)
        return a.new_empty((*batches[:1], a.shape[-2], b.shape[-1]), dtype=dtype)

    def _readable(self, matrix):
        rows, columns = matrix.shape[-2:]
        down, right = matrix.stride()[-2:]
        is_readable = (right == 1 and down >= columns) or (down == 1 and right >= rows)
        return matrix if is_readable else matrix.contiguous()

    def _gradients(self, arrays, gradient, wanted):
        a, b = arrays
        for name, matrix, is_wanted in zip("ab", arrays, wanted):
            if is_wanted and matrix.element_size() == 1:
                raise self._error(f"'{name}' has elements of 8 bits, which have no gradient")
        return [
            self._gradient_of_a(a, b, gradient) if wanted[0] else None,
            self._gradient_of_b(a, b, gradient) if wanted[1] else None,
        ]

    def _gradient_of_a(self, a, b, gradient):
        if a.dim() < gradient.dim():  # one product over all of the batch
            gradient, b = (matrix.transpose(0, 1).flatten(1) for matrix in (gradient, b))
        return self._with()(gradient, b.mT).to(a.dtype)

    def _gradient_of_b(self, a, b, gradient):
        if b.dim() < gradient.dim():
            a, gradient = a.flatten(0, 1), gradient.flatten(0, 1)
        return self._with()(a.mT, gradient).to(b.dtype)
