"""A kernel as Kernel Tuner's functions describe it, in the terms of manifests."""

import dataclasses
import json
import os
import pathlib
import re

from .._numbers import whole_number
from ..errors import InputError
from .evaluated import Restriction, TreeRestriction, first_legal
from .expression import Quotient, ceiling, divided_by_all, translated, truncated
from .functions import Tabulated, first_value, split
from .operands import constants_of, is_name, operands_of, prefixed
from .parameters import name_of, parameters_of

BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
_BLOCK_DEFAULTS = (256, 1, 1)
AXES = "xyz"
_LANGUAGES = ("CUDA", "CUPY", "NVCUDA")


@dataclasses.dataclass
class Constraint:
    require: str  # in the language of manifests
    why: str
    rule: object  # a Restriction or a TreeRestriction


@dataclasses.dataclass
class Described:
    name: str  # of the operation
    entry: str
    source: str
    include: list
    parameters: dict  # the caller's name: Parameter
    operands: list
    constants: dict  # symbol: name of an operand
    sizes: list  # (dimension, number)
    restrictions: list
    grid: list
    block: list
    shared_bytes: str
    options: list
    compiler: str | None

    def choose_defaults(self):
        """Those that are given already come first. Raises InputError if no configuration is legal."""
        preferred = {
            name: sorted(parameter.values, key=lambda value: value != parameter.default)
            for name, parameter in self.parameters.items()
        }
        legal = first_legal(preferred, [restriction.rule for restriction in self.restrictions])
        for name, parameter in self.parameters.items():
            parameter.default = legal[name]

    def configuration(self, values):
        """The caller's values in the manifest's names and numbers."""
        return {
            parameter.name: parameter.told[parameter.values.index(values[name])]
            for name, parameter in self.parameters.items()
        }

    def values(self, configuration):
        """The caller's values of a configuration of the manifest."""
        return {
            name: parameter.values[parameter.told.index(configuration[parameter.name])]
            for name, parameter in self.parameters.items()
        }

    @property
    def buffers(self):
        return [operand for operand in self.operands if operand.literal is None]


def described(name, source, problem_size, arguments, tune_params, options):
    """`options`: the other arguments of tune_kernel by their names."""
    if options["lang"] and str(options["lang"]).upper() not in _LANGUAGES:
        raise InputError(f"lang '{options['lang']}': kernels are in CUDA; leave lang out")
    if not isinstance(name, str) or not name:
        raise InputError("kernel_name: give the name of a kernel")
    parameters = parameters_of(tune_params)
    text, shown, include = _source(source, parameters)
    names = {key: name_of(parameter) for key, parameter in parameters.items()}
    sizes, extents = prefixed("problem_size", _extents, problem_size, names, parameters)
    block_names = _block_names(options["block_size_names"])
    block = [_threads(key, names, usual) for key, usual in zip(block_names, _BLOCK_DEFAULTS)]
    divisors = [
        _divisors(f"grid_div_{axis}", options[f"grid_div_{axis}"], block_name, names, parameters)
        for axis, block_name in zip(AXES, block_names)
    ]
    operands = operands_of(name, shown, arguments, {*names, *dict(sizes)})
    constants = constants_of(options["cmem_args"], operands)
    found = Described(
        name=re.sub(r"\W+", "_", name).strip("_") or "kernel",
        entry=name,
        source="",
        include=include,
        parameters=parameters,
        operands=operands,
        constants=constants,
        sizes=sizes,
        restrictions=_restrictions(options["restrictions"], names, parameters),
        grid=[ceiling(divided_by_all(*pair)) for pair in zip(extents, divisors)],
        block=block,
        shared_bytes=_shared_bytes(options["smem_args"], names, parameters),
        options=_compiler_options(options["compiler_options"]),
        compiler=_compiler(options["compiler"]),
    )
    prefixed("restrictions", found.choose_defaults)
    found.source = _prologue(found, text, block_names, options["defines"]) + text
    return found


def _source(source, parameters):
    """The text, one that shows the kernel's signature, and the folders of its includes."""
    if isinstance(source, (list, tuple)) and source:
        source = source[0]
    if callable(source):
        return _generated(source, parameters)
    text, include = _text_of(source)
    text = _unrolled(text, parameters)
    return text, text, include


def _generated(generator, parameters):
    """The texts that a function returns, with conditions that choose one for each configuration."""

    def text_of(returned):
        if not isinstance(returned, str):
            raise InputError(f"the function returns {returned!r}; a text is needed")
        return _unrolled(f"#line 1\n{returned}", parameters)

    texts = prefixed("kernel_source", Tabulated, generator, parameters, text_of)
    return texts.conditions(), first_value(texts.tree), [os.getcwd()]


def _text_of(source):
    """The text, and the folders of its includes."""
    if isinstance(source, os.PathLike) or isinstance(source, str) and _is_file_name(source):
        file = pathlib.Path(source)
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"kernel_source: {file}: {error}") from None
        return f"#line 1 {json.dumps(file.name)}\n{text}", [str(file.resolve().parent)]
    if not isinstance(source, str):
        raise InputError(
            f"kernel_source: give a file or its text; a {type(source).__name__} was given"
        )
    return f"#line 1\n{source}", [os.getcwd()] if '#include "' in source else []


_UNROLLED = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+unroll[ \t]+(loop_unroll_factor\w*)", re.MULTILINE)


def _unrolled(text, tune_params):
    """Kernel Tuner leaves a pragma out whose factor is 0 or no parameter."""

    def unrolled(found):
        return f"#if {found[1]}\n{found[0]}\n#endif" if found[1] in tune_params else ""

    return _UNROLLED.sub(unrolled, text)


def _is_file_name(text):
    """As Kernel Tuner tells them apart: code has signs that file names rarely have."""
    return len(text) < 250 and ".c" in text and not any(c in text for c in "\n;{}()")


def _integer(returned):
    """What a function returns where an integer is needed."""
    number = whole_number(returned)
    if number is None and isinstance(returned, float) and returned.is_integer():
        number = int(returned)
    if number is None:
        raise InputError(f"the function returns {returned!r}; an integer is needed")
    return number


def _returned_extents(function, parameters):
    def extent(axis):
        def read(returned):
            sizes = (returned,) if whole_number(returned) is not None else returned
            if not isinstance(sizes, (list, tuple)) or not 1 <= len(sizes) <= 3:
                raise InputError(f"the function returns {returned!r}; 1 to 3 integers are needed")
            return _integer([*sizes, 1, 1][axis])

        return Tabulated(function, parameters, read).quotient()

    return [], [extent(axis) for axis in range(3)]


def _extents(problem_size, names, parameters):
    """The dimensions of the problem, and the extent along each axis as a Quotient."""
    if callable(problem_size):
        return _returned_extents(problem_size, parameters)
    if isinstance(problem_size, str) or whole_number(problem_size) is not None:
        problem_size = (problem_size,)
    if not isinstance(problem_size, (list, tuple)):
        raise InputError(f"{problem_size!r} must be an integer, an expression, or 1 to 3 of them")
    if not 1 <= len(problem_size) <= 3:
        raise InputError(f"{len(problem_size)} sizes were given; give 1 to 3")
    sizes, extents = [], []
    for axis, size in zip(AXES, problem_size):
        if isinstance(size, str):
            extents.append(truncated(translated(size, names)))
            continue
        number = whole_number(size)
        if number is None or not 1 <= number < 2**31:
            raise InputError(f"{size!r} must be an integer from 1 to 2147483647, or an expression")
        sizes.append((f"problem_size_{axis}", number))
        extents.append(Quotient(f"problem_size_{axis}", least=number))
    return sizes, extents + [Quotient("1", least=1)] * (3 - len(extents))


def _block_names(given):
    if not given:
        return list(BLOCK_NAMES)
    given = list(given)
    if len(given) > 3 or not all(isinstance(name, str) for name in given):
        raise InputError("block_size_names: give 1 to 3 names")
    return given + list(BLOCK_NAMES[len(given) :])


def _threads(name, names, usual):
    if name not in names:
        return str(usual)
    if names[name].places is not None:
        raise InputError(f"tune_params: '{name}' is a number of threads, so its values are integers")
    return names[name].text


def _divisors(name, given, block_name, names, parameters):
    if given is None:
        given = [block_name] if block_name in names else []
    if isinstance(given, str) or callable(given) or whole_number(given) is not None:
        given = [given]

    def divisor(one):
        if callable(one):
            return Tabulated(one, parameters, _integer).quotient(), "the function"
        return truncated(translated(str(one), names)), one

    def work():
        return [divisor(one) for one in given]

    return prefixed(name, work)


def _restrictions(given, names, parameters):
    if given is None:
        return []

    def constraints(number, one):
        if isinstance(one, str):
            yield Constraint(translated(one, names).text, f"restriction: {one}", Restriction(one))
            return
        if not callable(one):
            raise InputError(f"{one!r} must be an expression as a str, or a function")
        table = Tabulated(one, parameters, lambda returned: int(bool(returned)))
        why = f"restriction: function {number}, {getattr(one, '__name__', type(one).__name__)}"
        parts = split(table.tree, table.names)
        for part in parts:
            rule = TreeRestriction(part, parameters)
            read = ", ".join(name for name in table.names if name in rule.names)
            told = f"{why}, of {read}" if len(parts) > 1 else why
            yield Constraint(table.quotient(part).text, told, rule)

    def work():
        listed = [given] if isinstance(given, str) or callable(given) else list(given)
        return [found for i, one in enumerate(dict.fromkeys(listed), 1) for found in constraints(i, one)]

    return prefixed("restrictions", work)


def _shared_bytes(given, names, parameters):
    if not given:
        return "0"

    def work():
        unknown = set(given) - {"size"}
        if unknown:
            raise InputError(f"'{unknown.pop()}' is not known; give 'size'")
        size = given.get("size", 0)
        if callable(size):
            return Tabulated(size, parameters, _integer).quotient().text
        number = whole_number(size)
        return ceiling(translated(size, names)).text if number is None else str(number)

    return prefixed("smem_args", work)


def _compiler_options(given):
    """The options, for a manifest elsewhere: with folders from the working folder on."""
    options = [option for option in given or [] if option != ""]
    for i, option in enumerate(options):
        if not isinstance(option, str):
            raise InputError(f"compiler_options: {option!r} must be a str")
        if re.match(r"--?(gpu-)?(arch(itecture)?|code)\b|-gencode|--generate-code", option):
            raise InputError(
                f"compiler_options: leave '{option}' out, because the code is compiled for the device"
            )
        found = re.fullmatch(r"(-I=?|--include-path=|-isystem=|--system-include=)(.+)", option)
        if found:
            options[i] = found[1] + os.path.abspath(found[2])
        elif i > 0 and options[i - 1] in ("-I", "--include-path", "-isystem", "--system-include"):
            options[i] = os.path.abspath(option)
    return options


def _compiler(given):
    if given not in (None, "nvcc"):
        raise InputError(f"compiler: give 'nvcc', or leave it out for NVRTC, not {given!r}")
    return given


def _prologue(described, text, block_names, defines):
    """Macros that Kernel Tuner defines and a sweep of the manifest does not."""
    lines = ["#define kernel_tuner 1"]
    for name, usual in zip(block_names, _BLOCK_DEFAULTS):
        if name not in described.parameters:
            lines.append(f"#define {name} {usual}")
    for name, parameter in described.parameters.items():
        if not parameter.labels:
            continue
        for number, value in zip(parameter.numbers, parameter.values):
            lines.append(f"#{'el' if number else ''}if {name} == {number}\n#undef {name}")
            lines.append(f"#define {parameter.macro} {number}")
            lines.append(f"#define {name} {value if isinstance(value, str) else repr(value)}")
        lines.append("#endif")
    if "grid_size_" in text:
        lines += _grid_macros(described)
    for name, value in (defines or {}).items():
        if callable(value) or "\n" in str(value) or not is_name(str(name)):
            raise InputError(f"defines: '{name}' must be a name with one line of text")
        lines.append(f"#define {name} {value}")
    return "\n".join(lines) + "\n"


def _grid_macros(described):
    lines = ["#define tilewright_ceil_div(a, b) (((a) + (b) - 1) / (b))"]
    sizes = dict(described.sizes)
    for axis, extent in zip(AXES, described.grid):
        text = extent.text.replace("ceil_div(", "tilewright_ceil_div(")
        text = re.sub(r"\bproblem_size_[xyz]\b", lambda found: str(sizes[found[0]]), text)
        for one in described.parameters.values():
            for number, label in enumerate(one.labels or ()):
                text = re.sub(rf"\b{one.name} ([=!]=) '{label}'", rf"{one.macro} \1 {number}", text)
        lines.append(f"#define grid_size_{axis} ({text})")
    return lines
