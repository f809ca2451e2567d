"""The text of a manifest."""

import json
import math

from .first_legal import first_legal

# numpy.allclose(reference, output, rtol, atol), which judges where Kernel Tuner is not given verify.
_RELATIVE = 1e-5


def _text(value):
    return json.dumps(value, ensure_ascii=False)  # TOML's strings and arrays are written like JSON's


def _table(name, pairs):
    return [f"[{name}]"] + [f"{key} = {value}" for key, value in pairs if value is not None] + [""]


def manifest_of(described, source, judged):
    """The text of the manifest. `judged`: name of an operand → absolute tolerance; None: outputs are
    not compared, and every array that is not const may change."""
    lines = ["schema = 1", ""]
    lines += _table("operation", [("name", _text(described.name))])
    for name, size in described.sizes:
        pairs = [("name", _text(name)), ("default", size), ("minimum", size), ("maximum", size)]
        lines += _table("[operation.dimension]", pairs)
    for operand in described.buffers:
        changes = not operand.read_only if judged is None else operand.name in judged
        pairs = [("name", _text(operand.name)), ("type", _text(operand.type))]
        pairs += [("role", _text("inout" if changes else "input")), ("count", operand.count)]
        lines += _table("[operation.argument]", pairs)
    lines += _comparison(judged)
    lines += _implementation(described, source)
    return "\n".join(lines)


def _comparison(judged):
    if judged is None:
        return _table("operation.compare", [("mismatches", "1.0")])
    absolute = max(judged.values(), default=0.0)
    pairs = [
        ("absolute", repr(absolute)),
        ("relative", repr(_RELATIVE)),
        ("tolerance", math.floor(absolute) if absolute >= 1 else None),
    ]
    return _table("operation.compare", pairs)


def _implementation(described, source):
    constants = ", ".join(
        f"{{ symbol = {_text(symbol)}, from = {_text(name)} }}"
        for symbol, name in described.constants.items()
    )
    lines = _table(
        "[implementation]",
        [
            ("name", _text("kernel")),
            ("source", _text(source)),
            ("include", _text(described.include) if described.include else None),
            ("compiler", _text(described.compiler) if described.compiler else None),
            ("options", _text(described.options) if described.options else None),
            ("constant", f"[{constants}]" if constants else None),
        ],
    )
    default = first_legal(
        {name: parameter.values for name, parameter in described.parameters.items()},
        [restriction.rule for restriction in described.restrictions],
    )
    for name, parameter in described.parameters.items():
        pairs = [("name", _text(parameter.name)), ("values", _text(parameter.numbers))]
        pairs.append(("default", parameter.numbers[parameter.values.index(default[name])]))
        lines += _table("[implementation.parameter]", pairs)
    for restriction in described.restrictions:
        pairs = [("require", _text(restriction.require))]
        pairs.append(("why", _text(f"restriction: {restriction.why}")))
        lines += _table("[implementation.constraint]", pairs)
    launched = [operand for operand in described.operands if operand.launched]
    return lines + _table(
        "[implementation.launch]",
        [
            ("entry", _text(described.entry)),
            ("grid", _text([extent.text for extent in described.grid])),
            ("block", _text(described.block)),
            ("shared_bytes", _text(described.shared_bytes)),
            ("arguments", f"[{', '.join(map(_launch_argument, launched))}]"),
        ],
    )


def _launch_argument(operand):
    if operand.literal is None:
        return _text(operand.name)
    return f"{{ value = {operand.literal}, type = {_text(operand.type)} }}"
