"""tune_kernel and run_kernel on the host device, without NumPy."""

import array
import ctypes
import itertools
import json
import math
import os
import pathlib
import tempfile
import unittest

import tilewright
from tilewright._kernel_tuner.described import described
from tilewright._kernel_tuner.evaluated import Restriction, computed
from tilewright._kernel_tuner.expression import Name, translated
from tilewright._kernel_tuner.first_legal import first_legal
from tilewright._kernel_tuner.manifest import manifest_of

TABLE = pathlib.Path(__file__).parents[3] / "definitions/python_expressions.json"
VALUES = {"x": [1, 2, 4], "y": [2, 3], "z": [-1, 0, 1], "kind": ["float", "double"]}
NAMES = {name: Name(name, min(values)) for name, values in VALUES.items() if name != "kind"}
NAMES["kind"] = Name("kind_index", None, {"float": 0, "double": 1})

COUNT = 100
ADD = """
__global__ void vector_add(float *c, float *a, float *b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
BLOCKS = {"block_size_x": [32, 64]}


def floats(numbers):
    return array.array("f", numbers)


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
            'require = "(block_size_x <= 32 ? 1 : (block_size_x <= 64 ? (tile <= 1 ? 1 : 0) : 0))"',
            'why = "restriction: function 1, <lambda>"',
            'require = "(block_size_x <= 16 ? (real_index <= 0 ? 1 : 0) : '
            '(block_size_x <= 32 ? 1 : (real_index <= 0 ? 1 : 0)))"',
            'require = "tile < 3"',
            f'grid = ["ceil_div((tile <= 1 ? 1000 : (tile <= 2 ? 500 : 333)), ({block}))", '
            '"ceil_div(7, 2 * (tile <= 1 ? 1 : (tile <= 2 ? 2 : 3)))", "1"]',
        ):
            self.assertIn(line, text)

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
        self.assertIn("#if real_index == 0\n#define real float\n#elif real_index == 1\n", source)
        self.assertIn("#define factor 0.5\n", source)
        self.assertIn("#define TWO 2\n", source)
        self.assertIn("#define grid_size_x (2)\n", source)
        self.assertIn('name = "use"\nvalues = [0, 1]', text)

    def test_what_the_compiler_lacks(self):
        lines = ["#include <stdio.h>", "  #pragma unroll loop_unroll_factor_0"]
        _, source = manifest("\n".join(lines) + "\n;")
        self.assertNotIn("#include", source)
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


class Tuning(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.a, self.b = floats(range(COUNT)), floats([0.5] * COUNT)
        self.c = floats([0] * COUNT)
        self.arguments = [self.c, self.a, self.b, ctypes.c_int(COUNT)]
        self.sums = floats(x + y for x, y in zip(self.a, self.b))
        self.here = {  # others on the device lock elsewhere
            "device": "host",
            "quiet": True,
            "code_cache": os.environ["TILEWRIGHT_TEST_CACHE"],
            "scratch": folder.name,
        }

    def tune(self, source=ADD, size=COUNT, arguments=None, params=BLOCKS, name="vector_add", **more):
        worker = {"worker": os.environ["TILEWRIGHT_TEST_WORKER"], "compile_processes": 1}
        given = {**self.here, **worker, **more}
        return tilewright.tune_kernel(name, source, size, arguments or self.arguments, params, **given)

    def test_tunes_with_an_answer(self):
        results, env = self.tune(answer=[self.sums, None, None, None])
        self.assertEqual({result["block_size_x"] for result in results}, {32, 64})
        self.assertTrue(all(result["time"] > 0 for result in results))
        self.assertIn(env["best_config"], results)
        self.assertEqual((env["checked"], env["failed"]), ("answer", []))
        json.dumps([results, env])
        self.assertEqual(self.c[5], 0)  # arguments are not written

    def test_a_configuration_that_is_wrong(self):
        source = ADD.replace("a[i] + b[i]", "a[i] + b[i] + (block_size_x == 64 ? 1e-4f : 1e-6f)")
        results, env = self.tune(source, answer=[self.sums, None, None, None])
        self.assertEqual([result["block_size_x"] for result in results], [32])
        self.assertEqual([failed["outcome"] for failed in env["failed"]], ["wrong_answer"])
        results, _ = self.tune(source, answer=[self.sums, None, None, None], atol=1e-3)
        self.assertEqual(len(results), 2)
        results, env = self.tune(source)
        self.assertEqual((len(results), env["checked"]), (2, "nothing"))
        with self.assertRaisesRegex(tilewright.NothingFound, "wrong_answer"):
            self.tune(source, answer=[self.c, None, None, None])

    def test_parts_of_an_output_keep_what_they_had(self):
        source = ADD.replace("i < n", "i < n && i > 0")
        self.c[0] = self.sums[0] = 7
        results, _ = self.tune(source, answer=[self.sums, None, None, None])
        self.assertEqual(len(results), 2)

    def test_verify(self):
        partial = """
        __global__ void partial(double *sums, const float *x, int n) {
          double sum = 0;
          for (int i = blockIdx.x; i < n; i += blocks) sum += x[i];
          if (threadIdx.x == 0) sums[blockIdx.x] = blocks == 4 ? 0 : sum;
        }"""
        seen = []

        def verify(answer, outputs, atol):
            seen.append((outputs[1:], atol))
            return abs(answer[0] - sum(outputs[0])) < atol

        arguments = [array.array("d", [0] * 4), self.a, ctypes.c_int(COUNT)]
        more = {"answer": [sum(self.a), None, None], "verify": verify, "grid_div_x": [], "atol": 1e-3}
        params = {"blocks": [1, 2, 4]}
        results, env = self.tune(partial, "blocks", arguments, params, "partial", **more)
        self.assertEqual([result["blocks"] for result in results], [1, 2])
        self.assertEqual(seen, [([None, None], 1e-3)] * 3)
        self.assertEqual([failed["blocks"] for failed in env["failed"]], [4])
        with self.assertRaisesRegex(tilewright.NothingFound, "verify accepted none of 3"):
            more["verify"] = lambda answer, outputs: False
            self.tune(partial, "blocks", arguments, params, "partial", **more)

    def test_functions_in_a_sweep(self):
        results, env = self.tune(
            lambda p: ADD.replace("block_size_x", str(p["block_size_x"])),
            size=lambda p: (2 * COUNT // 2,),
            params={"block_size_x": [16, 32, 64]},
            restrictions=lambda p: p["block_size_x"] & (p["block_size_x"] - 1) == 0 != 16 & p["block_size_x"],
            answer=[self.sums, None, None, None],
        )
        self.assertEqual([result["block_size_x"] for result in results], [16])
        self.assertEqual(env["failed"], [])

    def test_files_of_results(self):
        from tilewright.kernel_tuner import file_utils, tune_kernel, util

        self.assertIs(tune_kernel, tilewright.tune_kernel)
        results, _ = self.tune(metrics={"twice": "time * 2"})
        file_utils.store_output_file(self.folder / "results", results, BLOCKS)
        file_utils.store_metadata_file(self.folder / "metadata.json")
        stored = json.loads((self.folder / "results.json").read_text())
        self.assertEqual(
            [one["configuration"] for one in stored["results"]],
            [{"block_size_x": result["block_size_x"]} for result in results],
        )
        self.assertEqual(stored["results"][0]["measurements"][0]["value"], results[0]["time"])
        self.assertIn("tilewright==", (self.folder / "metadata.json").read_text())
        self.assertEqual(util.get_config_string({"a": 1, "time": 0.5}), "a=1, time=0.500")
        self.assertEqual(util.get_config_string({"a": 1, "b": 2}, ["b"], {"b": "ms"}), "b=2ms")

    def test_labels_and_equal_code(self):
        source = ADD.replace("a[i] + b[i]", "(real)a[i] + b[i] * factor")
        params = {"block_size_x": [32], "real": ["float", "double"], "factor": [1.0, 2.5], "idle": [0, 1]}
        more = {"answer": [self.sums, None, None, None]}
        results, env = self.tune(source, params=params, restrictions=["real != 'double' or idle == 1"], **more)
        self.assertEqual({result["factor"] for result in results}, {1.0})
        found = sorted((result["real"], result["idle"]) for result in results)
        self.assertEqual(found, [("double", 1), ("float", 0), ("float", 1)])
        self.assertEqual([failed["outcome"] for failed in env["failed"]], ["wrong_answer"] * 3)

    def test_shared_memory_and_other_files(self):
        (self.folder / "width.h").write_text("#define WIDTH block_size_x\n")
        (self.folder / "reverse.cu").write_text("""
        #include "width.h"
        extern "C" __global__ void reverse(float *y, const float *x) {
          extern __shared__ float held[];
          held[threadIdx.x] = x[blockIdx.x * WIDTH + threadIdx.x];
          __syncthreads();
          y[blockIdx.x * WIDTH + threadIdx.x] = held[WIDTH - 1 - threadIdx.x];
        }""")
        right = floats(x for first in (0, 50) for x in range(first + 49, first - 1, -1))
        results, _ = self.tune(
            self.folder / "reverse.cu", COUNT, [self.c, self.a], {"block_size_x": [50]}, "reverse",
            smem_args={"size": "block_size_x * 4"}, answer=[right, None],
        )  # fmt: skip
        self.assertEqual(len(results), 1)

    def test_constant_memory(self):
        source = """
        __constant__ float d_weights[4];
        __global__ void weigh(float *y, const float *x, const float *weights) {
          int i = blockIdx.x * block_size_x + threadIdx.x;
          y[i] = x[i] * d_weights[i % 3];
        }"""
        weights = floats([2, 3, 5])
        right = floats(x * weights[i % 3] for i, x in enumerate(self.a))
        arguments = [self.c, self.a, weights]
        params = {"block_size_x": [20, 50]}
        more = {"cmem_args": {"d_weights": weights}, "answer": [right, None, None]}
        try:
            results, _ = self.tune(source, COUNT, arguments, params, "weigh", **more)
        except tilewright.InputError as error:
            if "unknown key 'constant'" in str(error):
                self.skipTest("manifests have no constants yet")
            raise
        self.assertEqual(len(results), 2)
        source = source.replace(", const float *weights", "")  # data that is no argument
        more["answer"] = [right, None]
        results, _ = self.tune(source, COUNT, arguments[:2], params, "weigh", **more)
        self.assertEqual(len(results), 2)
        outputs = tilewright.run_kernel(
            "weigh", source, COUNT, arguments[:2], {"block_size_x": 20},
            cmem_args=more["cmem_args"], **self.here,
        )  # fmt: skip
        self.assertEqual(outputs[0], right)

    def test_metrics_and_objective(self):
        metrics = {"GB/s": lambda p: 1e-6 * COUNT / p["time"], "slow": "time * block_size_x"}
        results, env = self.tune(metrics=metrics, objective="GB/s")
        self.assertEqual(env["best_config"], max(results, key=lambda r: r["GB/s"]))
        for result in results:
            self.assertEqual(result["slow"], result["time"] * result["block_size_x"])
        _, env = self.tune(metrics=metrics, objective="slow", objective_higher_is_better=False)
        self.assertEqual(env["best_config"]["block_size_x"], 32)

    def test_keeps_what_it_is_told_to(self):
        kept = {"folder": self.folder / "kept", "cache": self.folder / "vector_add.json"}
        _, first = self.tune(answer=[self.sums, None, None, None], **kept)
        _, second = self.tune(answer=[self.sums, None, None, None], **kept)
        self.assertEqual(first["sweep"], second["sweep"])
        self.assertTrue((self.folder / "kept/vector_add.toml").exists())
        self.assertTrue((self.folder / "vector_add.db").exists())

    def test_a_budget(self):
        params = {"block_size_x": list(range(32, 320, 32))}
        results, _ = self.tune(
            params=params, strategy="random_sample", strategy_options={"max_fevals": 3}
        )
        self.assertLess(len(results), 9)

    def test_run_kernel(self):
        outputs = tilewright.run_kernel(
            "vector_add", ADD, COUNT, self.arguments, {"block_size_x": 32}, **self.here
        )
        self.assertEqual(outputs[0], self.sums)
        self.assertEqual((outputs[1], outputs[3]), (self.a, self.arguments[3]))
        self.assertEqual(self.c[5], 0)

    def test_refuses(self):
        right = [self.sums, None, None, None]
        for more, sentence in (
            ({"answer": right[:3]}, "answer: 3 were given; give one for each of 4"),
            ({"answer": [None] * 4}, "answer: all are None"),
            ({"answer": [floats([1]), None, None, None]}, "answer 1: has 1 elements float32"),
            ({"answer": [*right[:3], 4]}, "answer: argument 4 is a number"),
            ({"answer": right, "verify": 3}, "verify: give a function"),
            ({"observers": [object()]}, "observers: there are none; clocks and power are measured"),
            ({"simulation_mode": True}, "simulation_mode: `tilewright replay` compares strategies"),
            ({"texmem_args": {"t": self.a}}, "texmem_args: textures are not supported"),
            ({"objectives": {"time": False}}, "objectives: give one, as objective"),
            ({"strategy": "pso"}, "strategy 'pso' is not here; there are: brute_force"),
            ({"strategy_options": {"popsize": 3}}, "strategy_options: 'popsize' is not known"),
            ({"objective": "GFLOP/s"}, "objective 'GFLOP/s': give time or the name"),
            ({"metrics": {"m": "time"}, "objective": "m"}, "say objective_higher_is_better"),
            ({"metrics": {"m": 3}}, "metrics: 'm' must be"),
            ({"metrics": {"m": "tim"}}, "metrics: 'm': 'tim': 'tim' is not known"),
            ({"device": -1}, "device: give the number"),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(tilewright.InputError, sentence):
                self.tune(**more)


if __name__ == "__main__":
    unittest.main()
