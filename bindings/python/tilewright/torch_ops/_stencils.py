"""Star stencils of volumes as an operator."""

from .. import _volumes
from ._operator import Operator, registered

_SYMMETRIC = ("zero", "reflect", "wrap")


class Stencil3d(Operator):
    """Tuned star stencils with gradients.

        heat = torch_ops.Stencil3d(runtime, coefficients=[0.4, 0.1, 0.1, 0.1], steps=10)
        later = heat(field)

    `coefficients` and `steps` are those of a call of tilewright.Stencil3d, as are tensors and all
    other settings. The coefficients are numbers and have no gradient. The gradient of the field is
    the same stencil, with the boundaries "zero", "reflect" and "wrap". With others, the way back is
    another stencil, which tilewright lacks, and asking for a gradient is an InputError.
    """

    _helper_class = _volumes.Stencil3d
    _registered = registered("stencil3d")
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
