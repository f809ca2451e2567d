"""A Triton function that a sweep tunes on a GPU, beside Triton's own timing; skipped where there is none."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "evaluator"
PROGRAM = os.environ.get("TILEWRIGHT_TEST_PROGRAM")


@unittest.skipUnless(PROGRAM, "there is no program")
class TritonOnAGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import torch
            import triton.testing
        except ImportError as error:
            raise unittest.SkipTest(f"no PyTorch with Triton: {error}")
        if not torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch sees no GPU")
        cls.torch, cls.triton = torch, triton

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def run_program(self, *words):
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = os.environ | {"HOME": self.home, "TILEWRIGHT_LOCKS": self.home, "PATH": path}
        command = [PROGRAM, *words, "--device", "cuda:0", "--db", self.home / "results.db"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def torch_us(self):
        """The time of PyTorch's own softmax by Triton's method, which empties the L2 before each call."""
        x = self.torch.randn(8192, 4096, device="cuda")
        run = lambda: self.torch.softmax(x, dim=1)
        return 1000 * self.triton.testing.do_bench(run, warmup=100, rep=200, return_mode="median")

    def final_us(self, name, *words):
        """The times of the final, after a sweep of the example with right answers."""
        swept = json.loads(self.run_program("sweep", f"{EXAMPLES}/{name}", *words, "--json"))
        print(json.dumps(swept["winners"][0], indent=1))
        exported = self.home / "all.json"
        environment = os.environ | {"HOME": self.home}
        command = [PROGRAM, "export", "--db", self.home / "results.db", "--output", exported]
        subprocess.run(command, env=environment, check=True)
        (sweep,) = json.loads(exported.read_text())["sweeps"]
        self.assertEqual(sweep["key"]["policy"], {"cache": "robust", "submission": "graph"})
        measured = [one for one in sweep["trials"] if one["outcome"] == "measured"]
        self.assertGreater(len(measured), 3, [one.get("message") for one in sweep["trials"]])
        for trial in measured:
            self.assertGreater(trial["resources"]["registers"], 0)
            self.assertGreater(trial["verification"]["outputs_checked"], 0)
        return [one["timing"]["median_us"] for one in measured if one["stage"] == "final"]

    def test_a_softmax_is_timed_as_kernels_are(self):
        ours = min(self.final_us("softmax.toml/triton"))
        theirs = self.torch_us()
        print(f"Triton's softmax by us, cold: {ours:.1f} us; PyTorch's by do_bench: {theirs:.1f} us")
        self.assertGreater(ours, 8 * 8192 * 4096 / 8e6)  # 8 TB/s, more than any GPU
        self.assertLess(ours, 2 * theirs)

    def test_products(self):
        ours = min(self.final_us("product.toml/triton", "M=N=K=2048", "--budget", "12"))
        self.assertGreater(ours, 2 * 2048**3 / 4e9)  # 4 PFLOP/s, more than any GPU

    def test_experts(self):
        for experts in 8, 64:
            words = "tokens=64", f"experts={experts}", "N=512", "K=512", "--budget", "12"
            self.assertGreater(min(self.final_us("experts.toml/triton", *words)), 0)
            (self.home / "results.db").unlink()


if __name__ == "__main__":
    unittest.main()
