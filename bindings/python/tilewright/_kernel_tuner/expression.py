"""Expressions of Python, as Kernel Tuner takes them, in the language of manifests.

That language has whole numbers only. A quotient is therefore kept as a numerator and a denominator
that is always positive, until a comparison, a rounding or the grid needs it.
"""

import ast
import dataclasses
import fractions
import math
import warnings

from ..errors import InputError

_ACCEPTED = (
    "accepted are whole and decimal numbers, names of parameters, + - * / // % **, comparisons, in, "
    "and, or, not, if else, min, max, abs, int, ceil and floor"
)
_MOST_POWER = 16
_MOST_DEPTH = 100
MOST_TEXT = 10000
MOST_TRANSLATED = 4096  # as in a manifest
_MOST_BITS = 1024
_MOST_SHOWN = 120
_LIMIT = 2**63

# How tightly a text binds, as docs/manifest.md lists it.
_CHOICE, _OR, _AND, _COMPARE, _SUM, _PRODUCT, _UNARY, _ATOM = range(8)


@dataclasses.dataclass(frozen=True)
class Name:
    """What a name of Python stands for in the manifest."""

    text: str
    least: int | None = None  # the least of its values; None: no number
    places: dict | None = None  # for values that are no integers: value → what the manifest has for it


@dataclasses.dataclass(frozen=True)
class Quotient:
    """A number in the language of manifests: `over` is None where it is whole."""

    text: str
    level: int = _ATOM
    least: int | None = None  # a lower bound; None: not known
    over: "Quotient | None" = None

    def at(self, level):
        return self.text if self.level >= level else f"({self.text})"

    @property
    def whole(self):
        return self.over is None


_ONE = Quotient("1", least=1)


class _Refused(InputError):
    pass


def _joined(*parts):
    """One text. Its length is checked first, because a short text of Python may become a very long one."""
    if sum(map(len, parts)) > MOST_TRANSLATED:
        raise _Refused(f"it becomes longer than {MOST_TRANSLATED} characters")
    return "".join(parts)


def _list(separator, parts):
    return _joined(*(text for part in parts for text in (separator, part)))[len(separator) :]


def source_of(node):
    """For messages."""
    return short(ast.unparse(node))


def _number(value):
    if not -_LIMIT < value < _LIMIT:
        raise _Refused(f"{value} needs more than 64 bits")
    return Quotient(str(value), _ATOM if value >= 0 else _UNARY, value)


def _product(a, b):
    """Of two whole numbers."""
    if "1" in (a.text, b.text):
        return b if a.text == "1" else a
    if a.text.isdigit() and b.text.isdigit():
        return _number(int(a.text) * int(b.text))
    if "0" in (a.text, b.text):
        return _number(0)
    both = a.least is not None and b.least is not None and a.least >= 0 and b.least >= 0
    least = min(a.least * b.least, _LIMIT) if both else None
    return Quotient(_joined(a.at(_PRODUCT), " * ", b.at(_UNARY)), _PRODUCT, least)


def _upper(a):
    return Quotient(a.text, a.level, a.least)


def _under(a):
    return a.over or _ONE


def _over(top, bottom):
    return Quotient(top.text, top.level, top.least, None if bottom.text == "1" else bottom)


def _on_one_denominator(a, b):
    """Both numerators over the product of the denominators, and that."""
    return (
        _product(_upper(a), _under(b)),
        _product(_upper(b), _under(a)),
        _product(_under(a), _under(b)),
    )


def _sum(a, b, sign):
    top_a, top_b, bottom = _on_one_denominator(a, b)
    known = sign == "+" and top_a.least is not None and top_b.least is not None
    text = _joined(top_a.at(_SUM), f" {sign} ", top_b.at(_PRODUCT))
    return _over(Quotient(text, _SUM, top_a.least + top_b.least if known else None), bottom)


def _divided(a, b, what):
    if b.least is None or b.least < 1:
        raise _Refused(f"'{short(what)}' may be zero or negative, so nothing can be divided by it exactly")
    return _over(_product(_upper(a), _under(b)), _product(_under(a), _upper(b)))


def _remainder(a, b):
    top_a, top_b, bottom = _on_one_denominator(a, b)
    known = 0 if top_b.least is not None and top_b.least > 0 else None
    text = _joined(top_a.at(_PRODUCT), " % ", top_b.at(_UNARY))
    return _over(Quotient(text, _PRODUCT, known), bottom)


def floor(a, b=_ONE):
    """The greatest whole number that is at most a / b."""
    top, bottom = _product(_upper(a), _under(b)), _product(_under(a), _upper(b))
    if bottom.text == "1":
        return top
    least = None
    if top.least is not None and top.least >= 0 and (bottom.least or 0) > 0:
        least = top.least // int(bottom.text) if bottom.text.isdigit() else 0
    return Quotient(_joined(top.at(_PRODUCT), " / ", bottom.at(_UNARY)), _PRODUCT, least)


def ceiling(a):
    """The least whole number that is at least a."""
    if a.whole:
        return a
    if a.text == "1" and a.over.least is not None:
        return _ONE
    least = None if a.least is None else min(a.least, 1)
    return Quotient(_joined("ceil_div(", a.text, ", ", a.over.text, ")"), _ATOM, least)


def truncated(a):
    """As int() does where Kernel Tuner evaluates an expression for a size."""
    return floor(a) if a.least is not None and a.least >= 0 else a


def divided_by_all(a, divisors):
    """`divisors`: Quotients with the texts that they come from."""
    for divisor, what in divisors:
        a = _divided(a, divisor, what)
    return a


_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_ROUNDINGS = {"ceil": ceiling, "math.ceil": ceiling, "floor": floor, "math.floor": floor}


class _Translator:
    def __init__(self, names):
        self._names = names
        self._known = {}  # a part that is copied is translated once

    def __call__(self, node):
        if node not in self._known:
            found = getattr(self, "_" + type(node).__name__.lower(), self._refuse)
            self._known[node] = found(node)
        return self._known[node]

    def _refuse(self, node):
        raise _Refused(f"'{source_of(node)}' has no counterpart; {_ACCEPTED}")

    def _expression(self, node):
        return self(node.body)

    def _constant(self, node):
        if isinstance(node.value, (bool, int)):
            return _number(int(node.value))
        if isinstance(node.value, float) and math.isfinite(node.value):
            exact = fractions.Fraction(repr(node.value))  # as it was written, 0.1 is a tenth
            return _over(_number(exact.numerator), _number(exact.denominator))
        raise _Refused(f"{short(repr(node.value))} is no number; labels can only be compared, with == or !=")

    def _name(self, node):
        name = self._named(node)
        if name.places is not None:
            raise _Refused(
                f"the values of '{short(node.id)}' are not all integers, so it can only be compared, "
                "with == or !="
            )
        return Quotient(name.text, least=name.least)

    def _named(self, node):
        if node.id not in self._names:
            known = ", ".join(self._names) or "none"
            raise _Refused(f"'{short(node.id)}' is no parameter; there are: {short(known)}")
        return self._names[node.id]

    def _unaryop(self, node):
        if isinstance(node.op, ast.UAdd):
            return self(node.operand)
        if isinstance(node.op, ast.Not):
            return Quotient(_joined("!", self(node.operand).at(_UNARY)), _UNARY, 0)
        if not isinstance(node.op, ast.USub):
            self._refuse(node)
        if isinstance(node.operand, ast.Constant) and type(node.operand.value) is int:
            return _number(-node.operand.value)
        value = self(node.operand)
        return _over(Quotient(_joined("-", value.at(_UNARY)), _UNARY), _under(value))

    def _binop(self, node):
        if isinstance(node.op, ast.Pow):
            return self._power(node)
        a, b = self(node.left), self(node.right)
        match node.op:
            case ast.Add():
                return _sum(a, b, "+")
            case ast.Sub():
                return _sum(a, b, "-")
            case ast.Mult():
                return _over(_product(_upper(a), _upper(b)), _product(_under(a), _under(b)))
            case ast.Div():
                return _divided(a, b, source_of(node.right))
            case ast.FloorDiv():
                return floor(a, b)
            case ast.Mod():
                return _remainder(a, b)
        self._refuse(node)

    def _power(self, node):
        base, power = self(node.left), self(node.right)
        if not power.whole or not power.text.isdigit() or int(power.text) > _MOST_POWER:
            raise _Refused(
                f"the exponent of '{source_of(node)}' must be a number from 0 to {_MOST_POWER}"
            )
        if base.whole and base.text.isdigit():
            return _number(int(base.text) ** int(power.text))
        result = _ONE
        for _ in range(int(power.text)):
            top, bottom = _product(_upper(result), _upper(base)), _product(_under(result), _under(base))
            result = _over(top, bottom)
        return result

    def _boolop(self, node):
        text, level = (" && ", _AND) if isinstance(node.op, ast.And) else (" || ", _OR)
        return Quotient(_list(text, (self(value).at(level + 1) for value in node.values)), level, 0)

    def _ifexp(self, node):
        condition, then, other = self(node.test), self(node.body), self(node.orelse)
        top_a, top_b, bottom = _on_one_denominator(then, other)
        known = top_a.least is not None and top_b.least is not None
        least = min(top_a.least, top_b.least) if known else None
        text = _joined(condition.at(_OR), " ? ", top_a.at(_OR), " : ", top_b.at(_OR))
        return _over(Quotient(text, _CHOICE, least), bottom)

    def _compare(self, node):
        sides = [node.left, *node.comparators]
        parts = [self._pair(*pair) for pair in zip(sides, node.ops, sides[1:])]
        if len(parts) == 1:
            return parts[0]
        return Quotient(_list(" && ", (part.at(_COMPARE) for part in parts)), _AND, 0)

    def _pair(self, left, op, right):
        if isinstance(op, (ast.In, ast.NotIn)):
            return self._member(left, op, right)
        text = _COMPARISONS.get(type(op))
        if text is None:
            raise _Refused(f"'is' has no counterpart; {_ACCEPTED}")
        for name, value in ((left, right), (right, left)):
            if self._has_places(name):
                return self._equal(name, text, value)
        top_a, top_b, _ = _on_one_denominator(self(left), self(right))
        return Quotient(_joined(top_a.at(_SUM), f" {text} ", top_b.at(_SUM)), _COMPARE, 0)

    def _has_places(self, node):
        return isinstance(node, ast.Name) and self._named(node).places is not None

    def _equal(self, name, text, value):
        """A parameter whose values the manifest numbers, compared with one of them."""
        if text not in ("==", "!=") or not isinstance(value, ast.Constant):
            self._name(name)  # says so
        places = self._named(name).places
        if value.value not in places:
            listed = short(", ".join(map(repr, places)))
            raise _Refused(
                f"{short(repr(value.value))} is no value of '{short(name.id)}'; its values are {listed}"
            )
        return Quotient(_joined(self._named(name).text, f" {text} {places[value.value]}"), _COMPARE, 0)

    def _member(self, left, op, right):
        if not isinstance(right, (ast.List, ast.Tuple, ast.Set)) or not right.elts:
            raise _Refused(f"'{source_of(right)}' must be a list with the values")
        text = _list(" || ", (self._pair(left, ast.Eq(), value).at(_COMPARE) for value in right.elts))
        level = _OR if len(right.elts) > 1 else _COMPARE
        found = Quotient(text, level, 0)
        return found if isinstance(op, ast.In) else Quotient(_joined("!(", text, ")"), _UNARY, 0)

    def _call(self, node):
        name = ast.unparse(node.func)
        given = [self(argument) for argument in node.args]
        if not given or node.keywords:
            self._refuse(node)
        if name in ("min", "max") and all(value.whole for value in given):
            return self._extreme(name, given)
        if len(given) == 1:
            value = given[0]
            if name in _ROUNDINGS:
                return _ROUNDINGS[name](value)
            if name == "int" and (value.whole or (value.least or 0) >= 0 and value.least is not None):
                return floor(value)
            if name == "abs":
                return _over(Quotient(_joined("abs(", value.text, ")"), least=0), _under(value))
        self._refuse(node)

    def _extreme(self, name, given):
        least = [value.least for value in given]
        if name == "max":
            known = max((bound for bound in least if bound is not None), default=None)
        else:
            known = None if None in least else min(least)
        return Quotient(_joined(name, "(", _list(", ", (value.text for value in given)), ")"), least=known)


def translated(text, names):
    """The Quotient of an expression of Python. `names`: name of Python → Name."""
    tree = parsed(text)
    try:
        return _Translator(names)(tree)
    except _Refused as refused:
        raise InputError(f"'{short(text)}': {refused}") from None


def short(text):
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"


def parsed(text):
    if len(text) > MOST_TEXT:
        raise InputError(f"'{short(text)}' is longer than {MOST_TEXT} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
    except (RecursionError, MemoryError):
        tree = None
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise InputError(f"'{short(text)}' is no expression of Python: {reason}") from None
    if tree is None or _depth(tree) > _MOST_DEPTH:
        raise InputError(f"'{short(text)}' is nested more than {_MOST_DEPTH} deep")
    for node in ast.walk(tree):
        value = getattr(node, "value", None)
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:  # cannot even be printed
            raise InputError(f"'{short(text)}': a number needs more than {_MOST_BITS} bits")
    return tree


def _depth(tree):
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    return depth
