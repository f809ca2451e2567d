"""Problems of the exchange format T1 (github.com/odgaard/TuningSchema), which Kernel Tuner, KTT and BAT read."""

import contextlib
import dataclasses
import math
import os
import pathlib
import re

from ..errors import InputError
from .described import AXES, BLOCK_NAMES, Constraint, Described
from .evaluated import Restriction
from .expression import MOST_TEXT, Name, Quotient, ceiling, divided_by_all, short, translated, truncated
from .generator import FLOORED_MOD, filling_kernel
from .manifest import manifest_text, toml
from .operands import Operand, is_name, prefixed
from .parameters import Parameter
from .values import MOST_ELEMENTS, integer_of, list_of

_WHOLE = {"bool": "uint8"} | {f"{kind}{bits}": f"{kind}{bits}" for bits in (8, 16, 32, 64) for kind in ("int", "uint")}
_REAL = {"half": "float16", "float": "float32", "double": "float64"}
_ROLES = {"ReadOnly": "input", "WriteOnly": "output", "ReadWrite": "inout"}
_MOST = 2**31 - 1


class Place:
    """A value of a JSON document and where it is: "KernelSpecification.Arguments[2].Type"."""

    def __init__(self, value, path=""):
        self._value, self._path = value, path

    def fail(self, sentence):
        raise InputError(f"{self._path}: {sentence}" if self._path else sentence)

    def find(self, key):
        """`null` counts as absent."""
        if not isinstance(self._value, dict):
            self.fail("it must be an object")
        found = self._value.get(key)
        return None if found is None else Place(found, f"{self._path}.{key}" if self._path else key)

    def __getitem__(self, key):
        return self.find(key) or self.fail(f"the key '{key}' is missing")

    @property
    def is_array(self):
        return isinstance(self._value, list)

    def elements(self):
        if not self.is_array:
            self.fail("it must be an array")
        if len(self._value) > MOST_ELEMENTS:
            self.fail(f"it has more than {MOST_ELEMENTS} elements")
        return [Place(value, f"{self._path}[{i}]") for i, value in enumerate(self._value)]

    def listed(self, key):
        """The elements of an array that may be absent. Empty texts count as absent, too."""
        found = self.find(key)
        return [one for one in found.elements() if one._value != ""] if found else []

    def text(self):
        if not isinstance(self._value, str):
            self.fail("it must be a string")
        if not self._value:
            self.fail("it must not be empty")
        if len(self._value) > MOST_TEXT:
            self.fail(f"it is longer than {MOST_TEXT} characters")
        if not self._value.isprintable():
            self.fail("it must be one line of text")
        return self._value

    def one_of(self, *accepted):
        if self.text() not in accepted:
            self.fail(f"'{short(self._value)}': give {', '.join(accepted[:-1])} or {accepted[-1]}")
        return self._value

    def name(self):
        if not is_name(self.text()):
            self.fail(
                f"'{short(self._value)}' must be a name as in C: at most 256 letters, digits and _"
            )
        return self._value

    def integer(self):
        if isinstance(self._value, float) and self._value.is_integer():
            self._value = int(self._value)
        if type(self._value) is not int or not -(2**63) <= self._value < 2**63:
            self.fail("it must be an integer of 64 bits")
        return self._value

    def number(self):
        """As a manifest writes it."""
        value = self._value
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, float) and math.isfinite(value):
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        return str(self.integer()) if isinstance(value, int) else self.fail("it must be a number")

    def expression(self):
        return str(self.integer()) if type(self._value) in (int, float) else self.text()

    def read(self, work, *arguments):
        """The result of work, whose InputErrors then begin with the place."""
        return prefixed(self._path, work, *arguments)


@dataclasses.dataclass
class Problem:
    kernel: Described
    source: pathlib.Path
    roles: dict
    fills: dict
    files: dict  # argument: the file that fills it
    generated: dict  # argument: the source of the kernel fill_… that fills it
    answers: dict  # output: the source of the kernel answer_… that writes what is right
    notes: list  # sentences about what the manifest does not have

    @property
    def generators(self):
        """The name and the text of the source that is beside the manifest; no text: none is needed."""
        text = "\n".join([*self.generated.values(), *self.answers.values()])
        return f"{self.kernel.name}_generators.cu", (FLOORED_MOD if "floored_mod(" in text else "") + text

    def manifest(self, folder):
        """The text of a manifest that will be in `folder`; files are named relative to it."""
        fills = self.fills | {
            name: f'{{ kind = "file", path = {toml(os.path.relpath(file, folder))} }}'
            for name, file in self.files.items()
        }
        fills |= {
            name: f'{{ kind = "kernel", source = {toml(self.generators[0])}, entry = "fill_{name}", '
            f"arguments = {self._operands(name)} }}"
            for name in self.generated
        }
        reference = ["[operation.reference]", f"source = {toml(self.generators[0])}", ""] if self.answers else []
        for name in self.answers:
            reference += ["[[operation.reference.launch]]", f'entry = "answer_{name}"']
            reference += [f'grid = ["ceil_div({self._count(name)}, 256)"]', "block = [256]"]
            reference += [f"arguments = {self._operands(name)}", ""]
        source = os.path.relpath(self.source, folder)
        return manifest_text(self.kernel, source, self.roles, fills, reference)

    def _count(self, name):
        return next(operand.count for operand in self.kernel.operands if operand.name == name)

    def _operands(self, name):
        return f'["{name}", {{ value = {self._count(name)}, type = "int32" }}]'


def read_t1(json, folder):
    """Reads a problem that is in `folder`. Raises InputError that names the place and what is accepted."""
    if not isinstance(json, dict) or not {"ConfigurationSpace", "KernelSpecification"} <= json.keys():
        raise InputError(
            "this is no tuning problem of the format T1: it has ConfigurationSpace and KernelSpecification"
        )
    return _Reader(Place(json), pathlib.Path(folder)).problem()


def _parameter(place):
    kind = place["Type"].text()
    if kind not in ("int", "uint", "bool"):
        place["Type"].fail(f"'{short(kind)}': values of a parameter must be of type int, uint or bool")
    given = place["Values"]
    values = [one.integer() for one in given.elements()] if given.is_array else given.read(list_of, given.text())
    if not values:
        given.fail("it has no values")
    ordered = sorted(values)
    for value, following in zip(ordered, ordered[1:]):
        if value == following:
            given.fail(f"{value} is there twice")
    usual = place.find("Default")
    # Kernel Tuner ignores a default that is no value.
    preferred = [value for value in values if usual and not usual.is_array and str(value) == usual.number()]
    return Parameter(place["Name"].name(), values, values, default=(preferred or values)[0])


def _element(place):
    """The manifest's type, and how many numbers an element has: 4 in a float4."""
    text = place.text()
    real, each = re.fullmatch(r"(.*?)(2|4|8|16)?", text).groups()
    if text in _WHOLE:
        return _WHOLE[text], 1
    if real in _REAL:
        return _REAL[real], int(each or 1)
    place.fail(
        f"'{short(text)}': accepted are bool, int8 to uint64, half, float and double, and vectors of the last three "
        "such as float4"
    )


def _number(place, type_):
    number = place.number()
    if type_ not in _REAL.values() and not re.fullmatch(r"-?\d+", number):
        place.fail(f"{number} must be a whole number for {type_}")
    return number


class _Reader:
    def __init__(self, root, folder):
        self._root, self._kernel, self._folder = root, root["KernelSpecification"], folder
        self._roles, self._fills, self._files, self._constants = {}, {}, {}, {}
        self._generated, self._answers, self._vectors = {}, {}, set()

    def problem(self):
        kernel, language = self._kernel, self._kernel["Language"].text()
        if language != "CUDA":
            kernel["Language"].fail(f"'{short(language)}': only CUDA can be tuned here")
        entry, source = kernel["KernelName"].text(), self._source(kernel["KernelFile"])
        options = [option.text() for option in kernel.listed("CompilerOptions")]
        shared = kernel.find("SharedMemory")
        self._read_space(self._root["ConfigurationSpace"])
        self._read_sizes(kernel.find("ProblemSize"))
        block = [self._threads(kernel["LocalSize"].find(axis.upper())) for axis in AXES]
        described = Described(
            name=re.sub(r"^(?=\d)", "_", re.sub(r"[^0-9A-Za-z]", "_", entry)),
            entry=entry,
            source="",
            include=[],
            parameters=self._parameters,
            sizes=self._sizes,
            restrictions=self._conditions,
            grid=self._divided_sizes() if self._sizes else self._global_size(block),
            block=[threads.text for threads in block],
            shared_bytes=str(shared.integer()) if shared else "0",
            operands=[self._operand(place) for place in kernel.listed("Arguments")],
            constants=self._constants,
            options=options,
            compiler=None,
        )
        self._check_arguments()
        self._read_answers(described.operands)
        prefixed("ConfigurationSpace.Conditions", described.choose_defaults)
        filled = self._fills, self._files, self._generated
        return Problem(described, source, self._roles, *filled, self._answers, self._notes())

    def _source(self, place):
        """Kernel Tuner looks beside the problem and one folder above, too."""
        for folder in (self._folder, self._folder / ".."):
            if os.path.isfile(folder / place.text()):
                return folder / place.text()
        place.fail(f"{short(place.text())} is neither in {self._folder} nor one folder above")

    def _read_space(self, space):
        self._parameters = {}
        for place in space["TuningParameters"].elements():
            parameter = _parameter(place)
            if parameter.name in self._parameters:
                place.fail(f"'{parameter.name}' is there twice")
            self._parameters[parameter.name] = parameter
        self._names = {name: Name(name, min(one.values)) for name, one in self._parameters.items()}
        self._values = {name: one.values for name, one in self._parameters.items()}
        conditions = {}
        for place in space.listed("Conditions"):
            expression = place["Expression"]
            require = expression.read(translated, expression.text(), self._names).text
            rule = Restriction(expression.text())
            conditions[expression.text()] = Constraint(require, f"condition: {expression.text()}", rule)
        self._conditions = list(conditions.values())

    def _read_sizes(self, given):
        """ProblemSize and GridDivX are Kernel Tuner's additions."""
        self._sizes = []
        if given is None:
            return
        listed = given.elements() if given.is_array else [given]
        if not 1 <= len(listed) <= 3:
            given.fail("give 1 to 3 sizes")
        for axis, place in zip(AXES, listed):
            size = place.read(integer_of, place.expression(), self._values)
            if not 1 <= size <= _MOST:
                place.fail(f"a size is from 1 to {_MOST}")
            self._sizes.append((f"problem_size_{axis}", size))
        self._values["ProblemSize"] = [size for _, size in self._sizes]

    def _quotient(self, place):
        return place.read(translated, place.expression(), self._names)

    def _threads(self, place):
        return ceiling(self._quotient(place)) if place else Quotient("1", least=1)

    def _global_size(self, block):
        counts = self._kernel.find("GlobalSizeType")
        is_divided = counts is not None and counts.one_of("CUDA", "OpenCL", "Vulkan") == "OpenCL"
        grid = []
        for axis, threads in zip(AXES, block):
            place = self._kernel["GlobalSize"].find(axis.upper())
            if place is None:
                grid.append(Quotient("1", least=1))
                continue
            divisors = [(threads, threads.text)] if is_divided else []
            grid.append(ceiling(place.read(divided_by_all, self._quotient(place), divisors)))
        return grid

    def _divided_sizes(self):
        extents = [Quotient(name, least=size) for name, size in self._sizes]
        grid = []
        for i, block_name in enumerate(BLOCK_NAMES):
            listed = self._kernel.listed(f"GridDiv{AXES[i].upper()}")
            divisors = [truncated(self._quotient(place)) for place in listed]
            if not listed and block_name in self._names:
                divisors = [translated(block_name, self._names)]
            extent = extents[i] if i < len(extents) else Quotient("1", least=1)
            named = [(divisor, divisor.text) for divisor in divisors]
            grid.append(ceiling(self._kernel.read(divided_by_all, extent, named)))
        return grid

    def _operand(self, place):
        name, memory = place["Name"].name(), place["MemoryType"]
        kind = memory.one_of("Scalar", "Vector", "Symbol")
        type_, each = _element(place["Type"])
        if kind == "Scalar":
            if each != 1:
                place["Type"].fail("a number of a vector type cannot be passed; use an array")
            return Operand(name, type_, literal=_number(place["FillValue"], type_))
        size = place["Size"]
        count = size.read(integer_of, size.expression(), self._values)
        if not 1 <= count <= _MOST // each:
            size.fail(f"{count} elements; an array has from 1 to {_MOST} numbers")
        if name in self._roles:
            self._kernel.fail(f"two arguments are called '{name}'")
        access, memory_type = place.find("AccessType"), place.find("MemType")
        self._roles[name] = _ROLES[access.one_of(*_ROLES) if access else "ReadOnly"]
        if each != 1:
            self._vectors.add(name)
        if self._roles[name] != "output":
            self._read_fill(place, name, type_, each)
        if kind == "Symbol" or memory_type and memory_type.text() == "Constant":
            self._constants[name] = name
            if self._roles[name] != "input":
                memory.fail("constant memory is ReadOnly")
        # Kernel Tuner passes constant memory to the kernel, too.
        return Operand(name, type_, count=count * each, launched=kind == "Vector")

    def _read_fill(self, place, name, type_, each):
        fill = place.find("FillType")
        kind = fill and fill.one_of("Constant", "Random", "BinaryRaw", "Generator")
        if kind == "Constant":
            self._fills[name] = f'{{ kind = "constant", value = {_number(place["FillValue"], type_)} }}'
        elif kind == "Random" and type_ in _REAL.values():
            self._fills[name] = '{ kind = "normal" }'
        elif kind == "BinaryRaw":
            self._files[name] = self._folder / place["DataSource"].text()
        elif kind == "Generator":
            self._read_generator(place["DataSource"], name, type_, each)

    def _read_generator(self, source, name, type_, each):
        if each != 1:
            source.fail("an array of a vector type cannot be filled by a Generator")
        if source.text() in ("random", "normal") and type_ in _REAL.values():
            self._fills[name] = '{ kind = "normal" }'
        elif source.text() not in ("random", "uniform"):  # without a fill it is uniform
            self._generated[name] = source.read(filling_kernel, f"fill_{name}", type_, source.text())

    def _read_answers(self, operands):
        """ReferenceArguments by a Generator, if every output has one that can be translated."""
        types, answers = {operand.name: operand.type for operand in operands}, {}
        for place in self._kernel.listed("ReferenceArguments"):
            kind, target, source = (place.find(key) for key in ("FillType", "TargetName", "DataSource"))
            if not (kind and target and source and kind.text() == "Generator" and target.text() in types):
                continue
            name = target.text()
            if name in self._vectors:  # an index counts vectors
                continue
            with contextlib.suppress(InputError):
                answers[name] = source.read(filling_kernel, f"answer_{name}", types[name], source.text())
        if answers.keys() == {name for name, role in self._roles.items() if role != "input"}:
            self._answers = answers

    def _check_arguments(self):
        if not {"output", "inout"} & set(self._roles.values()):
            self._kernel.fail(
                "no argument has AccessType WriteOnly or ReadWrite, so there is nothing to check"
            )

    def _notes(self):
        notes = []
        if not self._answers:
            notes.append(
                "right answers are not described: add [operation.reference], or tune from a program that has them "
                "(docs/tune.md)"
            )
        if self._kernel.find("ReferenceArguments") and not self._answers:
            notes.append("ReferenceArguments are left out")
        if self._root.find("Search"):
            notes.append("Search is left out: give --strategy to sweep")
        if self._root.find("Budget"):
            notes.append("Budget is left out: give --budget or --time to sweep")
        return notes
