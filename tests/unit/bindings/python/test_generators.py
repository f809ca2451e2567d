"""T1 problems whose arrays and answers are expressions of the index."""

import json
import os
import subprocess
import unittest

from test_convert import Home


class Generators(Home):
    def test_generators(self):
        a = self.kernel["Arguments"][1] | {"Type": "float", "Size": 10, "FillType": "Generator"}
        self.kernel["Arguments"][1] = a
        for source, code in (
            ("i", "i"), ("sequence", "i"), ("zeros", "0.0"), ("ones", "1.0"), ("2 * i + 3", "((2.0 * i) + 3.0)"),
            ("-i // 4", "floor((-i) / 4.0)"), ("i % 7 % 3", "floored_mod(floored_mod(i, 7.0), 3.0)"), ("abs(sin(i)) ** 2", "pow(fabs(sin(i)), 2.0)"),
            ("max(i, 3)", "fmax(i, 3.0)"),
        ):  # fmt: skip
            a["DataSource"] = source
            name, kernels = self.read().generators
            self.assertEqual(name, "add_generators.cu")
            self.assertIn("void fill_a(float *array, int count) {\n", kernels)
            self.assertIn(f"array[at] = {code};", kernels)
            self.assertIn('entry = "fill_a", arguments = ["a", { value = 10, type = "int32" }]', self.text())
        for source, fill in (("random", '"normal"'), ("normal", '"normal"')):
            a["DataSource"] = source
            self.assertIn(f"count = 10\nfill = {{ kind = {fill} }}", self.text())
            self.assertEqual(self.read().generators[1], "")
        where = "KernelSpecification.Arguments[1].DataSource: "
        at = "KernelSpecification/Arguments/1/"
        for source, sentence in (
            ("j + 1", where + "'j' is not known here; accepted are numbers, the index i"),
            ("__import__('os')", where + "'__import__('os')' is not known"),
            ("i if i else 1", where + "'i if i else 1' is not known"),
            ("min(i)", where + "'min(i)' is not known"),
            ("9" * 400, where + "'9999"),
            ("i +", where + "'i +' is no expression"),
        ):
            self.assertTrue(self.refusal_of(at + "DataSource", source).startswith(sentence))
        a["DataSource"] = "i"
        self.assertIn("of float16 cannot be filled by a Generator", self.refusal_of(at + "Type", "half"))
        self.assertIn("of a vector type cannot", self.refusal_of(at + "Type", "float2"))

    def test_a_problem_with_generators_is_swept(self):
        (self.home / "add.cu").write_text(
            "__global__ void add(float *c, const float *a, int n) {\n"
            "  int i = blockIdx.x * block_size_x + threadIdx.x;\n  if (i < n) c[i] = a[i] * 2 + 3;\n}\n"
        )
        parameter = {"Name": "block_size_x", "Type": "int", "Values": "[32, 64]"}
        self.json["ConfigurationSpace"] = {"TuningParameters": [parameter]}
        self.kernel |= {"LocalSize": {"X": "block_size_x"}, "GlobalSize": {"X": "1000"}}
        self.kernel["Arguments"][1] |= {"Type": "float", "Size": 1000, "FillType": "Generator", "DataSource": "i"}
        answer = {"Name": "right", "FillType": "Generator", "DataSource": "2 * i + 3", "TargetName": "c"}
        problem, manifest = self.home / "add.json", self.home / "add.toml"
        for source, outcome in (("2 * i + 3", "measured"), ("2 * i + 4", "wrong_answer")):
            self.kernel["ReferenceArguments"] = [answer | {"DataSource": source}]
            problem.write_text(json.dumps(self.json))
            status, _, err = self.convert(problem, "-o", manifest)
            self.assertEqual(status, 0, err)
            self.assertNotIn("right answers", err)
            self.assertEqual(self.swept(manifest).get(outcome), 2)
        status, _, err = self.convert(problem)
        self.assertEqual(status, 2)
        self.assertIn("needs a second file; give --output", err)

    def swept(self, manifest):
        command = [os.environ["TILEWRIGHT_TEST_PROGRAM"], "sweep", manifest, "--device", "host", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HOME": str(self.home)})
        return json.loads(done.stdout)["report"]["outcomes"]


if __name__ == "__main__":
    unittest.main()
