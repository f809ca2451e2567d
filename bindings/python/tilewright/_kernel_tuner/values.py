"""Integers, and lists of them, that problem files give as expressions of Python. Nothing of them is run as Python."""

import ast
import operator

from ..errors import InputError
from .expression import parsed, short, source_of

MOST_ELEMENTS = 4096  # as in an array of a manifest
_MOST_STEPS = 300_000
_MOST_POWER = 64
_LIMIT = 2**63
_COMPARED = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_COMPUTED = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_UNARY = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: lambda value: int(not value)}
_OF_NUMBERS = {"min": min, "max": max}  # or of one list
_OF_A_LIST = {"list": list, "len": len, "sum": sum}


class _NoValue(Exception):
    pass


def value_of(text, names=None):
    """The int or the list of ints. `names`: name → such a value. Raises InputError that names the text."""
    tree = parsed(text)
    try:
        return _Evaluation(dict(names or {}))(tree.body)
    except _NoValue as error:
        raise InputError(f"'{short(text)}': {error}") from None


def integer_of(text, names=None):
    value = value_of(text, names)
    if isinstance(value, list):
        raise InputError(f"'{short(text)}': it is a list; an integer is needed")
    return value


def list_of(text):
    value = value_of(text)
    if not isinstance(value, list):
        raise InputError(f"'{short(text)}' is no list")
    return value


def _limited(value):
    if isinstance(value, list):
        if len(value) > MOST_ELEMENTS:
            raise _NoValue(f"a list has more than {MOST_ELEMENTS} elements")
    elif not -_LIMIT <= value < _LIMIT:
        raise _NoValue("it needs more than 64 bits")
    return value


class _Evaluation:
    def __init__(self, names):
        self._names = names
        self._steps = 0

    def __call__(self, node):
        value = _limited(self._value(node))
        self._steps += 1 + (len(value) // 32 if isinstance(value, list) else 0)
        if self._steps > _MOST_STEPS:
            raise _NoValue("it takes too many steps")
        return value

    def _value(self, node):
        match node:
            case ast.Constant(value=int(value)):
                return int(value)
            case ast.Constant(value=float(value)) if value.is_integer():
                return int(value)
            case ast.Constant(value=float(value)):
                raise _NoValue(f"{value!r} is no integer")
            case ast.Name(id=name) if name in self._names:
                return self._names[name]
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self._integer(operand))
            case ast.BinOp():
                return self._binary(node)
            case ast.BoolOp(op=op, values=values):
                holds = map(self._integer, values)
                return int(all(holds) if isinstance(op, ast.And) else any(holds))
            case ast.Compare():
                return int(self._holds(node))
            case ast.IfExp(test=test, body=body, orelse=other):
                return self(body if self._integer(test) else other)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return [self._integer(part) for part in parts]
            case ast.ListComp(elt=element, generators=[ast.comprehension(target=ast.Name(id=name)) as each]):
                return self._comprehension(element, name, each)
            case ast.Subscript(value=listed, slice=index):
                return self._element(node, self._list(listed), self._integer(index))
            case ast.Call(func=ast.Name(id=name), args=given, keywords=[]):
                return self._call(node, name, given)
        raise self._not_known(node)

    @staticmethod
    def _not_known(node):
        return _NoValue(f"'{source_of(node)}' is not known here")

    def _integer(self, node):
        value = self(node)
        if isinstance(value, list):
            raise _NoValue(f"'{source_of(node)}' is a list")
        return value

    def _list(self, node):
        value = self(node)
        if not isinstance(value, list):
            raise _NoValue(f"'{source_of(node)}' is no list")
        return value

    def _binary(self, node):
        a, b, kind = self(node.left), self(node.right), type(node.op)
        if isinstance(a, list) and isinstance(b, list) and kind is ast.Add:
            return a + b
        if isinstance(a, list) or isinstance(b, list) or kind not in (*_COMPUTED, ast.Div):
            raise self._not_known(node)
        if kind is ast.Div:
            raise _NoValue("'/' gives no integer")
        if kind is ast.Pow and b < 0:
            raise _NoValue("an exponent is negative")
        if kind is ast.Pow and b > _MOST_POWER:
            raise _NoValue("it needs more than 64 bits")
        if kind in (ast.FloorDiv, ast.Mod) and b == 0:
            raise _NoValue("it divides by zero")
        return _COMPUTED[kind](a, b)

    def _holds(self, node):
        sides = [node.left, *node.comparators]
        for left, op, right in zip(sides, node.ops, sides[1:]):
            if type(op) not in _COMPARED:
                raise self._not_known(node)
            if not _COMPARED[type(op)](self._integer(left), self._integer(right)):
                return False
        return True

    def _comprehension(self, element, name, each):
        before, found = dict(self._names), []
        for self._names[name] in self._list(each.iter):
            if all(self._integer(condition) for condition in each.ifs):
                found.append(self._integer(element))
        self._names = before
        return found

    def _element(self, node, listed, index):
        if not -len(listed) <= index < len(listed):
            raise _NoValue(f"'{source_of(node)}' is beyond the list")
        return listed[index]

    def _call(self, node, name, given):
        if name == "range" and 1 <= len(given) <= 3:
            numbers = [self._integer(one) for one in given]
            if len(numbers) == 3 and numbers[2] == 0:
                raise _NoValue("the step of a range is zero")
            return list(range(*numbers)[: MOST_ELEMENTS + 1])
        if name == "int" and len(given) == 1:
            return self._integer(given[0])
        if name in _OF_A_LIST and len(given) == 1:
            return _OF_A_LIST[name](self._list(given[0]))
        if name in _OF_NUMBERS and given:
            numbers = self._list(given[0]) if len(given) == 1 else [self._integer(one) for one in given]
            if numbers:
                return _OF_NUMBERS[name](numbers)
        raise self._not_known(node)
