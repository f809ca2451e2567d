"""tilewright.inductor: what a sweep finds becomes rows of PyTorch Inductor's look-up table, and Inductor uses them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from triton_modules import torch_and_triton

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "evaluator"
PROGRAM = os.environ.get("TILEWRIGHT_TEST_PROGRAM")
SIZES = {"M": 64, "N": 48, "K": 40}

# Stands for Inductor's kernels on the host device. ATen's takes nine times as long.
PRODUCT = """
import numpy
from tilewright.evaluator import serve

class Session:
    def prepare(self, problem, configuration):
        m, n, k = (problem[name] for name in "MNK")
        def product(a, b, c):
            for _ in range(9 if configuration["TEMPLATE"] == "aten" else 1):
                c.reshape(m, n)[:] = a.reshape(m, k).astype("f4") @ b.reshape(n, k).astype("f4").T
        return product

serve(Session)
"""


class Inductor:
    """What the tests of both devices need."""

    @classmethod
    def setUpClass(cls):
        if not PROGRAM:
            raise unittest.SkipTest("there is no program")
        cls.torch, cls.triton = torch_and_triton("torch._inductor.lookup_table")
        cls.find_device()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        cls.database = cls.home / "results.db"
        cls.prepare()

    @classmethod
    def run_command(cls, *command):
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = os.environ | {"HOME": cls.home, "TILEWRIGHT_LOCKS": cls.home, "PATH": path}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return done.stdout

    @classmethod
    def sweep(cls, manifest, problem, *words):
        """The table that is written after it, and what the writer says."""
        words = [*(f"{name}={value}" for name, value in problem.items()), *words, "--db", cls.database]
        cls.run_command(PROGRAM, "sweep", f"{manifest}/inductor", *words)
        file = cls.home / "table.json"
        said = cls.run_command(sys.executable, "-m", "tilewright.inductor", cls.database, file)
        return json.loads(file.read_text()), said


class OnTheHost(Inductor, unittest.TestCase):
    @classmethod
    def find_device(cls):
        pass

    @classmethod
    def prepare(cls):
        for name in ("product.toml", "product_triton.py"):
            shutil.copy(EXAMPLES / name, cls.home)
        (cls.home / "product_inductor.py").write_text(PRODUCT)
        blocks = "BLOCK_M == 32 && BLOCK_N == 32 && BLOCK_K == 16 && GROUP_M == 4"
        where = f"TEMPLATE == 'aten' || {blocks} && num_warps == 2 && num_stages == 4"
        problem = SIZES | {"transpose_b": "yes"}
        cls.table, cls.said = cls.sweep(cls.home / "product.toml", problem, "--device", "host", "--where", where)

    def choice(self, table, device):
        """What Inductor chooses for the product of the sweep, on a GPU of that name."""
        from tilewright import inductor
        from torch._inductor import config
        from torch._inductor.lookup_table import LookupTableChoices

        class Choices(LookupTableChoices):
            _get_device_key = staticmethod(lambda _device: device)

            def _get_lookup_table(self):
                return config.lookup_table.table

        self.a = self.torch.randn(SIZES["M"], SIZES["K"], dtype=self.torch.float16)
        self.b = self.torch.randn(SIZES["N"], SIZES["K"], dtype=self.torch.float16).T
        target = self.triton.backends.compiler.GPUTarget("cuda", 90, 32)
        driver = mock.Mock(get_current_target=lambda: target)
        with mock.patch.object(self.triton.runtime.driver, "_active", driver):
            with config.patch(cpu_backend="triton"):
                return inductor.choice(table, self.a, self.b, Choices)

    def test_a_row_is_found_and_becomes_the_kernel(self):
        from tilewright import inductor

        self.assertIn("1 rows", self.said)
        (name,) = set(self.table) - {"tilewright"}
        (row,) = self.table[name]
        (about,) = self.table["tilewright"]
        self.assertEqual(about["key"], name)
        self.assertIn(inductor.version(), about["versions"])
        self.assertGreater(about["default_us"], 2 * about["median_us"])
        choice = self.choice(self.table, about["device"])
        source = pathlib.Path(choice.bmreq.module_path).read_text()
        for constant in "BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M", "EVEN_K":
            self.assertRegex(source, f"{constant} : tl.constexpr = {row[constant]}\n")
        self.assertEqual((row["BLOCK_K"], row["EVEN_K"]), (16, False))
        self.assertIn("num_stages=4,\nnum_warps=2,\n", source)

    def test_other_devices_and_templates_do_not_take_it(self):
        from tilewright.evaluator import Failed

        with self.assertRaisesRegex(Failed, "does not use the row"):
            self.choice(self.table, "another")
        (name,) = set(self.table) - {"tilewright"}
        other = {name: [self.table[name][0] | {"template_hash": "of another version"}]}
        with self.assertRaisesRegex(Failed, "does not use the row"):
            self.choice(other, self.table["tilewright"][0]["device"])

    def test_atens_own_kernel_is_called_as_inductor_calls_it(self):
        from tilewright import inductor

        problem = SIZES | {"type": "float16", "transpose_b": "yes"}
        choice = self.choice({inductor.key(problem): [inductor.row(problem, {"TEMPLATE": "aten"})]}, "any")
        seen = self.torch.empty(SIZES["M"], SIZES["N"], dtype=self.torch.float16)
        choice.bmreq.make_run_fn(self.a, self.b, out=seen)()
        self.assertTrue(seen.equal(self.a @ self.b))

    def test_what_is_not_proved_is_left_out(self):
        from tilewright import inductor, results

        (best,) = results(self.database, inductor.OPERATION, what="best")
        version = inductor.version()
        for changes, why in (
            ({}, None),
            ({"default_us": 1.009 * best["median_us"]}, "1.009 of the default's"),
            ({"default_us": None}, "no final"),
            ({"stage": "screen"}, "no final"),
            ({"policy": "warm/author"}, "not timed by tilewright"),
            ({"strategy": f"model version={version}1"}, "not measured with"),
        ):
            made, left_out = inductor.table([best | changes], version)
            self.assertEqual(len(made), 2 if why is None else 1, changes)
            self.assertEqual(len(left_out), 0 if why is None else 1, changes)
            self.assertIn(why or "", "".join(left_out))
        made, left_out = inductor.table([best, best | {"policy": "another"}], version)
        self.assertEqual(len(made["tilewright"]), 1)
        self.assertIn("has a row already", "".join(left_out))


class OnAGpu(Inductor, unittest.TestCase):
    # Few rows and a long sum: cuBLAS is not always the best at that.
    problem = {"M": 48, "N": 4096, "K": 4096, "type": "float16", "transpose_b": "yes"}

    @classmethod
    def find_device(cls):
        if not cls.torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch sees no GPU")

    @classmethod
    def prepare(cls):
        manifest = EXAMPLES / "product.toml"
        cls.table, cls.said = cls.sweep(manifest, cls.problem, "--device", "cuda:0", "--budget", "40")

    def test_torch_compile_uses_the_row(self):
        from tilewright import inductor, results
        from tilewright._tables import part

        print(f"the table: {self.said}{json.dumps(self.table, indent=1)}")
        trials = results(self.database, inductor.OPERATION)
        bad = [one for one in trials if one["outcome"] in ("compile_failed", "wrong_answer", "launch_failed", "faulted")]
        self.assertEqual([one["message"] for one in bad], [])
        measured = [one for one in trials if one["median_us"] and one["configuration.TEMPLATE"] == "triton"]
        best = min(measured, key=lambda one: one["median_us"])
        row = inductor.row(self.problem, part(best, "configuration"))
        file = self.home / "one.json"
        name = f"{self.torch.cuda.get_device_name()}+{inductor.key(self.problem)}"
        file.write_text(json.dumps(self.table | {name: [row]}))
        self.assertIn("it is right", self.run_command(sys.executable, "-c", USER, file, json.dumps(row)))


# Another process, which knows the file alone.
USER = """
import json, sys, torch, tilewright.inductor
from torch._inductor.utils import run_and_get_code

tilewright.inductor.use(sys.argv[1])
row = json.loads(sys.argv[2])
x = torch.randn(48, 4096, dtype=torch.float16, device="cuda")
weights = torch.randn(4096, 4096, dtype=torch.float16, device="cuda")
product = torch.compile(lambda x: x @ weights.T, dynamic=False, options={"max_autotune_gemm": True, "fx_graph_cache": False})
seen, (code,) = run_and_get_code(product, x)
for name in "BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M":
    assert f"{name} : tl.constexpr = {row[name]}" in code, code
assert f"num_warps={row['num_warps']}" in code and f"num_stages={row['num_stages']}" in code, code
right = x.double() @ weights.double().T
assert (seen - right).norm() < 2e-3 * right.norm()
print("it is right")
"""


if __name__ == "__main__":
    unittest.main()
