"""Right answers: what the sweep compares with them, and what a function of the caller judges after a launch."""

import copy
import ctypes
import importlib
import inspect

from .._arrays import view_of
from ..errors import InputError, MachineError, NothingFound
from ..kernel import with_values
from ..runtime import Override, Runtime
from .operands import numbers_of, prefixed


def on_host(array):
    """The array itself, or a copy in host memory of one on a GPU."""
    if hasattr(type(array), "__cuda_array_interface__") and hasattr(array, "get"):  # CuPy
        return array.get()
    if hasattr(array, "is_cuda"):  # PyTorch
        return array.cpu()
    return array


def _copied(array):
    if hasattr(array, "clone"):
        return array.clone()
    return array.copy() if hasattr(array, "copy") else copy.copy(array)


def _with_cupy(cupy, index):
    def to_gpu(array):
        with cupy.cuda.Device(index):
            return cupy.array(array)

    return to_gpu, lambda array, like: array.get()


def _with_torch(torch, index):
    def to_host(array, like):
        return array.cpu() if hasattr(like, "is_cuda") else array.cpu().numpy()

    return lambda array: torch.tensor(array, device=f"cuda:{index}"), to_host


def _copies_of(kernel, device):
    """What copies an array to the kernel's device, and what copies it back, as `like` is."""
    if kernel.device_kind == "host":
        return _copied, lambda array, like: array
    index = int(device.partition(":")[2] or 0)
    for name, copies in (("cupy", _with_cupy), ("torch", _with_torch)):
        try:
            return copies(importlib.import_module(name), index)
        except ImportError:
            continue
    raise MachineError("verify and run_kernel need CuPy or PyTorch for memory on the GPU")


class Launcher:
    """Launches configurations of a generated manifest."""

    def __init__(self, described, manifest, device, options):
        self._described = described
        self._manifest = manifest
        self._device = device
        self._options = options

    def outputs(self, configuration):
        """The operand's name: its contents after one launch on copies."""
        name = self._described.name
        override = Override(f"{name}/kernel", configuration)
        runtime = Runtime(
            kernels=[], shipped=[], bundles=[], manifests=self._manifest, overrides=[override],
            **self._options,
        )  # fmt: skip
        kernel = runtime.kernel(name, device=self._device)
        if kernel.answer.configuration != configuration:
            raise InputError(f"the configuration cannot run here: {kernel.answer.passed_over}")
        to_device, to_host = _copies_of(kernel, self._device)
        given = {one.name: one.array for one in self._described.buffers}
        held = {one: to_device(on_host(array)) for one, array in given.items()}
        kernel(*(self._operand(argument, held, given) for argument in kernel.arguments))
        return {
            one.name: one.as_given(to_host(held[one.name], one.array))
            for one in self._described.buffers
        }

    def _operand(self, argument, held, given):
        array = held[argument.name]
        return with_values(array, on_host(given[argument.name])) if argument.by_value else array


def bytes_of(array):
    """The contents of an array in host memory, and the view that was read."""
    view = view_of(on_host(array))
    if "host" not in view.places:
        raise InputError("is on a GPU; give it in host memory")
    return view


def judged_operands(kernel, answer, atol, verify):
    """The operands that the sweep compares, with the tolerance; None: it compares nothing."""
    if answer is not None:
        count = sum(operand.launched for operand in kernel.operands)
        if len(answer) != count:
            raise InputError(f"answer: {len(answer)} were given; give one for each of {count} arguments")
    if answer is None or verify:
        if verify and not callable(verify):
            raise InputError("verify: give a function")
        return None
    judged = {}
    for number, (operand, right) in enumerate(zip(kernel.operands, answer), 1):
        if right is None:
            continue
        if operand.literal is not None:
            raise InputError(f"answer: argument {number} is a number; its answer is None")
        if operand.name in kernel.constants.values():
            raise InputError(f"answer: argument {number} is constant memory; its answer is None")
        operand.read_only = False
        judged[operand.name] = float(atol or 0)
    if not judged:
        raise InputError("answer: all are None; give the right contents of at least one argument")
    return judged


class Reference:
    """Writes the answers; where nothing is compared, zeros."""

    def __init__(self, kernel, answer, judged):
        self._answers = {}
        if judged is not None:
            listed = enumerate(zip(kernel.operands, answer), 1)
            self._answers = {
                operand.name: prefixed(f"answer {i}", _as_elements, operand, right)
                for i, (operand, right) in listed
                if right is not None
            }

    def __call__(self, _problem, _inputs, outputs):
        for name, output in outputs.items():
            answer = self._answers.get(name)
            held = ctypes.string_at(answer.pointer, output.nbytes) if answer else bytes(output.nbytes)
            output.cast("B")[:] = held


def _as_elements(operand, answer):
    """A view of the answer in elements of the argument's type."""
    dtype = getattr(operand.given, "dtype", None)
    if hasattr(answer, "astype") and getattr(answer, "dtype", dtype) != dtype:
        answer = answer.astype(dtype)
    view = bytes_of(numbers_of(answer))
    if view.type != operand.type or view.count != operand.count:
        raise InputError(
            f"has {view.count} elements {view.type}; the argument has {operand.count} {operand.type}"
        )
    return view


def verified(kernel, launcher, results, failed, judge):
    """The results that verify accepts. Others are added to failed."""
    answer, verify, atol = judge
    takes_atol = "atol" in inspect.signature(verify).parameters
    operands = [operand for operand in kernel.operands if operand.launched]
    right = []
    for result in results:
        values = {name: result[name] for name in kernel.parameters}
        outputs = launcher.outputs(kernel.configuration(values))
        given = [
            None if answer is not None and answer[i] is None else outputs.get(operand.name)
            for i, operand in enumerate(operands)
        ]
        if verify(answer, given, **({"atol": atol} if takes_atol else {})):
            right.append(result)
        else:
            failed.append({**values, "outcome": "wrong_answer", "message": "verify refused it"})
    if not right:
        raise NothingFound(f"{kernel.name}: verify accepted none of {len(results)} configurations")
    return right
