"""Expressions of Python over numbers: metrics, and restrictions of a configuration."""

import ast
import math

from ..errors import InputError
from .expression import parsed, short, source_of
from .functions import names_in

# What metrics may compute from numbers.
_FUNCTIONS = {name: getattr(math, name) for name in ("ceil", "floor", "log", "log2", "sqrt", "pi")}
_FUNCTIONS |= {"abs": abs, "float": float, "int": int, "max": max, "min": min, "round": round}
_COMPUTED = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Compare, ast.Constant,
    ast.Name, ast.Call, ast.Load, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


def checked(text, names):
    """The tree of an arithmetic expression of Python that uses no other names."""
    tree = parsed(text)
    for node in ast.walk(tree):
        if not isinstance(node, _COMPUTED):
            raise InputError(f"'{short(text)}': '{source_of(node)}' is no arithmetic")
        if isinstance(node, ast.Name) and node.id not in {*_FUNCTIONS, *names}:
            raise InputError(f"'{short(text)}': '{node.id}' is not known; there are: {', '.join(names)}")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            _require_small_power(text, node)
    return tree


def computed(text, values):
    """The value of an arithmetic expression of Python over numbers by name."""
    tree = checked(text, values)
    try:
        return eval(compile(tree, "metric", "eval"), {"__builtins__": {}}, {**_FUNCTIONS, **values})
    except (ArithmeticError, TypeError, ValueError) as error:
        raise InputError(f"'{short(text)}': {error}") from None


def _require_small_power(text, node):
    """A power of powers would take all time and memory."""
    if not isinstance(node.right, (ast.Constant, ast.Name)):
        raise InputError(f"'{short(text)}': the exponent in '{source_of(node)}' must be a number or a name")


_CALLABLE = {**_FUNCTIONS, "math": math, "True": True, "False": False}


class Restriction:
    """A restriction that translated() has accepted, for values of Python."""

    def __init__(self, text):
        tree = parsed(text)
        self.cost = 1 + len(text) // 64
        self.names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self._code = compile(tree, "restriction", "eval")

    def holds(self, values):
        try:
            return bool(eval(self._code, {"__builtins__": {}}, {**_CALLABLE, **values}))
        except (ArithmeticError, AttributeError, TypeError):  # a parameter has the name of a function
            return False


class TreeRestriction:
    """The same of a tree of a function's values (Tabulated)."""

    cost = 1

    def __init__(self, tree, parameters):
        self.names = names_in(tree)
        self._tree, self._parameters = tree, parameters

    def holds(self, values):
        name, branches = self._tree
        while name is not None:
            parameter = self._parameters[name]
            number = parameter.numbers[parameter.values.index(values[name])]
            name, branches = next(tree for last, tree in branches if number <= last)
        return bool(branches)


_MOST_STEPS = 1_000_000


def first_legal(values, rules):
    """The first configuration that satisfies all rules: the default of a generated manifest.

    `values`: name → its values, in the order of preference; `rules`: see Restriction."""
    order, place_of = list(values), {name: place for place, name in enumerate(values)}
    ready = [[] for _ in order]  # rules whose last name has this place
    for rule in rules:
        places = [place_of[name] for name in rule.names if name in values]
        if places:
            ready[max(places)].append(rule)
        elif not rule.holds({}):
            raise InputError("no configuration satisfies all of them")
    chosen, tries, steps = {}, [iter(values[name]) for name in order], 0
    place = 0
    while 0 <= place < len(order):
        name = order[place]
        for value in tries[place]:
            chosen[name] = value
            steps += 1
            for rule in ready[place]:
                steps += rule.cost
                if not rule.holds(chosen):
                    break
            else:
                place += 1
                break
            if steps > _MOST_STEPS:
                break
        else:
            chosen.pop(name, None)
            tries[place] = iter(values[name])
            place -= 1
        if steps > _MOST_STEPS:
            raise InputError(
                f"combinations were tried in {_MOST_STEPS} steps and none satisfies all; begin the lists of "
                "values with one that does"
            )
    if place < 0:
        raise InputError("no configuration satisfies all of them")
    return chosen
