"""What tune_kernel makes of its arguments: expressions and manifests."""

import array
import ctypes
import itertools
import json
import math
import pathlib
import unittest

import tilewright
from tilewright._kernel_tuner.described import described
from tilewright._kernel_tuner.evaluated import Restriction, TreeRestriction, computed, first_legal
from tilewright._kernel_tuner.expression import Name, translated
from tilewright._kernel_tuner.functions import Tabulated, split
from tilewright._kernel_tuner.manifest import manifest_of
from tilewright._kernel_tuner.parameters import parameters_of
from vector_add import ADD, BLOCKS, COUNT, floats

TABLE = pathlib.Path(__file__).parents[3] / "definitions/python_expressions.json"
VALUES = {"x": [1, 2, 4], "y": [2, 3], "z": [-1, 0, 1], "kind": ["float", "double"]}
NAMES = {name: Name(name, min(values)) for name, values in VALUES.items() if name != "kind"}
NAMES["kind"] = Name("kind_index", None, {"float": 0, "double": 1})


class Expressions(unittest.TestCase):
    table = json.loads(TABLE.read_text())

    def test_translates(self):
        for text, expected, _ in self.table["translated"]:
            with self.subTest(text):
                self.assertEqual(translated(text, NAMES).text, expected)

    def test_restrictions_hold_where_python_says_so(self):
        for text, _, count in self.table["translated"]:
            rule = Restriction(text)
            held = sum(
                rule.holds(dict(zip(VALUES, values))) for values in itertools.product(*VALUES.values())
            )
            self.assertEqual(held, count, text)

    def test_refuses(self):
        hostile = [["(" * 9000, "no expression"], ["x" * 20000, "longer than"], ["-" * 500 + "x", "nested"]]
        for text, reason in self.table["refused"] + hostile:
            with self.subTest(text[:50]), self.assertRaises(tilewright.InputError) as refused:
                translated(text, NAMES)
            self.assertIn(reason, str(refused.exception))

    def test_computes_metrics(self):
        self.assertEqual(computed("2 * n / (time * 1e6)", {"n": 10, "time": 0.5}), 4e-5)
        self.assertEqual(computed("max(ceil(time), n)", {"n": 1, "time": 2.5}), 3)
        for text in ("w + 1", "().__class__", "[1]", "__import__('os')", "9 ** 9 ** 9", "1 / 0", "'a' + 1"):
            with self.assertRaises(tilewright.InputError, msg=text):
                computed(text, {"n": 1})

    def test_finds_a_legal_configuration(self):
        many = {name: list(range(50)) for name in "abcdefgh"}
        def found_by(values, texts):
            return first_legal(values, [Restriction(text) for text in texts])

        found = found_by(many, ["a == 49", "b == a - 1", "h > 40 and b > 3"])
        self.assertEqual((found["a"], found["b"], found["c"], found["h"]), (49, 48, 0, 41))
        for rules in (["a > 99"], ["1 == 2"], ["a / b > 1", "a == 0"]):
            with self.assertRaisesRegex(tilewright.InputError, "no configuration satisfies"):
                found_by({"a": [0, 1], "b": [0]}, rules)
        with self.assertRaisesRegex(tilewright.InputError, "combinations were tried"):
            found_by(many, ["(a + b + c + d + e + f + g + h) < 0"])


def manifest(source=ADD, size=COUNT, arguments=None, params=BLOCKS, name="vector_add", **more):
    """The text of a manifest and the source, without running anything."""
    names = "lang block_size_names grid_div_x grid_div_y grid_div_z cmem_args restrictions smem_args"
    options = dict.fromkeys((names + " compiler compiler_options defines").split()) | more
    if arguments is None:
        arguments = [floats([0] * COUNT) for _ in range(3)] + [ctypes.c_int(COUNT)]
    kernel = described(name, source, size, arguments, params, options)
    return manifest_of(kernel, "k.cu", None), kernel.source


class Manifests(unittest.TestCase):
    def test_the_grid(self):
        params = {"block_size_x": [32], "block_size_y": [2], "tile": [1, 2]}
        text, _ = manifest(size=(100, 20), params=params, grid_div_x=["block_size_x/12", "tile"])
        self.assertIn(  # Kernel Tuner rounds each divisor down
            'grid = ["ceil_div(problem_size_x, block_size_x / 12 * tile)", '
            '"ceil_div(problem_size_y, block_size_y)", "1"]',
            text,
        )
        text, _ = manifest(size="tile * 3", params=params, grid_div_x=[])
        self.assertIn('grid = ["tile * 3", "1", "1"]', text)
        self.assertIn('block = ["block_size_x", "block_size_y", "1"]', text)
        text, _ = manifest(params={"threads": [64]}, block_size_names=["threads"])
        self.assertIn('grid = ["ceil_div(problem_size_x, threads)", "1", "1"]', text)
        self.assertIn('block = ["threads", "1", "1"]', text)

    def test_functions(self):
        params = {"block_size_x": [16, 32, 64, 128], "tile": [1, 2, 3], "real": ["float", "double"]}
        text, _ = manifest(
            params=params,
            restrictions=[
                lambda p: p["block_size_x"] * p["tile"] <= 96,
                lambda block_size_x, real: real == "float" or block_size_x & 32,
                "tile < 3",
            ],
            size=lambda p: (1000 // p["tile"], 7),
            grid_div_x=lambda p: p["block_size_x"],
            grid_div_y=[2, lambda p: p["tile"]],
            smem_args={"size": lambda p: 4 * p["block_size_x"] if p["tile"] > 1 else 0},
        )
        block = "block_size_x <= 32 ? (block_size_x <= 16 ? 16 : 32) : (block_size_x <= 64 ? 64 : 128)"
        for line in (
            'require = "(block_size_x <= 64 ? 1 : 0)"',  # more than 64 breaks it for every tile
            'require = "(block_size_x <= 32 ? 1 : (block_size_x <= 64 ? (tile <= 1 ? 1 : 0) : 0))"',
            'why = "restriction: function 1, <lambda>, of block_size_x"',
            'why = "restriction: function 2, <lambda>"',
            "require = \"(block_size_x <= 16 ? (real == 'float' ? 1 : 0) : "
            "(block_size_x <= 32 ? 1 : (real == 'float' ? 1 : 0)))\"",
            'require = "tile < 3"',
            f'grid = ["ceil_div((tile <= 1 ? 1000 : (tile <= 2 ? 500 : 333)), ({block}))", '
            '"ceil_div(7, 2 * (tile <= 1 ? 1 : (tile <= 2 ? 2 : 3)))", "1"]',
        ):
            self.assertIn(line, text)

    def test_a_function_is_split_by_what_it_reads(self):
        values = {"a": [1, 2, 3], "b": [1, 2, 4], "c": [1, 2], "kind": ["x", "y", 0.5]}

        def early(p):
            if p["a"] * p["b"] > 6:
                return False
            return p["c"] == 2 and p["kind"] in ("x", 0.5)

        def in_another_order(p):
            if p["a"] == 1 and p["b"] == 1:
                return p["c"] > 5  # never
            if p["a"] == 2 and p["b"] == 2:
                return False
            return p["kind"] != "y" and (p["b"] != 4 or p["c"] == 2)

        functions = {
            in_another_order: None,
            early: [["a", "b"], ["c"], ["kind"]],
            (lambda p: p["a"] * p["b"] <= 6 and p["c"] < 2): [["a", "b"], ["c"]],
            (lambda p: p["a"] < 3 and p["a"] * p["c"] < 4): [["a"], ["a", "c"]],
            (lambda p: p["a"] < 3 or p["c"] < 2): [["a", "c"]],
            (lambda p: p["kind"] != "y" and p["a"] < 9): [["kind"]],
            (lambda p: True): [[]],
            (lambda p: p["a"] < 2 and p["c"] > 5): [[]],  # never
        }
        parameters = parameters_of(values)
        for function, names in functions.items():
            table = Tabulated(function, parameters, lambda returned: int(bool(returned)))
            parts = [TreeRestriction(part, parameters) for part in split(table.tree, table.names)]
            if names is not None:
                self.assertEqual([sorted(part.names) for part in parts], names)
            for each in itertools.product(*values.values()):
                point = dict(zip(values, each))
                self.assertEqual(all(part.holds(point) for part in parts), bool(function(point)), point)
        text, _ = manifest(params={"a": [1, 9], "b": [1, 2], "k": ["u", "v"]},
                           restrictions=lambda p: p["a"] < 5 and p["k"] == "v" and p["b"] == 2)
        for require in ("(a <= 1 ? 1 : 0)", "(k == 'u' ? 0 : 1)", "(b <= 1 ? 0 : 1)"):
            self.assertIn(f'require = "{require}"', text)

    def test_parameters(self):
        def told(values):
            return parameters_of({"p": values})["p"].told

        for one, several in ((32, [32]), ("half", ["half"]), (0.5, ["v0_5"]), (True, [True])):
            self.assertEqual(told(one), several)
        self.assertEqual(told(range(3)), [0, 1, 2])
        self.assertEqual(told(iter([4, 8])), [4, 8])
        self.assertEqual(told({8: None, 4: None}.keys()), [8, 4])
        labels = ["float4", "minus_0_5", "v0_5", "half", "half_2", "v"]
        self.assertEqual(told(["float4", -0.5, 0.5, "__half", "HALF", "+"]), labels)
        for values, sentence in ((None, "None of 'p' must be an integer"), ([], "'p' has no values")):
            with self.assertRaisesRegex(tilewright.InputError, sentence):
                told(values)
        for given in (None, 3, ["ab"[:1]], [1]):
            with self.assertRaisesRegex(tilewright.InputError, "tune_params: give a dict"):
                parameters_of(given)
        for name in (1, "a" * 257):
            with self.assertRaisesRegex(tilewright.InputError, f"'{str(name)[:100]}.*' must be a name as in C"):
                parameters_of({name: [1]})

    def test_a_size_of_the_grid_that_follows_a_label(self):
        params = {"real": ["float", "double"]}
        text, source = manifest("grid_size_x", params=params, grid_div_x=lambda p: 1 + (p["real"] == "float"))
        self.assertIn("(real == 'float' ? 2 : 1)", text)
        self.assertIn("100, (real_index == 0 ? 2 : 1))", source)

    def test_a_source_that_a_function_writes(self):
        def generated(config):
            body = "double" if config["real"] == "double" else f"float[{config['block_size_x']}]"
            return f"__global__ void f(int *x) {{ {body}; }}"

        params = {"block_size_x": [16, 32, 64], "real": ["float", "double"], "idle": [0, 1]}
        arguments = [array.array("i", [1])]
        text, source = manifest(generated, 1, arguments, params, "f")
        self.assertIn('name = "x"\ntype = "int32"', text)
        expected = """#if real_index <= 0
#if block_size_x <= 16
#line 1
__global__ void f(int *x) { float[16]; }
#elif block_size_x <= 32
#line 1
__global__ void f(int *x) { float[32]; }
#else
#line 1
__global__ void f(int *x) { float[64]; }
#endif
#else
#line 1
__global__ void f(int *x) { double; }
#endif"""
        self.assertIn(expected, source)

    def test_functions_are_called_as_kernel_tuner_does(self):
        def manifest_with(restriction):
            return manifest(params={"a": [1, 2], "b": [1, 2]}, restrictions=restriction)[0]

        for restriction in (
            lambda p: p["a"] == 2,
            lambda p: p.get("a", 0) == 2 and "a" in p,
            lambda a, b: a == 2,
            lambda a, **others: a == 2,
            lambda p: list(p.values())[0] == 2,
            lambda p: dict(p)["a"] == 2,
            lambda p: (lambda a, b: a)(**p) == 2,
        ):
            self.assertIn('require = "(a <= 1 ? 0 : 1)"', manifest_with(restriction))
        calls = []
        many = {f"p{i}": list(range(10)) for i in range(20)}
        manifest(params=many, restrictions=lambda p: calls.append(1) or p["p3"] != p["p7"])
        self.assertLess(len(calls), 300)
        with self.assertRaisesRegex(tilewright.InputError, "more than 100000 combinations"):
            manifest(params=many, restrictions=lambda p: sum(p.values()) > 3)
        with self.assertRaisesRegex(tilewright.InputError, "the function becomes .* most are 4096"):
            manifest(params={"a": list(range(3000))}, restrictions=lambda p: p["a"] * 7919 // 8 % 2 == 1)

    def test_constants(self):
        filter_ = floats([1, 2])
        text, _ = manifest(cmem_args={"d_filter": filter_})
        self.assertIn('constant = [{ symbol = "d_filter", from = "d_filter" }]', text)
        self.assertIn('name = "d_filter"\ntype = "float32"\nrole = "input"\ncount = 2', text)
        self.assertIn('arguments = ["c", "a", "b", { value = 100, type = "int32" }]', text)
        arguments = [floats([0]), floats([1]), filter_, ctypes.c_int(1)]
        text, _ = manifest(arguments=arguments, cmem_args={"d_filter": filter_})
        self.assertIn('constant = [{ symbol = "d_filter", from = "b" }]', text)

    def test_names_of_arguments(self):
        source = "template <int N> __global__ void f(float* const x, // y, z\n const int* n) {}"
        text, _ = manifest(source, arguments=[floats([0]), array.array("i", [1])], name="f<2>")
        self.assertIn('name = "x"\ntype = "float32"\nrole = "inout"', text)
        self.assertIn('name = "n"\ntype = "int32"\nrole = "input"', text)
        text, _ = manifest("MACRO", arguments=[floats([0])], name="f")
        self.assertIn('name = "argument1"', text)

    def test_macros(self):
        params = {"real": ["float", "double"], "factor": [0.5, 2], "use": [False, True]}
        text, source = manifest("grid_size_x", size="2", params=params, defines={"TWO": 2})
        self.assertIn("#define block_size_x 256\n", source)
        self.assertIn("#if real == 0\n#undef real\n#define real_index 0\n#define real float\n#elif", source)
        self.assertIn('name = "real"\nvalues = ["float", "double"]\ndefault = "float"', text)
        self.assertIn('name = "factor"\nvalues = ["v0_5", "v2"]', text)
        self.assertIn("#define factor 0.5\n", source)
        self.assertIn("#define TWO 2\n", source)
        self.assertIn("#define grid_size_x (2)\n", source)
        self.assertIn('name = "use"\nvalues = [0, 1]', text)

    def test_pragmas_with_factors(self):
        lines = ["#include <stdio.h>", "  #pragma unroll loop_unroll_factor_0"]
        _, source = manifest("\n".join(lines) + "\n;")
        self.assertIn("#include <stdio.h>", source)
        self.assertNotIn("#pragma", source)
        params = {"loop_unroll_factor_0": [0, 2]}
        _, source = manifest("\n".join(lines) + "\n;", params=params)
        self.assertIn("#if loop_unroll_factor_0\n  #pragma unroll loop_unroll_factor_0\n#endif", source)

    def test_refuses(self):
        array_ = floats([1])
        for more, sentence in (
            ({"restrictions": lambda p: p["x"]}, "^restrictions: the function fails for : KeyError"),
            ({"restrictions": lambda p: p["block_size_x"] > 99}, "no configuration satisfies"),
            ({"restrictions": ["block_size_x &"]}, "^restrictions: .* no expression of Python"),
            ({"restrictions": [3]}, "^restrictions: 3 must be an expression as a str, or a function"),
            ({"restrictions": ["block_size_x > 99"]}, "^restrictions: no configuration satisfies"),
            ({"grid_div_x": lambda p: 1.5}, "^grid_div_x: the function returns 1.5; an integer"),
            ({"grid_div_x": lambda p: 0}, "may be zero or negative"),
            ({"grid_div_x": ["block_size_x - 32"]}, "may be zero or negative"),
            ({"size": lambda p: "x"}, "^problem_size: the function returns 'x'; 1 to 3 integers"),
            ({"size": 0}, "^problem_size: 0 must be an integer from 1"),
            ({"size": (1, 1, 1, 1)}, "^problem_size: 4 sizes"),
            ({"size": 1.5}, "^problem_size: 1.5 must be an integer"),
            ({"arguments": [3]}, "^argument 1: 3 has no type; give numpy.int32"),
            ({"arguments": [[1.0]]}, "^argument 1: is an object of type list"),
            ({"arguments": [ctypes.c_double(math.nan)]}, "^argument 1: is nan; only finite"),
            ({"arguments": [ctypes.c_uint64(2**63)]}, "^argument 1: is 9223372036854775808"),
            ({"arguments": [floats([])]}, "^argument 1: has no elements"),
            ({"params": {"a b": [1]}}, "^tune_params: 'a b' must be a name"),
            ({"params": {"a": []}}, "^tune_params: 'a' has no values"),
            ({"params": {"a": [1, 1]}}, "^tune_params: 'a' has a value twice"),
            ({"params": {"a": [None]}}, "^tune_params: None of 'a' must be"),
            ({"params": {"a": ["x\ny"]}}, "must be one line"),
            ({"params": {"block_size_x": [32, 0.5]}}, "'block_size_x' is a number of threads"),
            ({"smem_args": {"bytes": 4}}, "^smem_args: 'bytes' is not known"),
            ({"smem_args": {"size": lambda p: None}}, "^smem_args: the function returns None"),
            ({"cmem_args": {"a b": array_}}, "^cmem_args: 'a b' must be the name"),
            ({"cmem_args": {"a": 3}}, "^cmem_args: 'a': 3 has no type"),
            ({"compiler_options": [lambda p: ""]}, "^compiler_options: <function .* must be a str"),
            ({"compiler": "icc"}, "^compiler: give 'nvcc', or leave it out for NVRTC, not 'icc'"),
            ({"compiler_options": ["-arch=sm_52"]}, "^compiler_options: leave '-arch=sm_52' out"),
            ({"defines": {"A": lambda p: "1"}}, "^defines: 'A' must be"),
            ({"lang": "OpenCL"}, "^lang 'OpenCL'"),
            ({"source": lambda p: 3}, "^kernel_source: the function returns 3; a text is needed"),
            ({"source": 3}, "^kernel_source: give a file or its text"),
            ({"source": "absent.cu"}, "^kernel_source: absent.cu: "),
            ({"block_size_names": list("abcd")}, "^block_size_names: give 1 to 3 names"),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(tilewright.InputError, sentence):
                manifest(**more)
