"""The text of a manifest."""

import json
import math

# numpy.allclose(reference, output, rtol, atol), which judges where Kernel Tuner is not given verify.
_RELATIVE = 1e-5


def toml(value):
    return json.dumps(value, ensure_ascii=False)  # TOML's strings and arrays are written like JSON's


def _table(name, pairs):
    return [f"[{name}]"] + [f"{key} = {value}" for key, value in pairs if value is not None] + [""]


def manifest_of(described, source, judged):
    """The text of the manifest. `judged`: name of an operand → absolute tolerance; None: outputs are
    not compared. Every array that is not const may change."""
    roles = {one.name: "input" if one.read_only else "inout" for one in described.buffers}
    changed = [name for name, role in roles.items() if role == "inout"]
    return manifest_text(described, source, roles, comparison=_comparison(judged, changed))


def manifest_text(described, source, roles, fills=None, comparison=()):
    """`roles`, `fills`: by the name of an operand; `comparison`: lines."""
    lines = ["schema = 1", ""]
    lines += _table("operation", [("name", toml(described.name))])
    for name, size in described.sizes:
        pairs = [("name", toml(name)), ("default", size), ("minimum", size), ("maximum", size)]
        lines += _table("[operation.dimension]", pairs)
    for operand in described.buffers:
        pairs = [("name", toml(operand.name)), ("type", toml(operand.type))]
        pairs += [("role", toml(roles[operand.name])), ("count", operand.count)]
        pairs += [("fill", (fills or {}).get(operand.name))]
        lines += _table("[operation.argument]", pairs)
    return "\n".join([*lines, *comparison, *_implementation(described, source)])


def _comparison(judged, changed):
    if judged is None:
        return _table("operation.compare", [("mismatches", "1.0")])
    absolute = max(judged.values(), default=0.0)
    ignored = [name for name in changed if name not in judged]
    pairs = [
        ("absolute", repr(absolute)),
        ("relative", repr(_RELATIVE)),
        ("tolerance", math.floor(absolute) if absolute >= 1 else None),
        ("ignored", toml(ignored) if ignored else None),
    ]
    return _table("operation.compare", pairs)


def _implementation(described, source):
    constants = ", ".join(
        f"{{ symbol = {toml(symbol)}, from = {toml(name)} }}"
        for symbol, name in described.constants.items()
    )
    lines = _table(
        "[implementation]",
        [
            ("name", toml("kernel")),
            ("source", toml(source)),
            ("include", toml(described.include) if described.include else None),
            ("compiler", toml(described.compiler) if described.compiler else None),
            ("options", toml(described.options) if described.options else None),
            ("constant", f"[{constants}]" if constants else None),
        ],
    )
    for parameter in described.parameters.values():
        pairs = [("name", toml(parameter.name)), ("values", toml(parameter.told))]
        pairs.append(("default", toml(parameter.told[parameter.values.index(parameter.default)])))
        lines += _table("[implementation.parameter]", pairs)
    for restriction in described.restrictions:
        pairs = [("require", toml(restriction.require))]
        pairs.append(("why", toml(restriction.why)))
        lines += _table("[implementation.constraint]", pairs)
    launched = [operand for operand in described.operands if operand.launched]
    shared = described.shared_bytes
    return lines + _table(
        "[implementation.launch]",
        [
            ("entry", toml(described.entry)),
            ("grid", toml([extent.text for extent in described.grid])),
            ("block", toml(described.block)),
            ("shared_bytes", None if shared == "0" else shared if shared.isdigit() else toml(shared)),
            ("arguments", f"[{', '.join(map(_launch_argument, launched))}]"),
        ],
    )


def _launch_argument(operand):
    if operand.literal is None:
        return toml(operand.name)
    return f"{{ value = {operand.literal}, type = {toml(operand.type)} }}"
