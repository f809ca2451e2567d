"""Evaluators that tilewright times, on the host device: Python functions of the sweep's own operands."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("TILEWRIGHT_TEST_PROGRAM")

MANIFEST = """
schema = 1
[operation]
name = "scale"
checks = [{ n = 37 }]
[[operation.dimension]]
name = "n"
default = 64
[[operation.argument]]
name = "x"
count = "n"
[[operation.argument]]
name = "y"
role = "output"
count = "n"
[[operation.argument]]
name = "sum"
role = "inout"
type = "int32"
count = "1"
fill = { kind = "constant", value = 3 }
[[operation.argument]]
name = "factor"
kind = "scalar"
fill = { kind = "constant", value = 2.5 }
[operation.reference]
source = "scale.cu"
[[operation.reference.launch]]
entry = "scale"
grid = [1]
block = [1]
arguments = ["x", "y", "sum", "factor", "n"]
[[implementation]]
name = "python"
evaluator = ["python3", "scale.py"]
timed_by = "tilewright"
[[implementation.parameter]]
name = "FAULT"
values = FAULTS
default = "none"
"""

REFERENCE = """
__global__ void scale(const float* x, float* y, int* sum, float factor, int n) {
  for (int i = 0; i < n; ++i) y[i] = factor * x[i];
  *sum += n;
}
"""

EVALUATOR = """
import ctypes, os, sys, time, types
from tilewright.evaluator import Failed, Prepared, serve

def scale(x, y, sum, factor):
    for i in range(len(x)):
        y[i] = factor * x[i]
    sum[0] += len(x)

class Session:
    def begin(self, hello):
        assert hello["device"] == {"kind": "host", "index": 0}, hello
        self.measures = hello["task"] == "measure"
        assert hello["operation"] == "scale"

    def prepare(self, problem, configuration):
        fault, n = configuration["FAULT"], problem["n"]
        if fault == "compile":
            raise Failed("compile", "no such instruction")
        if fault == "resources":
            raise Failed("resources", "300 KiB of shared memory")
        if fault == "odd":
            return Prepared(scale, resources={"registers": "many"})
        if not self.measures:
            return Prepared(None, code=fault, resources={"registers": 40})

        calls = []
        sys.modules["numpy"] = types.SimpleNamespace() if fault == "operand" else None  # one without frombuffer()

        def run(x, y, sum, factor):
            calls.append(n)
            assert (len(x), len(y), len(sum), factor) == (n, n, 1, 2.5)
            scale(x, y, sum, factor)
            if fault == "wrong":
                y[n - 1] += 1
            if fault == "ragged" and n == 37:
                y[0] = 0
            if fault == "input":
                x[0] = 7
            if fault == "beyond":
                ctypes.c_float.from_address(ctypes.addressof(ctypes.c_float.from_buffer(y)) + 4 * n).value = 1
            if fault == "raise":
                raise ValueError("out of luck")
            if fault == "exit":
                sys.exit("enough")
            if fault == "exit_later" and len(calls) > 3:
                sys.exit("enough")
            if fault == "launch":
                raise Failed("launch", "too many threads")
            if fault == "broken":
                raise Failed("broken", "the context is gone")
            if fault == "die":
                os._exit(7)
            if fault == "print":
                print("this is no message", flush=True)
            if fault == "hang":
                time.sleep(1000)

        return Prepared(run, resources={"registers": 40})

serve(Session)
"""

# What becomes of a configuration, and what its message says.
FAULTS = {
    "none": ("measured", ""),
    "print": ("measured", ""),
    "compile": ("compile_failed", "no such instruction"),
    "resources": ("unsupported", "300 KiB of shared memory"),
    "odd": ("compile_failed", "registers"),
    "wrong": ("wrong_answer", "y"),
    "ragged": ("wrong_answer", "n=37"),
    "input": ("wrote_out_of_bounds", "changed the input x"),
    "beyond": ("wrote_out_of_bounds", "wrote outside y"),
    "raise": ("launch_failed", "ValueError: out of luck"),
    "exit": ("faulted", "SystemExit: enough"),
    "exit_later": ("faulted", "SystemExit: enough"),
    "operand": ("launch_failed", "frombuffer"),
    "launch": ("launch_failed", "too many threads"),
    "broken": ("faulted", "the context is gone"),
    "die": ("faulted", "exit status 7"),
    "hang": ("timed_out", "within"),
}


@unittest.skipUnless(PROGRAM, "there is no program")
class OurOperands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.write(MANIFEST.replace("FAULTS", json.dumps(list(FAULTS))))
        (self.home / "scale.cu").write_text(REFERENCE)
        (self.home / "scale.py").write_text(EVALUATOR)

    def write(self, manifest):
        (self.home / "scale.toml").write_text(manifest)

    def run_program(self, *words, **options):
        python = pathlib.Path(sys.executable).parent
        path = f"{python}:{os.environ['PATH']}"
        environment = os.environ | {"HOME": self.home, "TILEWRIGHT_LOCKS": self.home, "PATH": path}
        command = [PROGRAM, *words, "--db", self.home / "results.db"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, **options)

    def test_each_fault_costs_its_own_configuration(self):
        limits = ["--sample-limit", "5", "--verify-limit", "5"]
        done = self.run_program("sweep", self.home / "scale.toml", "--device", "host", *limits)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(self.run_program("export", "--format", "json").stdout)["sweeps"][0]["trials"]
        trials = {one["configuration"]["FAULT"]: one for one in rows if one["stage"] == "screen"}
        self.assertEqual(trials.keys(), FAULTS.keys())
        for fault, (outcome, message) in FAULTS.items():
            with self.subTest(fault):
                self.assertEqual(trials[fault]["outcome"], outcome, trials[fault])
                self.assertIn(message, trials[fault].get("message", ""))
        self.assertEqual(trials["none"]["resources"]["registers"], 40)

    def test_its_times_stand_beside_those_of_kernels(self):
        done = self.run_program("sweep", self.home / "scale.toml", "--device", "host", "--where", "FAULT == 'none'")
        self.assertEqual(done.returncode, 0, done.stderr)
        exported = json.loads(self.run_program("export", "--format", "json").stdout)["sweeps"][0]
        self.assertEqual(exported["key"]["policy"], {"cache": "warm", "submission": "call"})
        best = self.run_program("best", self.home / "scale.toml", "--device", "host")
        self.assertNotIn("self-timed", best.stdout)
        self.assertNotIn("stale", best.stdout)

    def test_each_problem_of_a_run_has_its_own_session(self):
        sizes = ["--shapes", "n=64,65", "--where", "FAULT == 'none'"]
        done = self.run_program("sweep", self.home / "scale.toml", "--device", "host", *sizes)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        exported = json.loads(self.run_program("export", "--format", "json").stdout)["sweeps"]
        outcomes = [{one["outcome"] for one in sweep["trials"]} for sweep in exported]
        self.assertEqual(outcomes, [{"measured"}] * 2)

    def test_few_descriptors_are_enough(self):
        words = ["sweep", self.home / "scale.toml", "--device", "host", "--where", "FAULT == 'none'"]
        done = self.run_program(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_its_operation_needs_arguments_and_a_reference(self):
        begin, _, rest = MANIFEST.replace("FAULTS", '["none"]').partition("[operation.reference]")
        _, _, end = rest.partition("[[implementation]]")
        self.write(begin + "[[implementation]]" + end)
        done = self.run_program("sweep", self.home / "scale.toml", "--device", "host")
        self.assertIn("has no reference", done.stderr)


if __name__ == "__main__":
    unittest.main()
