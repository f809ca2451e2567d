"""Arrays that T1 problems fill by an expression of the index, as kernels that compute it."""

import ast
import sys

from ..errors import InputError
from .expression import parsed, source_of

# Words for usual expressions.
_WORDS = {"zeros": "0", "ones": "1", "sequence": "i", "range": "i"}
_TYPES = {"float32": "float", "float64": "double"}
_TYPES |= {f"int{bits}": f"{name}" for bits, name in ((8, "signed char"), (16, "short"), (32, "int"), (64, "long long"))}
_TYPES |= {f"u{kind}": f"unsigned {name.split()[-1]}" for kind, name in list(_TYPES.items()) if kind.startswith("int")}
_FUNCTIONS = {name: (name, 1) for name in "sin cos tan exp log sqrt floor ceil fabs".split()}
_FUNCTIONS |= {"pow": ("pow", 2), "abs": ("fabs", 1), "min": ("fmin", 2), "max": ("fmax", 2)}
_OPERATORS = {ast.Add: "({} + {})", ast.Sub: "({} - {})", ast.Mult: "({} * {})", ast.Div: "({} / {})"}
_OPERATORS |= {ast.FloorDiv: "floor({} / {})", ast.Pow: "pow({}, {})"}
_OPERATORS |= {ast.Mod: "floored_mod({}, {})"}
FLOORED_MOD = (
    "__device__ double floored_mod(double a, double b) { return a - b * floor(a / b); }\n"
)


def _code(node):
    match node:
        case ast.Expression(body=body):
            return _code(body)
        case ast.Constant(value=int() | float() as value) if abs(value) <= sys.float_info.max:
            return repr(float(value))
        case ast.Name(id="i"):
            return "i"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(-{_code(operand)})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)].format(_code(left), _code(right))
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if (
            name in _FUNCTIONS and len(given) == _FUNCTIONS[name][1]
        ):
            return f"{_FUNCTIONS[name][0]}({', '.join(map(_code, given))})"
    raise InputError(
        f"'{source_of(node)}' is not known here; accepted are numbers, the index i, + - * / // % **, "
        f"{', '.join([*_FUNCTIONS][:-1])} and max, or one of the words {', '.join(_WORDS)}"
    )


def filling_kernel(entry, type_, text):
    """The source of a kernel entry(array, count). `type_`: of the manifest."""
    if type_ not in _TYPES:
        raise InputError(f"an array of {type_} cannot be filled by a Generator; use Random or BinaryRaw")
    value = _code(parsed(_WORDS.get(text.strip(), text)))
    return (
        f"__global__ void {entry}({_TYPES[type_]} *array, int count) {{\n"
        "  const int at = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  const double i = at;\n"
        f"  if (at < count) array[at] = {value};\n}}\n"
    )
