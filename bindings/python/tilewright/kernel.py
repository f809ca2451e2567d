"""Kernels, and the answers of look-ups."""

import ctypes
import dataclasses
import itertools
import json
import weakref

from . import _library
from ._arrays import ArrayView, stream_of, stream_pointer, view_of
from ._calls import Memo, call_of, looks_of
from ._dlpack import gpu_of
from ._library import Owner, check, lib
from ._numbers import SCALARS, number
from .errors import InputError

_WORKSPACE_ALIGNMENT = 256


@dataclasses.dataclass(frozen=True)
class Answer:
    """The best configuration on record. docs/catalog.md says what the rungs are."""

    implementation: str  # "gemm/blocked"
    configuration: dict  # name: integer or label
    problem: dict  # the one asked for, completed
    rung: int
    rung_name: str  # "exact", "near problem", "default", …
    distance: float  # from the problem asked for to the one measured; 0: the same
    median_us: float | None  # of one call of the measured problem, microseconds; None: not measured
    measured_problem: dict  # empty: not measured
    measured_device: str  # "": not measured
    policy: str  # of the measurement: "robust/graph"; "": not measured
    measured_at: int | None  # seconds since 1970, UTC; None: not measured
    reason: str  # why there is no better answer; "" if exact
    stale: bool  # measured in another environment than the present one, not confirmed since
    origin: str  # who measured: "own", "imported", "shipped"; "": nobody
    passed_over: str  # better answers that cannot run here, and why; "": none
    # With warm operands. None: the policy is not robust; else median_us is with cold ones.
    warm_median_us: float | None
    why_stale: str  # "measured at 400 W; this GPU is limited to 700 W"; "": it is not stale
    power_limit_w: int | None  # that the GPU had when it measured; None: not known


def answer_from(view):
    """The Answer of a library's Answer."""
    fields = _library.plain(view)
    for name in ("configuration", "problem", "measured_problem"):
        fields[name] = json.loads(fields[name])
    for name in ("median_us", "warm_median_us", "measured_at", "power_limit_w"):
        fields[name] = fields[name] or None
    fields["stale"] = bool(fields["stale"])
    return Answer(**fields)


@dataclasses.dataclass(frozen=True)
class Argument:
    """What a launch takes."""

    name: str
    kind: str  # "buffer", "scalar", "array" (by value)
    type: str  # "float32", …
    role: str  # "input", "output", "inout"
    count: int  # elements
    by_value: bool  # a GPU needs its values in host memory too: with_values()
    prepared: bool  # a launch takes it as a PreparedInput: prepare_input()


@dataclasses.dataclass(frozen=True)
class WithValues:
    array: object
    values: object


def with_values(array, values):
    """A GPU array together with a copy of its values in host memory."""
    return WithValues(array, values)


_serial_numbers = itertools.count()


class PreparedInput(Owner):
    """An input, such as a filter, in the order in which one kernel reads it.

    Kernel.prepare_input and prepare_filter of Convolution1d and Convolution2d make it. Launches of that
    kernel take it in place of the array, `array`, which it keeps and which must stay as it is. `bytes`:
    the device memory that it holds; 0: the kernel reads the array itself. Keep it as long as a CUDA
    graph may replay such a launch.
    """

    def __init__(self, kernel, handle, array, kept):
        self._handle = handle
        weakref.finalize(self, lib.tw_prepared_destroy, handle).atexit = False
        self._kernel = kernel
        self._kept = kept  # what the library has the addresses of
        self.array = array
        self.bytes = lib.tw_prepared_bytes(handle)
        self.look = "prepared", next(_serial_numbers)  # as looks_of() has it

    def prepare_again(self, stream=None):
        """Prepares the array again, after its contents have changed. `stream` as in a launch."""
        check(lib.tw_prepared_again(self._handle, self._kernel._stream(stream, [self.array])))


def bare(array):
    """The array of what goes with more: its values, or its prepared order."""
    while isinstance(array, (WithValues, PreparedInput)):
        array = array.array
    return array


def pointer_of(stream, arrays):
    return stream_of(list(map(bare, arrays))) if stream is None else stream_pointer(stream)


class Kernel(Owner):
    """One problem's kernel with its best configuration on one device. Call it to launch.

    Runtime.kernel and Bundle.kernel make it. Safe to use from many threads and streams. After
    fork() a child may call it on the host device, unless another thread was in a call then; on a
    GPU not. `arguments` is what a launch takes, `workspace_bytes` the size of its workspace in
    device memory, and `device_kind` "cuda" or "host".
    """

    def __init__(self, handle, device_index):
        self._handle = handle
        weakref.finalize(self, lib.tw_kernel_destroy, handle).atexit = False
        self._device_index = device_index
        self.device_kind = lib.tw_kernel_device_kind(handle).decode()
        self.device_name = lib.tw_kernel_device_name(handle).decode()
        self.workspace_bytes = lib.tw_kernel_workspace_bytes(handle)
        self.arguments = [
            self._argument(i) for i in range(lib.tw_kernel_argument_count(handle))
        ]
        kinds = [argument.kind for argument in self.arguments]
        self._buffers = [i for i, kind in enumerate(kinds) if kind == "buffer"]
        self._calls = Memo()

    def __repr__(self):
        return f"<tilewright.Kernel {self.answer.implementation} on {self.device_name}>"

    @property
    def answer(self):
        """The look-up's answer; after prepare() the one in use (see Answer.passed_over)."""
        return answer_from(lib.tw_kernel_answer(self._handle).contents)

    def prepare(self):
        """Takes the code from a bundle or the cache, or compiles it, and loads it.

        If that fails, the next best answer is used. Afterwards a launch may be captured in a CUDA
        graph.
        """
        check(lib.tw_kernel_prepare(self._handle))

    def prepare_input(self, array, stream=None):
        """The PreparedInput of the argument whose `prepared` is true: of the kernel of a problem with
        the choice `prepared`, such as conv2d with filter="prepared". Other streams must wait for
        this one, `stream`, which is as in a launch."""
        place = next((i for i, one in enumerate(self.arguments) if one.prepared), None)
        if place is None:
            raise self._error("none of its arguments is taken prepared")
        stream, operand, kept = self._stream(stream, [array]), _library.Operand(), []
        self._fill(operand, place, array, stream, kept)
        handle = ctypes.c_void_p()
        check(lib.tw_kernel_prepare_input(self._handle, stream, operand, handle))
        return PreparedInput(self, handle, array, kept)

    def __call__(self, *arrays, stream=None, workspace=None, workspace_ready=False):
        """Launches with arrays and numbers in the order of `arguments`.

        Arrays must be C-contiguous and of exactly the argument's type. Keep them alive until the
        call is done. `stream`: an integer, or a stream of CuPy, PyTorch, Numba or cuda.core; by
        default the current stream of the arrays' library, else the default stream. `workspace`: an
        array of `workspace_bytes` on the GPU, aligned to 256 bytes; the host device needs none.
        `workspace_ready`: the workspace was last used by a launch of this kernel.
        """
        key = None
        if stream is None and workspace is None and len(arrays) == len(self.arguments):
            key = looks_of([arrays[i] for i in self._buffers]) if self._buffers else None
            call = self._calls.get(key)
            if call is not None and call.launch(arrays):
                return
        operands = self._launch(arrays, stream, workspace, workspace_ready)
        if key is not None and self._calls.get(key) is None:
            self._calls.add(key, call_of(self, arrays, operands))

    def _launch(self, arrays, stream, workspace, workspace_ready=False):
        """Launches, and returns the operands as the library took them."""
        if len(arrays) != len(self.arguments):
            names = ", ".join(argument.name for argument in self.arguments)
            raise self._error(
                f"{len(arrays)} arguments were given; a launch takes {len(self.arguments)}: {names}"
            )
        stream = self._stream(stream, arrays)
        kept = []  # alive until the launch has returned
        operands = (_library.Operand * len(arrays))()
        for place, array in enumerate(arrays):
            self._fill(operands[place], place, array, stream, kept)
        scratch = self._scratch(workspace, workspace_ready, stream, kept)
        check(lib.tw_kernel_launch(self._handle, stream, operands, len(arrays), scratch))
        return operands

    def _stream(self, stream, arrays):
        return 0 if self.device_kind == "host" else pointer_of(stream, arrays)

    def _argument(self, index):
        argument = _library.Argument()
        check(lib.tw_kernel_argument(self._handle, index, argument))
        fields = _library.plain(argument)
        fields["kind"] = ("buffer", "scalar", "array")[argument.kind]
        fields["type"] = _library.TYPES[argument.type]
        fields["role"] = ("input", "output", "inout")[argument.role]
        for name in ("by_value", "prepared"):
            fields[name] = bool(fields[name])
        return Argument(**fields)

    def _error(self, text):
        return InputError(f"{self.answer.implementation}: {text}")

    def _fill(self, operand, place, array, stream, kept):
        argument = self.arguments[place]
        operand.type = _library.TYPES.index(argument.type)
        try:
            if argument.kind == "scalar":
                fill_scalar(operand, argument, array, kept)
            elif argument.kind == "array":
                fill_array(operand, argument, array, kept)
            else:
                self._fill_buffer(operand, argument, array, stream, kept)
        except InputError as error:
            text = f"argument {place + 1} '{argument.name}' {error}"
            raise self._error(text) from error.__cause__

    def _fill_buffer(self, operand, argument, array, stream, kept):
        if isinstance(array, PreparedInput):
            operand.form, operand.data = _library.PREPARED, array._handle.value
            operand.count = _library.ENOUGH
            return
        if isinstance(array, WithValues):
            values = view_of(array.values)
            check_values(argument, values)
            operand.values = values.pointer
            kept.append(values)
            array = array.array
        if self.device_kind == "cuda":
            self._check_gpu(gpu_of(array))
        view = array if isinstance(array, ArrayView) else view_of(array, stream)
        self._check_place(view)
        check_type(argument, view)
        operand.form = _library.READ if view.readonly else _library.WRITE
        operand.data = view.pointer
        operand.count = view.count
        kept.append(view)

    def _check_place(self, view):
        here = f"cuda:{self._device_index}" if self.device_kind == "cuda" else "the host device"
        if self.device_kind not in view.places:
            where = "in host memory" if "host" in view.places else "on a GPU"
            raise InputError(f"is {where}; this kernel runs on {here}")
        self._check_gpu(view.device_index)

    def _check_gpu(self, index):
        if index not in (None, self._device_index):
            raise InputError(f"is on cuda:{index}; this kernel runs on cuda:{self._device_index}")

    def _scratch(self, workspace, ready, stream, kept):
        if workspace is None and (self.workspace_bytes == 0 or self.device_kind == "cuda"):
            return None
        if workspace is None:
            memory = ctypes.create_string_buffer(self.workspace_bytes + _WORKSPACE_ALIGNMENT)
            kept.append(memory)
            address = ctypes.addressof(memory)
            address += -address % _WORKSPACE_ALIGNMENT
            return _library.Scratch(address, self.workspace_bytes, 0)
        try:
            view = view_of(workspace, stream)
            self._check_place(view)
            if view.readonly:
                raise InputError("is read-only; a launch writes it")
        except InputError as error:
            raise self._error(f"the workspace {error}") from None
        kept.append(view)
        return _library.Scratch(view.pointer, view.count * view.item_bytes, int(ready))


def check_type(argument, view):
    if view.type != argument.type:
        raise InputError(f"has elements of {argument.type}; {view.type} was given")


def check_values(argument, values):
    if "host" not in values.places:
        raise InputError("has values on a GPU; with_values() takes a copy in host memory")
    check_type(argument, values)
    if values.count < argument.count:
        raise InputError(f"has {argument.count} elements; {values.count} values were given")


def fill_scalar(operand, argument, value, kept):
    held = number(argument, value)
    kept.append(held)
    operand.form = _library.SCALAR_BY_VALUE
    operand.data = ctypes.addressof(held)
    operand.count = 1


def fill_array(operand, argument, values, kept):
    """Passes an array in host memory, or a sequence of numbers, by value."""
    operand.form = _library.ARRAY_BY_VALUE
    if isinstance(values, (list, tuple)):
        held = (SCALARS[argument.type] * len(values))()
        for i, value in enumerate(values):
            held[i] = number(argument, value)
        kept.append(held)
        operand.data, operand.count = ctypes.addressof(held), len(values)
        return
    view = view_of(values)
    if "host" not in view.places:
        raise InputError("goes by value; give it in host memory")
    check_type(argument, view)
    kept.append(view)
    operand.data, operand.count = view.pointer, view.count
