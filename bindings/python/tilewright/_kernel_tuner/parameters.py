"""The parameters that tune_kernel and T1 problems have."""

import dataclasses
import itertools
import re

from ..errors import InputError
from .expression import Name, short
from .operands import is_name


@dataclasses.dataclass
class Parameter:
    """`values` as the caller gave them; the manifest has `told`, and the compiled source `numbers`."""

    name: str
    values: list
    numbers: list
    labels: list | None = None  # of values that are not all integers; the source maps them back
    default: object = None  # one of `values`

    @property
    def told(self):
        return self.labels or self.numbers

    @property
    def macro(self):
        """A macro with the number."""
        return f"{self.name}_index" if self.labels else self.name

    def upto(self, number):
        """An expression of manifests for the values up to this number."""
        if not self.labels:
            return f"{self.name} <= {number}"
        return " || ".join(f"{self.name} == '{label}'" for label in self.labels[: number + 1])


def parameters_of(tune_params):
    try:
        given = dict(tune_params)
    except (TypeError, ValueError):
        raise InputError("tune_params: give a dict with a list of values for each name") from None
    return {name: _parameter(name, values) for name, values in given.items()}


def _parameter(name, values):
    """One number or str instead of a list is the only value."""
    if not isinstance(name, str) or not is_name(name):
        raise InputError(
            f"tune_params: '{short(str(name))}' must be a name as in C of at most 256 characters, because it "
            "becomes a macro"
        )
    try:
        several = [values] if isinstance(values, str) else list(values)
    except TypeError:
        several = [values]
    values = [_plain(value) for value in several]
    if not values:
        raise InputError(f"tune_params: '{name}' has no values")
    if len(set(map(repr, values))) != len(values):
        raise InputError(f"tune_params: '{name}' has a value twice")
    for value in values:
        if not isinstance(value, (bool, int, float, str)):
            raise InputError(
                f"tune_params: {value!r} of '{name}' must be an integer, a float, a bool or a str"
            )
        if isinstance(value, str) and ("\n" in value or not value):
            raise InputError(f"tune_params: {value!r} of '{name}' must be one line of text")
    if all(type(value) is int for value in values):
        return Parameter(name, values, list(values))
    if all(type(value) is bool for value in values):
        return Parameter(name, values, [int(value) for value in values])
    return Parameter(name, values, list(range(len(values))), _labels(values))


_MOST_IN_A_LABEL = 40


def _labels(values):
    """A label of manifests for each value: float4 for "float4", v0_5 for 0.5."""
    labels = []
    for value in values:
        text = re.sub("[^a-z0-9]+", "_", re.sub("^-", "minus_", str(value).lower()))
        text = text.strip("_")[:_MOST_IN_A_LABEL]
        text = text if text[:1].isalpha() else f"v{text}"
        alike = (f"{text}_{number}" for number in itertools.count(2))
        labels.append(text if text not in labels else next(one for one in alike if one not in labels))
    return labels


def _plain(value):
    """NumPy's numbers as Python's."""
    return value.item() if hasattr(value, "dtype") and hasattr(value, "item") else value


def name_of(parameter):
    if parameter.labels:
        return Name(parameter.name, None, {v: f"'{label}'" for v, label in zip(parameter.values, parameter.labels)})
    return Name(parameter.name, min(parameter.numbers))
