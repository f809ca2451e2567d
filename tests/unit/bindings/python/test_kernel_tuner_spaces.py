"""Manifests of T1 problems and of tune_kernel have as many legal configurations as Kernel Tuner finds."""

import array
import contextlib
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tilewright import convert
from tilewright._kernel_tuner.described import described
from tilewright._kernel_tuner.evaluated import Restriction, first_legal
from tilewright._kernel_tuner.expression import translated
from tilewright._kernel_tuner.manifest import manifest_of
from test_kernel_tuner_manifests import NAMES, VALUES
from test_kernel_tuner_manifests import TABLE as EXPRESSIONS

TREE = pathlib.Path(__file__).parents[4]
TABLE = TREE / "tests/definitions/kernel_tuner_spaces.json"
BLOCK_NAMES = ["block_size_x", "block_size_y", "block_size_z"]
SOURCE = "__global__ void f(int *x) {}\n"


def t1_of(space):
    names = space.get("block_size_names", BLOCK_NAMES)
    return {
        "General": {"FormatVersion": 1},
        "ConfigurationSpace": {
            "TuningParameters": [
                {"Name": name, "Type": "int", "Values": values}
                for name, values in space["parameters"].items()
            ],
            "Conditions": [
                {"Expression": text, "Parameters": list(space["parameters"])}
                for text in space["restrictions"]
            ],
        },
        "KernelSpecification": {
            "Language": "CUDA",
            "KernelName": "f",
            "KernelFile": "f.cu",
            "GlobalSizeType": "CUDA",
            "LocalSize": {
                axis: name for axis, name in zip("XYZ", names) if name in space["parameters"]
            },
            "ProblemSize": [1000],
            "Arguments": [
                {
                    "Name": "x",
                    "Type": "int32",
                    "MemoryType": "Vector",
                    "AccessType": "ReadWrite",
                    "Size": 1,
                    "FillType": "Constant",
                    "FillValue": 0,
                }
            ],
        },
    }


def tuned_manifest(space):
    names = "lang block_size_names grid_div_x grid_div_y grid_div_z cmem_args restrictions smem_args"
    options = dict.fromkeys((names + " compiler compiler_options defines").split())
    options["block_size_names"] = space.get("block_size_names")
    functions = [eval(text) for text in space.get("functions", [])]
    options["restrictions"] = space.get("restrictions", []) + functions
    parameters = {name: eval(values) for name, values in space["parameters"].items()}
    kernel = described("f", SOURCE, 1000, [array.array("i", [0])], parameters, options)
    return manifest_of(kernel, "f.cu", None)


class Spaces(unittest.TestCase):
    table = json.loads(TABLE.read_text())

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "f.cu").write_text(SOURCE)

    def run_program(self, *words):
        done = subprocess.run(
            [os.environ["TILEWRIGHT_TEST_PROGRAM"], *map(str, words)],
            capture_output=True, text=True, env={**os.environ, "HOME": str(self.folder)},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def all_legal(self, manifest):
        plan = json.loads(self.run_program("plan", manifest, "--arch", "sm_90", "--json"))
        return [one["legal"] for one in plan["implementations"]]

    def legal(self, manifest):
        return self.all_legal(manifest)[0]

    def convert(self, problem, manifest):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            status = convert.main([str(problem), "-o", str(manifest)])
        self.assertEqual(status, 0, err.getvalue())

    def test_expressions_mean_what_python_means(self):
        """An implementation for each, whose constraint is the translation, or its opposite if it is never true."""
        table = json.loads(EXPRESSIONS.read_text())["translated"]
        text = ['schema = 1\n[operation]\nname = "f"\n[[operation.argument]]\nname = "a"\ntype = "int32"']
        text += ['role = "inout"\ncount = 1']
        for i, (python, _, count) in enumerate(table):
            python = python if count else f"not ({python})"
            default = first_legal(VALUES, [Restriction(python)])
            text += [f'[[implementation]]\nname = "e{i:02}"\nsource = "f.cu"']
            for name, values in VALUES.items():
                numbers = [0, 1] if name == "kind" else values
                text += [f'[[implementation.parameter]]\nname = "{NAMES[name].text}"\nvalues = {numbers}']
                text += [f"default = {numbers[values.index(default[name])]}"]
            require = translated(python, NAMES).text
            text += [f'[[implementation.constraint]]\nrequire = "{require}"\nwhy = "it is tested"']
            text += ['[[implementation.launch]]\nentry = "f"\ngrid = [1]\nblock = [1]\narguments = ["a"]']
        manifest = self.folder / "expressions.toml"
        manifest.write_text("\n".join(text))
        self.assertEqual(self.all_legal(manifest), [count or 36 for _, _, count in table])

    def test_tune_kernel(self):
        for space in self.table["spaces"]:
            with self.subTest(space["name"]):
                manifest = self.folder / "tuned.toml"
                manifest.write_text(tuned_manifest(space))
                self.assertEqual(self.legal(manifest), space["size"])

    def test_converted_t1_problems(self):
        converted = 0
        for space in self.table["spaces"]:
            if "functions" in space:
                continue
            converted += 1
            with self.subTest(space["name"]):
                (self.folder / "t1.json").write_text(json.dumps(t1_of(space)))
                manifest = self.folder / "t1.toml"
                self.convert(self.folder / "t1.json", manifest)
                self.assertEqual(self.legal(manifest), space["size"])
        self.assertGreater(converted, 8)

    def test_files(self):
        for file, size in self.table["files"].items():
            manifest = self.folder / "converted.toml"
            source = (TREE / file).with_suffix(".cu")
            (self.folder / source.name).write_bytes(source.read_bytes())
            self.convert(TREE / file, manifest)
            self.assertEqual(self.legal(manifest), size, file)


if __name__ == "__main__":
    unittest.main()
