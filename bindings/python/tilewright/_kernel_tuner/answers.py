"""Right answers: what the sweep compares with them, and what a function of the caller judges."""

import ctypes
import inspect

from ..errors import InputError, NothingFound
from .launching import bytes_of
from .operands import numbers_of, prefixed


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
