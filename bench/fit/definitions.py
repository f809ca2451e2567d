# SPDX-License-Identifier: MIT
"""Manifests as Python: their expressions, and what a configuration means for a problem."""
import itertools
import math
import re
import tomllib

TOKEN = re.compile(r"\s*('[a-z_0-9]+'|[\w.]+|&&|\|\||[<>=!]=|.)")
LEVELS = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"]]
PYTHON = {"||": "or", "&&": "and", "/": "//"}
BYTES = {"float64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3": 1, "float8_e5m2": 1, "int8": 1}
FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil_div": lambda a, b: -(-a // b)}
FORMULAS = {"multiprocessors": "device.sm_count", "resident": "1", "latency": "0", "least": "0", "overhead": "0"}
FITTED = ["work", "latency", "overhead"]  # formulas whose coefficients are fitted
NEVER = 1_000_000_000  # cycles that say that a configuration serves only where nothing else can


class Translator:
    """An expression in Python. Coefficients are c[0], c[1], …: numbers above 2 that are added or multiplied, but not those of
    conditions, divisors and calls."""

    def __init__(self, text, coefficients=None):
        self.tokens = TOKEN.findall(str(text))
        self.at = 0
        self.coefficients = coefficients  # their values, if they are wanted
        self.places = []  # of their tokens
        self.fixed = 0  # above 0: numbers are no coefficients here
        self.python = self.conditional()
        assert self.at == len(self.tokens), self.tokens[self.at:]

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def conditional(self):
        is_condition = self.has_question()
        self.fixed += is_condition
        condition = self.level(0)
        self.fixed -= is_condition
        if self.peek() != "?":
            return condition
        self.take()
        first = self.conditional()
        self.take()
        return f"({first} if {condition} else {self.conditional()})"

    def has_question(self):
        """Whether what begins here is a condition: a ? follows before the parentheses around it end."""
        depth = 0
        for token in self.tokens[self.at:]:
            depth += (token == "(") - (token == ")")
            if depth < 0 or depth == 0 and token in ",:":
                return False
            if depth == 0 and token == "?":
                return True
        return False

    def level(self, depth):
        if depth == len(LEVELS):
            return self.unary()
        text = self.level(depth + 1)
        while self.peek() in LEVELS[depth]:
            operator = self.take()
            compares = depth <= 2 or operator in "/%"
            self.fixed += compares
            text = f"({text} {PYTHON.get(operator, operator)} {self.level(depth + 1)})"
            self.fixed -= compares
        return text

    def unary(self):
        token = self.take()
        if token in ("-", "!"):
            return f"({'-' if token == '-' else 'not '}{self.unary()})"
        if token == "(":
            text = self.conditional()
            self.take()
            return f"({text})"
        if self.peek() == "(":
            self.take()
            self.fixed += 1
            operands = [self.conditional()]
            while self.take() == ",":
                operands.append(self.conditional())
            self.fixed -= 1
            return f"size_of_{operands[0]}" if token == "size_of" else f"{token}({', '.join(operands)})"
        if token.isdigit() and 2 < int(token) < NEVER and not self.fixed and self.coefficients is not None:
            self.places.append(self.at - 1)
            self.coefficients.append(int(token))
            return f"c[{len(self.coefficients) - 1}]"
        return token.replace("device.", "device_")


def compiled(text, coefficients=None):
    return compile(Translator(text, coefficients).python, str(text), "eval")


def with_numbers(text, numbers):
    """The expression with other coefficients; takes them from the beginning of `numbers`."""
    found = []
    places = Translator(text, found).places
    tokens = [match for match in TOKEN.finditer(text)]
    for place in reversed(places):
        match = tokens[place]
        text = text[:match.start(1)] + str(numbers[places.index(place)]) + text[match.end(1):]
    del numbers[:len(places)]
    return text


def settings_of(written):
    """Of an element of `seeds` or `general`, which may be a text."""
    if isinstance(written, dict):
        return written
    words = (word.split("=") for word in written.split())
    return {name: int(value) if value.isdigit() else value for name, value in words}


class Definition:
    """An implementation, its operation, and what stands in its fitted file."""

    def __init__(self, manifest):
        self.fitted_file = manifest.with_suffix(".fit.toml")
        (self.implementation,) = tomllib.loads(manifest.read_text())["implementation"]
        self.name = self.implementation["name"]
        self.fitted = {}
        if self.fitted_file.exists():
            self.fitted = tomllib.loads(self.fitted_file.read_text())[self.name]
        self.operation = tomllib.loads((manifest.parents[1] / "operation.toml").read_text())
        self.parameters = self.implementation["parameter"]
        self.choices = self.operation["operation"].get("choice", [])
        self.defaults = {one["name"]: one["default"] for one in self.parameters}
        self.terms = {name: compiled(text) for name, text in self.implementation.get("terms", {}).items()}
        self.rules = [(one["name"], key, compiled(one[key])) for one in self.parameters for key in ("active", "follows")
                      if key in one]
        self.types = {one["name"]: compiled(self.type_text(one.get("type", "float32")))
                      for one in self.operation["operation"]["argument"]}

    @staticmethod
    def type_text(written):
        return f"'{written}'" if written in BYTES else written

    def of_problem(self, problem, device):
        """What names mean, but for those of parameters and terms."""
        names = {"device_kind": "cuda", **FUNCTIONS} | {f"device_{key}": value for key, value in device.items()}
        for one in self.choices:
            if one["name"] not in problem:
                usual = one.get("absent", one["default"])
                names[one["name"]] = usual if usual in one["values"] else eval(compiled(usual), dict(names) | problem)
        names |= problem
        for one in self.operation["operation"]["dimension"]:
            if one["name"] not in names:
                usual = one["default"]
                names[one["name"]] = eval(compiled(usual), dict(names)) if isinstance(usual, str) else usual
        for name, type_of in self.types.items():
            names[f"size_of_{name}"] = BYTES[eval(type_of, dict(names))]
        return names

    def names(self, of_problem, configuration):
        """With those of parameters and terms."""
        return Names(of_problem | self.defaults | configuration, self.terms)

    def settled(self, of_problem, configuration, keeps=()):
        """The configuration for a problem that nobody measured: as settled_value() in definition/general.hpp."""
        names = self.names(of_problem, configuration)
        for name, key, code in self.rules:
            if key == "active":
                if not names.value(code):
                    names[name] = self.defaults[name]
            elif name not in keeps:
                names[name] = names.value(code)
        return {name: names[name] for name in self.defaults}

    def general(self):
        """As general_configurations() in definition/definition.hpp."""
        groups = self.fitted.get("general", [])
        combined = itertools.product(*[[settings_of(one) for one in group] for group in groups])
        return [{}] + [{name: value for one in row for name, value in one.items()} for row in combined if row]

    def cost(self):
        return FORMULAS | self.fitted.get("cost", {})


class Names(dict):
    """Terms are worked out when they are needed."""

    def __init__(self, names, terms):
        super().__init__(names)
        self.terms = terms

    def __missing__(self, name):
        if name not in self.terms:
            raise KeyError(name)
        self[name] = eval(self.terms[name], {}, self)
        return self[name]

    def value(self, code, **more):
        return eval(code, more, self)


def cycles(formulas, names, coefficients):
    """As cycles_of() in definition/cycles.hpp."""
    value = {name: names.value(code, c=coefficients) for name, code in formulas.items()}
    share = math.ceil(value["blocks"] / value["multiprocessors"])
    full, rest = divmod(share, value["resident"])

    def group(blocks):
        return math.hypot(blocks * value["work"], value["latency"])

    last = 2 if rest and full and value["resident"] == 2 else rest
    total = full * group(value["resident"]) + (group(last) if last else 0)
    return max(total, value["least"]) + value["overhead"]
