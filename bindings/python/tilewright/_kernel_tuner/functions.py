"""Functions of a configuration, which are called for every combination of the parameters that they
read, and become expressions or preprocessor conditions."""

import inspect

from ..errors import InputError
from .expression import MOST_TRANSLATED, Quotient

_MOST_CALLS = 100_000


class _Reads(Exception):
    """The function read a parameter that has no value yet."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name


class _Partial(dict):
    """Parameters of which some have no value yet. Who looks at all of them needs all."""

    def __init__(self, given, names):
        super().__init__(given)
        self._names = names

    def __missing__(self, name):
        if name in self._names:
            raise _Reads(name)
        raise KeyError(name)

    def __contains__(self, name):
        return name in self._names

    def get(self, name, default=None):
        return self[name] if name in self._names else default

    def _all(self):
        for name in self._names:
            self[name]
        return {name: self[name] for name in self._names}

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._names)

    def keys(self):
        return self._all().keys()

    def values(self):
        return self._all().values()

    def items(self):
        return self._all().items()

    def copy(self):
        return self._all()


def caller(function, parameters):
    """Calls the function with a configuration, or with its parameters by name if it lists these."""
    try:
        listed = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built in
        return function
    by_name = [one.name for one in listed if one.name in parameters]
    takes_all = any(one.kind is one.VAR_KEYWORD for one in listed)
    if takes_all and len(listed) == 1 + len(by_name):
        return lambda values: function(**values)
    if not by_name:
        return function
    return lambda values: function(**{name: values[name] for name in by_name})


class Tabulated:
    """The values of a function: a tree of decisions, one parameter at a time.

    A tree is a leaf, `(None, value)`, or `(name, runs)`: for values of the parameter in the order of
    their numbers, each run of equal ones has `(last number, tree)`.
    """

    def __init__(self, function, parameters, read):
        """`read` makes a value of what the function returns."""
        self.names = []  # that it reads, in this order
        self._call, self._parameters, self._read = caller(function, parameters), parameters, read
        self._calls = 0
        self.tree = self._built({})

    def _built(self, given):
        self._calls += 1
        if self._calls > _MOST_CALLS:
            raise InputError(
                f"the function reads {len(self.names)} parameters with more than {_MOST_CALLS} "
                "combinations; give an expression as a str"
            )
        try:
            values = _Partial(given, self._parameters)
            return None, self._read(self._call(values))
        except _Reads as reads:
            name = reads.name
        except InputError:
            raise
        except Exception as error:
            told = ", ".join(f"{name}={value!r}" for name, value in given.items())
            raise InputError(f"the function fails for {told}: {error!r}") from error
        if name not in self.names:
            self.names.append(name)
        parameter = self._parameters[name]
        pairs = sorted(zip(parameter.numbers, parameter.values))
        return _tree(name, ((number, self._built({**given, name: value})) for number, value in pairs))

    def quotient(self, tree=None):
        """For values that are integers. `tree`: one with the same parameters instead of its own."""
        text, least = self._expression(tree or self.tree)
        text = _in_parentheses(text)
        if len(text) > MOST_TRANSLATED:
            raise InputError(
                f"the function becomes an expression of {len(text)} characters; the most are "
                f"{MOST_TRANSLATED}, so give an expression as a str"
            )
        return Quotient(text, least=least)

    def _expression(self, tree):
        """Its text and the least of its values."""
        name, runs = tree
        if name is None:
            return str(runs), runs
        if len(runs) == 1:
            return self._expression(runs[0][1])
        middle = len(runs) // 2
        (low, least_low), (high, least_high) = (
            self._expression((name, part)) for part in (runs[:middle], runs[middle:])
        )
        condition = self._parameters[name].upto(runs[middle - 1][0])
        return f"{condition} ? {_in_parentheses(low)} : {_in_parentheses(high)}", min(
            least_low, least_high
        )

    def conditions(self):
        """For values that are texts: C code that chooses one."""
        return self._conditions(self.tree)

    def _conditions(self, tree):
        name, runs = tree
        if name is None:
            return runs
        lines = []
        for place, (last, branch) in enumerate(runs):
            word = "#if" if place == 0 else "#elif"
            is_last = place == len(runs) - 1
            lines.append("#else" if is_last else f"{word} {self._parameters[name].macro} <= {last}")
            lines.append(self._conditions(branch))
        return "\n".join([*lines, "#endif"])


def _tree(name, branches):
    """`branches`: pairs of a number and a tree, ascending. Those of equal trees become one."""
    runs = []
    for number, tree in branches:
        if runs and runs[-1][1] == tree:
            runs.pop()
        runs.append((number, tree))
    return runs[0][1] if len(runs) == 1 else (name, runs)


def names_in(tree):
    name, runs = tree
    return set() if name is None else {name}.union(*(names_in(branch) for _, branch in runs))


_YES, _NO = (None, 1), (None, 0)


def _possible(tree, names, rests):
    """Whether values of these parameters leave it possible that the condition holds. Adds to `rests`
    the conditions that they leave."""
    name, runs = tree
    if name in names:
        return _tree(name, ((last, _possible(branch, names, rests)) for last, branch in runs))
    if tree != _NO and len(rests) < 2 and tree not in rests:  # nobody asks for more
        rests.append(tree)
    return _NO if tree == _NO else _YES


def split(tree, names):
    """Conditions that together say the same. Where the function reads more parameters only if a
    condition on the first holds, that condition is one of them, and the search sees it early.
    `names`: in the order of reading."""
    parts = []
    for i in range(1, len(names) + 1):
        rests = []
        part = _possible(tree, names[:i], rests)
        if part not in (_YES, *parts[-1:]):
            parts.append(part)
        if len(rests) == 1 and part != _YES:
            left = names_in(rests[0])  # also of those before, where a branch reads them first
            return parts + (split(rests[0], [n for n in names if n in left]) if left else [])
    return parts or [tree]


def _in_parentheses(text):
    return f"({text})" if " " in text else text


def first_value(tree):
    """Any of the values."""
    name, runs = tree
    return runs if name is None else first_value(runs[0][1])
