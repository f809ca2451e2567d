#!/usr/bin/env python3
"""How good the manifests' formulas of cost are, on the measurements of
docs/benchmarks/raw/general.tar.xz, unpacked by bench/unpack.sh.

    bench/tables/general_costs.py FOLDER

For each measured problem: the configuration that the formulas prefer, and how much longer it takes
than the best one measured. Once among all that were measured, and once among the manifest's general
configurations. Needs Python 3.11.
"""

import collections
import csv
import math
import pathlib
import re
import statistics
import sys
import tomllib

FOLDER = pathlib.Path(sys.argv[1])
TEMPLATES = pathlib.Path(__file__).parents[2] / "kernel_templates"
H200 = {"sm_count": 132, "registers_per_sm": 65536, "shared_bytes_per_sm": 233472}
H200 |= {"max_threads_per_sm": 2048}
TOKEN = re.compile(r"\s*('[a-z_0-9]+'|[\w.]+|&&|\|\||[<>=!]=|.)")
LEVELS = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"]]
PYTHON = {"||": "or", "&&": "and", "/": "//"}


class Translator:
    """An expression of a manifest in Python."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)[::-1]

    def take(self, wanted=None):
        token = self.tokens.pop()
        assert wanted in (None, token), (wanted, token)
        return token

    def peek(self):
        return self.tokens[-1] if self.tokens else ""

    def conditional(self):
        condition = self.level(0)
        if self.peek() != "?":
            return condition
        self.take()
        first = self.conditional()
        self.take(":")
        return f"({first} if {condition} else {self.conditional()})"

    def level(self, depth):
        if depth == len(LEVELS):
            return self.unary()
        text = self.level(depth + 1)
        while self.peek() in LEVELS[depth]:
            operator = self.take()
            text = f"({text} {PYTHON.get(operator, operator)} {self.level(depth + 1)})"
        return text

    def unary(self):
        token = self.take()
        if token in "-!":
            return f"({'-' if token == '-' else 'not '}{self.unary()})"
        if token == "(":
            text = self.conditional()
            self.take(")")
            return f"({text})"
        if self.peek() == "(":
            self.take()
            operands = [self.conditional()]
            while self.peek() == ",":
                self.take()
                operands.append(self.conditional())
            self.take(")")
            if token == "size_of":  # everything measured here is of float32
                return "4"
            return f"{token}({', '.join(operands)})"
        return token.replace("device.", "device_")


def written_out(expression, terms):
    text = str(expression)
    for name, meaning in reversed(terms.items()):  # each may use those before it
        text = re.sub(rf"\b{name}\b", f"({meaning})", text)
    return text


def compiled(expression):
    return compile(Translator(str(expression)).conditional(), str(expression), "eval")


def cycles(formulas, names):
    """As cycles_of() in db/ladder/core.hpp."""
    value = {name: eval(code, names) for name, code in formulas.items()}
    share = math.ceil(value["blocks"] / value["multiprocessors"])
    full, rest = divmod(share, value["resident"])
    group = lambda blocks: math.hypot(blocks * value["work"], value["latency"])
    last = 2 if rest and full and value["resident"] == 2 else rest
    total = full * group(value["resident"]) + (group(last) if last else 0)
    return max(total, value["least"]) + value["overhead"]


def general(implementation):
    """The default, then the default with the elements of `general`, combined."""
    combined = [{}]
    for group in implementation.get("general", []):
        combined = [one | other for one in combined for other in group]
    usual = {one["name"]: one["default"] for one in implementation["parameter"]}
    return [usual] + [usual | one for one in combined]


def loss(rows):
    """Of what has the least cycles, in the mean of those that are equal, over the best."""
    least = min(cycles for cycles, _, _ in rows)
    chosen = statistics.geometric_mean(time for cycles, time, _ in rows if cycles == least)
    return chosen / min(time for _, time, _ in rows)


def report(name, manifest, usual):
    implementation = tomllib.loads((TEMPLATES / manifest).read_text())["implementation"][0]
    cost = {"multiprocessors": "device.sm_count", "latency": 0, "least": 0, "overhead": 0}
    terms = implementation.get("terms", {})
    cost |= implementation["cost"]
    formulas = {key: compiled(written_out(text, terms)) for key, text in cost.items()}
    chosen = general(implementation)
    follows = {
        one["name"]: compiled(written_out(one["follows"], terms))
        for one in implementation["parameter"]
        if "follows" in one
    }
    fixed = {f"device_{key}": value for key, value in H200.items()}
    fixed |= {"precision": "float32", "type": "float32"}
    fixed |= {"min": min, "max": max, "ceil_div": lambda a, b: -(-a // b)}
    problems = collections.defaultdict(list)
    with open(FOLDER / f"{name}.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            row = {k: int(v) if v.lstrip("-").isdigit() else v for k, v in row.items()}
            names = fixed | usual | {k: v for k, v in row.items() if v != ""}
            if "lda" in names:  # matrices of a batch stand side by side
                names["stride_a"] = (
                    names["lda"] * names["K" if names["transpose_a"] == "yes" else "M"]
                )
                names["stride_b"] = (
                    names["ldb"] * names["N" if names["transpose_b"] == "yes" else "K"]
                )
            if "filter_width" in names:
                names["anchor_x"] = names["filter_width"] // 2
            followed = {key: eval(code, names) for key, code in follows.items()}
            is_general = any((one | followed).items() <= names.items() for one in chosen)
            problem = tuple(v for k, v in row.items() if k.islower() or len(k) == 1)[:-2]
            time = float(row["cold_us"])
            problems[problem].append((cycles(formulas, names), time, is_general))
    for what, wanted in (("all measured", lambda one: True), ("general", lambda one: one[2])):
        losses, errors = [], []
        for rows in problems.values():
            kept = [one for one in rows if wanted(one)]
            if len(kept) < 3:
                continue
            losses.append(loss(kept))
            # A trillion cycles say that it serves only where nothing else can.
            errors += [math.log(one[0] / 1980 / one[1]) for one in kept if one[0] < 1e12]
        mean = statistics.geometric_mean(losses)
        tenth = sorted(losses)[len(losses) * 9 // 10]
        rms = math.sqrt(statistics.fmean(error * error for error in errors))
        counted = f"{name:15} {what:12} {len(losses):4} problems {len(errors):6} times"
        print(f"{counted}  loss {mean:.3f}, 90th percentile {tenth:.2f}; error {rms:.2f}")


def main():
    launch = {"SHAPE": "launch", "GROUP": 1, "ORDER": "zigzag"}
    report("gemm-naive", "gemm/naive/naive.toml", {})
    report("gemm-blocked", "gemm/blocked/blocked.toml", launch)
    report("gemm-thin", "gemm/thin/thin.toml", launch)
    report("gemm-tiled", "gemm/tiled/tiled.toml", {})
    report("conv1d-halo", "conv1d/halo/halo.toml", {})
    report("conv1d-register", "conv1d/register/register.toml", {})
    report("conv2d-halo", "conv2d/halo/halo.toml", {"flip": "no"})


if __name__ == "__main__":
    main()
