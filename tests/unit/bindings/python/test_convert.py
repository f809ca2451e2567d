"""`python3 -m tilewright.convert`: T1 problems become manifests, or are refused in one sentence."""

import contextlib
import copy
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import tilewright
from tilewright._kernel_tuner.t1 import read_t1
from tilewright._kernel_tuner.values import integer_of, list_of
from tilewright.convert import main

EXAMPLE = pathlib.Path(__file__).parents[4] / "examples/kernel_tuner/convolution.json"
PROBLEM = {
    "General": {"FormatVersion": 1},
    "ConfigurationSpace": {
        "TuningParameters": [
            {"Name": "block_size_x", "Type": "int", "Values": "[16*i for i in range(1, 5)]", "Default": 48},
            {"Name": "tile", "Type": "uint", "Values": [1, 2, 4], "Default": 1},
        ],
        "Conditions": [
            {"Expression": "32 <= block_size_x * tile <= 128", "Parameters": ["block_size_x", "tile"]},
            {"Expression": "block_size_x / tile > 8", "Parameters": ["block_size_x", "tile"]},
        ],
    },
    "KernelSpecification": {
        "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu", "CompilerOptions": ["-std=c++17"],
        "GlobalSizeType": "OpenCL",
        "GlobalSize": {"X": "1000 // tile"}, "LocalSize": {"X": "block_size_x", "Y": "1"},
        "Arguments": [
            {"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1000},
            {"Name": "a", "Type": "float2", "MemoryType": "Vector", "AccessType": "ReadOnly",
             "FillType": "Random", "Size": "500 * max(tile) // 4"},
            {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000},
        ],
    },
}  # fmt: skip
SOURCE = "__global__ void add(float* c, const float* a, int n) {}\n"


class Values(unittest.TestCase):
    def test_lists_of_the_forms_that_problems_have(self):
        for text, expected in (
            ("[16, 32.0]", [16, 32]),
            ("(1, 2,)", [1, 2]),
            ("[]", []),
            ("list(range(1, 4))", [1, 2, 3]),
            ("range(7, 0, -3)", [7, 4, 1]),
            ("[1, 2] + list(range(32, 96+1, 32))", [1, 2, 32, 64, 96]),
            ("[2**i for i in range(0, 4)]", [1, 2, 4, 8]),
            ("[i for i in range(9) if i % 2 == 0 and i > 2]", [4, 6, 8]),
            ("[True, False]", [1, 0]),
            ("[-7 // 2, -7 % 2, 7 // -2, 3 if 1 < 2 < 3 else 4]", [-4, 1, -4, 3]),
        ):
            self.assertEqual(list_of(text), expected, text)

    def test_integers_over_names(self):
        names = {"ProblemSize": [100, 20], "width": [3, 15]}
        self.assertEqual(integer_of("(ProblemSize[0]+max(width)-1) * ProblemSize[-1]", names), 114 * 20)
        self.assertEqual(integer_of("sum(width) + len(width) + min(4, 5) + int(2)", names), 18 + 2 + 4 + 2)
        self.assertEqual(integer_of("sum([w for w in width]) + w", {**names, "w": 1}), 19)

    def test_refuses_in_one_sentence(self):
        for text, sentence in (
            ("[1, 2", "'[1, 2' is no expression of Python: "),
            ("[0.5, 2.0]", "'[0.5, 2.0]': 0.5 is no integer"),
            ("['a']", "'['a']': ''a'' is not known here"),
            ("3", "'3' is no list"),
            ("[[1]]", "'[[1]]': '[1]' is a list"),
            ("[x]", "'[x]': 'x' is not known here"),
            ("[1 // 0]", "'[1 // 0]': it divides by zero"),
            ("[4 / 2]", "'[4 / 2]': '/' gives no integer"),
            ("[9 ** 64]", "'[9 ** 64]': it needs more than 64 bits"),
            ("[9 ** 9 ** 9 ** 9]", "'[9 ** 9 ** 9 ** 9]': it needs more than 64 bits"),
            ("[2 ** -1]", "'[2 ** -1]': an exponent is negative"),
            ("[99999999999999999999]", "'[99999999999999999999]': it needs more than 64 bits"),
            ("range(0, 9, 0)", "'range(0, 9, 0)': the step of a range is zero"),
            ("[range(3)[5]]", "'[range(3)[5]]': 'range(3)[5]' is beyond the list"),
            ("range(10**9)", "'range(10**9)': a list has more than 4096 elements"),
            ("[1] * 3", "'[1] * 3': '[1] * 3' is not known here"),
            ("[sum([k for k in range(4000)]) for i in range(4000)]", "takes too many steps"),
            ("__import__('os').system('x')", "is not known here"),
            ("open('x')", "'open('x')' is not known here"),
            ("-" * 500 + "1", "nested more than 100 deep"),
        ):
            with self.subTest(text[:50]), self.assertRaises(tilewright.InputError) as refused:
                list_of(text)
            self.assertIn(sentence, str(refused.exception))


class Home(unittest.TestCase):
    """A folder with a problem and its source."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        (self.home / "add.cu").write_text(SOURCE)
        self.json = copy.deepcopy(PROBLEM)
        self.kernel = self.json["KernelSpecification"]

    def read(self):
        return read_t1(self.json, self.home)

    def text(self):
        return self.read().manifest(self.home)

    def convert(self, *words):
        """The status, standard output and standard error."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main(list(map(str, words)))
            except SystemExit as end:  # of argparse
                status = end.code
        return status, out.getvalue(), err.getvalue()

    def refusal_of(self, place, value):
        """What one changed value is answered with."""
        json_ = copy.deepcopy(self.json)
        *parents, last = [int(key) if key.isdigit() else key for key in place.split("/")]
        at = json_
        for key in parents:
            at = at[key]
        at[last] = value
        with self.assertRaises(tilewright.InputError, msg=place) as refused:
            read_t1(json_, self.home)
        return str(refused.exception)


class Problems(Home):
    def test_become_manifests(self):
        text = self.text()
        for part in (
            'name = "add"',
            'name = "a"\ntype = "float32"\nrole = "input"\ncount = 1000\nfill = { kind = "normal" }',
            'source = "add.cu"\noptions = ["-std=c++17"]',
            'name = "block_size_x"\nvalues = [16, 32, 48, 64]\ndefault = 48',
            'require = "block_size_x > 8 * tile"\nwhy = "condition: block_size_x / tile > 8"',
            'grid = ["ceil_div(1000 / tile, block_size_x)", "1", "1"]\nblock = ["block_size_x", "1", "1"]',
        ):
            self.assertIn(part, text)

    def test_of_kernel_tuner_have_a_problem_size(self):
        self.kernel["ProblemSize"] = [1000, "2 * 10"]
        self.kernel["GridDivX"] = ["block_size_x/12", "tile"]  # Kernel Tuner rounds each down
        self.kernel["Arguments"][0]["Size"] = "ProblemSize[0] * ProblemSize[1]"
        text = self.text()
        self.assertIn('name = "problem_size_y"\ndefault = 20\nminimum = 20\nmaximum = 20', text)
        self.assertIn("count = 20000", text)
        grid = '["ceil_div(problem_size_x, block_size_x / 12 * tile)", "problem_size_y", "1"]'
        self.assertIn(f"grid = {grid}", text)
        self.kernel["GridDivX"] = []  # as if it were not there
        self.assertIn('grid = ["ceil_div(problem_size_x, block_size_x)"', self.text())

    def test_fill_arrays_and_symbols(self):
        a = self.kernel["Arguments"][1]
        a |= {"MemType": "Constant", "FillType": "Constant", "FillValue": 0.5}
        text = self.text()
        self.assertIn('constant = [{ symbol = "a", from = "a" }]', text)
        self.assertIn('fill = { kind = "constant", value = 0.5 }', text)
        self.assertIn('arguments = ["c", "a", { value = 1000, type = "int32" }]', text)
        del a["MemType"]
        a |= {"MemoryType": "Symbol", "FillType": "BinaryRaw", "DataSource": "a.bin"}
        text = self.text()
        self.assertIn('arguments = ["c", { value', text)
        self.assertIn('kind = "file", path = "a.bin"', text)

    def test_empty_texts_in_lists_count_as_absent(self):
        self.kernel["CompilerOptions"] = [""]
        self.assertNotIn("options", self.text())
        self.kernel["CompilerOptions"] = ["", "-O3"]
        self.assertIn('options = ["-O3"]', self.text())
        self.json["ConfigurationSpace"]["TuningParameters"][1]["Values"] = [1.0, 2, 4.0]
        self.kernel["Arguments"][0]["Size"] = 1000.0
        self.assertIn('name = "tile"\nvalues = [1, 2, 4]', self.text())

    def test_keep_legal_defaults(self):
        for condition, defaults in (("block_size_x * tile <= 48", (48, 1)), ("block_size_x * tile == 64", (16, 4)),
                                    ("4 // (tile - 2) == 2 and block_size_x > 1", (48, 4))):  # fmt: skip
            self.json["ConfigurationSpace"]["Conditions"] = [{"Expression": condition}]
            found = tuple(one.default for one in self.read().kernel.parameters.values())
            self.assertEqual(found, defaults, condition)

    def test_are_refused_in_one_sentence(self):
        parameter = "ConfigurationSpace/TuningParameters/0/"
        condition = "ConfigurationSpace/Conditions/0/Expression"
        kernel = "KernelSpecification/"
        for place, value, sentence in (
            (kernel + "Language", "OpenCL", "KernelSpecification.Language: 'OpenCL': only CUDA"),
            (kernel + "KernelFile", "absent.cu", "KernelSpecification.KernelFile: absent.cu is neither"),
            (kernel + "KernelName", "a\nb", "KernelSpecification.KernelName: it must be one line"),
            (kernel + "KernelName", "", "KernelSpecification.KernelName: it must not be empty"),
            (kernel + "KernelName", None, "KernelSpecification: the key 'KernelName' is missing"),
            (kernel + "LocalSize", 3, "KernelSpecification.LocalSize: it must be an object"),
            (kernel + "LocalSize/X", "w", "KernelSpecification.LocalSize.X: 'w': 'w' is no parameter"),
            (kernel + "LocalSize/X", "tile - 1", "KernelSpecification.GlobalSize.X: 'tile - 1' may be"),
            (kernel + "GlobalSizeType", "Metal", "KernelSpecification.GlobalSizeType: 'Metal': give"),
            (kernel + "ProblemSize", [], "KernelSpecification.ProblemSize: give 1 to 3 sizes"),
            (kernel + "ProblemSize", [0], "KernelSpecification.ProblemSize[0]: a size is from 1"),
            (kernel + "SharedMemory", "1", "KernelSpecification.SharedMemory: it must be an integer"),
            (kernel + "Arguments", None, "KernelSpecification: no argument has AccessType"),
            (kernel + "Arguments/0/AccessType", "Any", "KernelSpecification.Arguments[0].AccessType"),
            (kernel + "Arguments/0/MemoryType", "Local", "KernelSpecification.Arguments[0].MemoryType"),
            (kernel + "Arguments/0/Type", "custom", "KernelSpecification.Arguments[0].Type: 'custom'"),
            (kernel + "Arguments/0/Size", 0, "KernelSpecification.Arguments[0].Size: 0 elements"),
            (kernel + "Arguments/0/Size", "w", "KernelSpecification.Arguments[0].Size: 'w': 'w' is not"),
            (kernel + "Arguments/0/Name", "a", "KernelSpecification: two arguments are called 'a'"),
            (kernel + "Arguments/0/Name", "a b", "KernelSpecification.Arguments[0].Name: 'a b' must be"),
            (kernel + "Arguments/1/FillType", "Script", "KernelSpecification.Arguments[1].FillType"),
            (kernel + "Arguments/2/FillValue", float("nan"), "KernelSpecification.Arguments[2].FillValue: it must"),
            (kernel + "Arguments/2/FillValue", 0.5, "KernelSpecification.Arguments[2].FillValue: 0.5"),
            (kernel + "Arguments/2/Type", "float4", "KernelSpecification.Arguments[2].Type: a number"),
            (parameter + "Type", "string",
             "ConfigurationSpace.TuningParameters[0].Type: 'string': values of a parameter must be"),
            (parameter + "Values", "[]", "ConfigurationSpace.TuningParameters[0].Values: it has no values"),
            (parameter + "Values", "[1, 1]", "ConfigurationSpace.TuningParameters[0].Values: 1 is there twice"),
            (parameter + "Values", "[1",
             "ConfigurationSpace.TuningParameters[0].Values: '[1' is no expression of Python"),
            (parameter + "Name", "tile", "ConfigurationSpace.TuningParameters[1]: 'tile' is there twice"),
            (condition, "tile & 1",
             "ConfigurationSpace.Conditions[0].Expression: 'tile & 1': 'tile & 1' has no counterpart"),
            (condition, "tile > 4", "ConfigurationSpace.Conditions: no configuration satisfies all of them"),
        ):  # fmt: skip
            with self.subTest(place=place, value=value):
                refusal = self.refusal_of(place, value)
                self.assertTrue(refusal.startswith(sentence), refusal)

    def test_need_their_parts(self):
        for what in ([], 3, {"cache": {}}, {"ConfigurationSpace": {}}):
            with self.assertRaisesRegex(tilewright.InputError, "^this is no tuning problem of the format T1"):
                read_t1(what, self.home)

    def test_of_any_content_are_read_or_refused(self):
        """As a fuzzer changes them: nodes are replaced, copied and removed."""
        rng = random.Random(58)
        strange = [None, True, 0, -1, 2**63, 1e308, 0.5, "", "nan", "\x1b[2J\r\n", [], {}, [1, 2, 3], {"": 0},
                   "x ** 16 ** 2", "((tile ** 16) ** 16) ** 16", "[" * 300, "-" * 300 + "1", "\ud800"]  # fmt: skip
        accepted = 0
        for _ in range(1500):
            json_ = copy.deepcopy(self.json)
            for _ in range(rng.randrange(1, 4)):
                nodes, places = [json_], []
                for node in nodes:
                    keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
                    places += [(node, key) for key in keys]
                    nodes += [node[key] for key in keys]
                node, key = rng.choice(places)
                if rng.randrange(4) == 0:
                    del node[key]
                else:
                    node[key] = copy.deepcopy(rng.choice([*strange, *nodes[1:]]))
            try:
                accepted += bool(read_t1(json_, self.home).manifest("."))
            except tilewright.InputError:
                pass
        self.assertGreater(accepted, 20)


class Program(Home):
    def tilewright(self, *words):
        program = [os.environ["TILEWRIGHT_TEST_PROGRAM"], *map(str, words)]
        environment = {**os.environ, "HOME": str(self.home)}
        done = subprocess.run(program, capture_output=True, text=True, env=environment, cwd=self.home)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_problem_is_planned(self):
        manifest = self.home / "convolution.toml"
        command = [sys.executable, "-m", "tilewright.convert", EXAMPLE, "-o", manifest]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("note: right answers are not described", done.stderr)
        self.assertIn("next: tilewright plan", done.stderr)
        part = self.tilewright("plan", manifest, "--arch", "sm_90", "--json")["implementations"][0]
        self.assertEqual(part["implementation"], "convolution_kernel/kernel")
        self.assertEqual(part["combinations"], 8 * 6 * 3 * 3 * 2)
        # 34 blocks have a legal number of threads. 16 of them have a width for which padding matters.
        cut = sum(one["count"] for one in part["cuts"] if one["rule"].startswith("condition: "))
        self.assertEqual(part["combinations"] - cut, 9 * (34 + 16))

    def test_its_code_compiles(self):
        command = [os.environ["TILEWRIGHT_TEST_PROGRAM"], "--version"]
        if "NVRTC none" in subprocess.run(command, capture_output=True, text=True).stdout:
            self.skipTest("there is no NVRTC")
        manifest = self.home / "convolution.toml"
        self.assertEqual(self.convert(EXAMPLE, "-o", manifest)[0], 0)
        plan = self.tilewright("plan", manifest, "--arch", "sm_90", "--compile", "2", "--json")
        compiled = plan["implementations"][0]["compile"]
        self.assertEqual(compiled["compiled"] + compiled["from_cache"], 2)

    def test_a_manifest_is_completed_by_hand_and_swept(self):
        """With a reference, which T1 has no words for."""
        (self.home / "add.cu").write_text(
            "__global__ void add(float *c, float *a, int n) {\n"
            "  int i = blockIdx.x * block_size_x + threadIdx.x;\n"
            "  if (i < n) c[i] = a[i] + 1;\n}\n"
        )
        (self.home / "reference.cu").write_text(
            "__global__ void right(float *c, const float *a) {\n"
            "  c[threadIdx.x] = (float)(a[threadIdx.x] + 1.0);\n}\n"
        )
        parameter = {"Name": "block_size_x", "Type": "int", "Values": "[32, 64]"}
        self.json["ConfigurationSpace"] = {"TuningParameters": [parameter]}
        self.kernel |= {"ProblemSize": [100], "LocalSize": {"X": "block_size_x"}}
        for argument in self.kernel["Arguments"]:
            argument.update({"Type": "float", "Size": 100} if argument["Name"] != "n" else {"FillValue": 100})
            argument.pop("FillType", None)
        problem, manifest = self.home / "add.json", self.home / "add.toml"
        problem.write_text(json.dumps(self.json))
        status, out, err = self.convert(problem)  # its paths are relative to the current folder
        self.assertEqual(status, 0, err)
        self.assertIn(f'source = "{os.path.relpath(self.home / "add.cu")}"', out)
        self.assertEqual(self.convert(problem, "-o", manifest)[0], 0)
        with manifest.open("a") as file:
            file.write(
                '[operation.reference]\nsource = "reference.cu"\n[[operation.reference.launch]]\n'
                'entry = "right"\ngrid = [1]\nblock = [100]\narguments = ["c", "a"]\n'
            )
        swept = self.tilewright("sweep", manifest, "--device", "host", "--json")
        self.assertEqual(swept["report"]["outcomes"]["measured"], 2)

    def assert_refused(self, text, reason):
        """Status 2, one line with the file and the reason, and no manifest."""
        problem, manifest = self.home / "p.json", self.home / "p.toml"
        problem.write_bytes(text if isinstance(text, bytes) else text.encode())
        status, _, err = self.convert(problem, "-o", manifest)
        self.assertEqual(status, 2)
        self.assertIn(f"p.json: {reason}", err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertFalse(manifest.exists())

    def test_what_is_no_problem_is_refused(self):
        for text, reason in (
            ("", "it is not JSON: "),
            ("{", "it is not JSON: "),
            (b"\xff", "it is not JSON: "),
            ("[NaN]", "this is no tuning problem"),
            (json.dumps(PROBLEM).replace("1000}", "NaN}"), "KernelSpecification.Arguments[0].Size: it must be"),
            ("[" * 100_000, "its JSON nests too deeply"),
            (" " * (16 << 20) + "[]", "it is larger than 16 MiB"),
            ("[]", "this is no tuning problem of the format T1"),
            ('{"cache": {}}', "this is no tuning problem of the format T1"),
        ):
            self.assert_refused(text, reason)

    def test_what_a_manifest_cannot_say_is_refused(self):
        parameter = {"Name": "size_of", "Type": "int", "Values": "[32, 64]"}
        self.json["ConfigurationSpace"] = {"TuningParameters": [parameter]}
        self.kernel |= {"LocalSize": {"X": "32"}, "GlobalSize": {"X": "32"}}
        self.kernel["Arguments"][1]["Size"] = 10
        self.assert_refused(json.dumps(self.json), "the manifest would not be accepted: p.toml:")
        self.kernel["KernelName"] = "a\x1b[2J"
        self.assert_refused(json.dumps(self.json), "KernelSpecification.KernelName: it must be one line of text")

    def test_words(self):
        self.assertEqual(self.convert()[0], 2)
        problem = self.home / "p.toml"
        problem.write_text(json.dumps(self.json))
        (self.home / "all.db").write_bytes(b"SQLite format 3\0")
        (self.home / "db.toml").write_bytes(b"SQLite format 3\0")
        for words, sentence in (
            (("absent.json",), "absent.json: there is no such file"),
            ((self.home,), "Is a directory"),
            ((problem, "-o", "mine.manifest"), "'mine.manifest': the name of a manifest ends with .toml"),
            ((problem, "-o", self.home / "all.db"), "ends with .toml"),
            ((problem, "-o", self.home / "db.toml"), "is a database; name another"),
            ((problem, "-o", problem), "is the file that is converted; name another"),
        ):
            status, out, err = self.convert(*words)
            self.assertEqual((status, out), (2, ""), err)
            self.assertIn(sentence, err)
        self.assertEqual(json.loads(problem.read_text()), self.json)
        status, _, err = self.convert(problem, "-o", self.home / "absent/x.toml")
        self.assertEqual(status, 3)
        self.assertIn("cannot be written", err)


if __name__ == "__main__":
    unittest.main()
