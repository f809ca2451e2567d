"""One launch of a configuration, and what it leaves in the arrays."""

import copy
import importlib

from .._arrays import view_of
from ..errors import InputError, MachineError
from ..kernel import with_values
from ..runtime import Override, Runtime


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


class _CuPy:
    def __init__(self, module, index):
        self._module, self._index = module, index

    def to_gpu(self, array):
        with self._module.cuda.Device(self._index):
            return self._module.array(array)

    def to_host(self, array, like):
        return array.get()


class _PyTorch:
    def __init__(self, module, index):
        self._module, self._index = module, index

    def to_gpu(self, array):
        return self._module.tensor(array, device=f"cuda:{self._index}")

    def to_host(self, array, like):
        host = array.cpu()
        return host if hasattr(like, "is_cuda") else host.numpy()


class _Host:
    def to_gpu(self, array):
        return _copied(array)

    def to_host(self, array, like):
        return array


def _memory_of(kernel, device):
    """What copies arrays to the kernel's device and back."""
    if kernel.device_kind == "host":
        return _Host()
    index = int(device.partition(":")[2] or 0)
    for name, kind in (("cupy", _CuPy), ("torch", _PyTorch)):
        try:
            return kind(importlib.import_module(name), index)
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
        memory = _memory_of(kernel, self._device)
        given = {one.name: one.array for one in self._described.buffers}
        held = {one: memory.to_gpu(on_host(array)) for one, array in given.items()}
        kernel(*(self._operand(argument, held, given) for argument in kernel.arguments))
        return {
            one.name: one.as_given(memory.to_host(held[one.name], one.array))
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
