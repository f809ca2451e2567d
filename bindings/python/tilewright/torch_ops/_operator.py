"""What all operators share: their registration, and the gradient through an epilogue.

torch.library has one table of operators for the whole process. Calls carry only tensors, numbers
and texts. So a call carries the name of an Operator, by which it is found again while it lives.

PyTorch stores compiled graphs, with these names, and takes them for the same graph in another
process. So equal names must mean equal settings, which decide what the graph of a gradient is. An
Operator that is derived from another has that one's name, a tab, and what is different. (No end of a
line: PyTorch's compiler writes calls with their texts as they are into comments of its code.)
"""

import dataclasses
import itertools
import json
import uuid
import weakref
from collections.abc import Sequence

import torch

from ..errors import InputError
from ..runtime import version


@dataclasses.dataclass(frozen=True)
class Epilogue:
    """An epilogue as PyTorch computes it."""

    compute: object  # (value, *arguments) → what is stored
    is_sum: bool = False  # its gradients do not depend on the value


def known(axes):
    """Those that come with tilewright, by name. `axes`: those of a plane or volume, which follow the channels' one; None: all
    but the first two."""

    def with_bias(value, bias):
        return value + bias.reshape(-1, *[1] * (value.dim() - 2 if axes is None else axes))

    def gelu(value):
        return torch.nn.functional.gelu(value, approximate="tanh")

    return {
        "bias": Epilogue(lambda value, bias: value + bias, is_sum=True),
        "bias_gelu": Epilogue(lambda value, bias: gelu(value + bias)),
        "bias_relu": Epilogue(lambda value, bias: torch.relu(value + bias)),
        "channel_bias": Epilogue(with_bias, is_sum=True),
        "channel_bias_relu": Epilogue(lambda value, bias: torch.relu(with_bias(value, bias))),
        "channel_bias_silu": Epilogue(
            lambda value, bias: torch.nn.functional.silu(with_bias(value, bias))
        ),
        "residual": Epilogue(
            lambda value, residual: value + residual.reshape(value.shape), is_sum=True
        ),
        "row_bias": Epilogue(lambda value, bias: value + bias[:, None], is_sum=True),
        "scaled": Epilogue(lambda value, rows, columns: value * rows[:, None] * columns),
    }


_alive = weakref.WeakValueDictionary()  # Operators by name


def _operator(name):
    operator = _alive.get(name)
    base, is_derived, changes = name.rpartition("\t")
    if operator is None and is_derived:
        operator = _operator(base)._with(**json.loads(changes))
    if operator is None:
        kind = name.partition(" ")[0]
        raise InputError(f"{kind}: the object of this call is gone; keep it as long as its calls")
    return operator


def _new_name(kind, settings, epilogue_in_torch):
    # A function may be another one in the next process, so that its name must be, too.
    unique = uuid.uuid4().hex if epilogue_in_torch else ""
    names = (f"{kind} {n} {version()} {settings!r}{unique}" for n in itertools.count())
    return next(name for name in names if name not in _alive)


def _setup_context(ctx, inputs, output):
    arrays, name = inputs
    ctx.operator = _operator(name)  # alive until the gradient is known
    ctx.save_for_backward(*arrays)


def _backward(ctx, gradient):
    wanted = ctx.needs_input_grad[0]
    return ctx.operator.gradients(ctx.saved_tensors, gradient, wanted), None


def registered(name):
    """The operator tilewright::NAME of torch.library: tensors and an Operator's name in, a tensor
    out."""

    def launch(arrays: Sequence[torch.Tensor], name: str) -> torch.Tensor:
        return _operator(name).run(arrays)

    def imagined(arrays, name):
        return _operator(name).imagined(arrays)

    made = torch.library.custom_op(f"tilewright::{name}", launch, mutates_args=())
    made.register_fake(imagined)
    made.register_autograd(_backward, setup_context=_setup_context)
    return getattr(torch.ops.tilewright, name).default


class Operator:
    """One of the package's objects as an operator.

    `settings`: those of the object. `epilogue_in_torch`: for an epilogue of your own, what it
    computes as a function of tensors, (value, *arguments) → output, which has its gradient.
    """

    # Of derived classes:
    _inputs = 2  # tensors before those of the epilogue
    _axes = 2  # those of a plane or volume

    def __init_subclass__(cls, of=None):
        """`of`: the package's class."""
        if of is not None:
            cls._helper_class = of
            cls._registered = staticmethod(registered(of._operation))

    def __init__(self, runtime, *, epilogue_in_torch=None, _name=None, **settings):
        self._runtime = runtime
        self._settings = settings
        self._helper = self._helper_class(runtime, **settings)
        self._kind = self._helper._operation
        self._epilogue = known(self._axes).get(settings.get("epilogue"))
        if epilogue_in_torch is not None:
            self._epilogue = Epilogue(epilogue_in_torch)
        self._others = {}
        self._name = _name or _new_name(self._kind, settings, epilogue_in_torch)
        _alive[self._name] = self

    def __deepcopy__(self, memo):
        return self  # it does not change, so that copies of a model share it

    def __call__(self, *arrays):
        """The output, a new tensor. `arrays`: tensors in the order of the package's object."""
        if not all(isinstance(array, torch.Tensor) for array in arrays):
            raise self._error("an operator takes tensors only")
        if len(arrays) < self._inputs:
            raise self._error(f"{len(arrays)} tensors were given; give {self._inputs} or more")
        return self._registered(arrays, self._name)

    def run(self, arrays):
        """What a call computes, without a gradient."""
        with torch.cuda.device_of(arrays[0]):  # none, if it is in host memory
            return self.launch(self.prepared([array.detach() for array in arrays], arrays))

    def launch(self, arrays):
        main, extra = self._split(arrays)
        return self._helper(*map(self._readable, main), *(array.contiguous() for array in extra))

    def prepared(self, arrays, _):
        """The arrays as launch() takes them. The second ones are what the caller gave."""
        return arrays

    def imagined(self, arrays):
        """An output as launch() gives it, of which nothing but its shape and type is known."""
        return arrays[0].new_empty(arrays[0].shape)

    def gradients(self, arrays, gradient, wanted):
        """One for each array; None where it is not wanted."""
        main, extra = self._split(arrays)
        through = []
        if self._settings.get("epilogue"):
            gradient, *through = self._through_epilogue(main, extra, gradient)
        return [*self._gradients(main, gradient, wanted), *through]

    def _split(self, arrays):
        return arrays[: self._inputs], arrays[self._inputs :]

    def _readable(self, array):
        """The array, or a copy with strides that the helper takes."""
        return array.contiguous()

    def _with(self, **changes):
        """Such an operator with other settings, without an epilogue, of any implementation."""
        name = f"{self._name}\t{json.dumps(changes)}"
        if name not in self._others:
            plain = {"epilogue": None, "implementation": None}
            settings = self._settings | plain | changes
            self._others.setdefault(name, self._remade(_name=name, **settings))
        return self._others[name]

    def _remade(self, **settings):
        return type(self)(self._runtime, **settings)

    def _gradients(self, arrays, gradient, wanted):
        """Those of the inputs before the epilogue."""
        raise NotImplementedError

    def _through_epilogue(self, arrays, extra, gradient):
        """The gradients of the value before the epilogue and of the epilogue's arguments."""
        if self._epilogue is None:
            raise self._error(
                f"no gradient of the epilogue '{self._settings['epilogue']}' is known; give "
                "epilogue_in_torch=, which computes the same with tensors"
            )
        is_sum = self._epilogue.is_sum
        value = torch.zeros_like(gradient) if is_sum else self._with()(*arrays)

        def stored(value, *arguments):
            wide = value.to(torch.promote_types(value.dtype, torch.float32))
            output = self._epilogue.compute(wide, *arguments)
            return output.reshape(gradient.shape).to(gradient.dtype)

        return torch.func.vjp(stored, value, *extra)[1](gradient)

    def _error(self, text):
        return InputError(f"{self._kind}: {text}")
