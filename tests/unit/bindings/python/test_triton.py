"""tilewright.triton.tuned. On the host device Triton's interpreter runs the kernel."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import unittest

from triton_modules import torch_and_triton

WORKER = os.environ["TILEWRIGHT_TEST_WORKER"]
PROGRAM = os.environ.get("TILEWRIGHT_TEST_PROGRAM")

KERNELS = '''
import torch, triton, triton.language as tl

@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr, STYLE: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = 2 * tl.load(x + place, mask=place < n)
    if STYLE == "wrong":
        value += 1
    tl.store(y + place, value, mask=place < n)

def grid(meta):
    return (triton.cdiv(SIZE, meta["BLOCK"]),)
'''


class Tuned:
    """The tests, for one device."""

    @classmethod
    def setUpClass(cls):
        cls.torch, cls.triton = torch_and_triton()
        cls.find_device()

    def setUp(self):
        torch = self.torch
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        file = self.home / "kernels.py"
        file.write_text(KERNELS)
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        sys.modules.pop("kernels", None)
        import kernels

        kernels.SIZE = self.size
        self.kernels = kernels
        self.x = torch.arange(self.size, dtype=torch.float32, device=self.place)
        self.y = torch.zeros_like(self.x)

    def make(self, **options):
        from tilewright.triton import tuned

        values = {"BLOCK": self.blocks, "STYLE": ["right", "wrong"], "num_warps": [2, 4]}
        usual = dict(key=["n"], tune_params=values, database=self.home / "results.db")
        return tuned(self.kernels.scale, **(usual | {"device": self.device} | options))

    def expect_right(self):
        self.assertTrue(self.torch.equal(self.y, 2 * self.x))
        self.y.zero_()

    def test_answers_from_the_database(self):
        made = self.make()
        grid = self.kernels.grid
        made[grid](self.x, self.y, self.size)  # the default
        self.expect_right()
        tuned = made[grid].tune(self.x, self.y, n=self.size, worker=WORKER)
        self.assertEqual(tuned.outcomes.get("wrong_answer"), 2 * len(self.blocks), tuned)
        self.assertEqual(self.y.abs().sum().item(), 0)  # as it was
        self.assertEqual(made.configuration(n=self.size), tuned.configuration)
        made[grid](self.x, self.y, n=self.size)
        self.expect_right()
        other = self.make()  # as another process has it
        self.assertEqual(other.configuration(n=self.size), tuned.configuration)
        self.assertEqual(other.configuration(n=self.size - 1), tuned.configuration)  # the nearest
        other.forget()
        command = [PROGRAM, "wanted", "--db", self.home / "results.db"]
        wanted = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn(f"n={self.size - 1}", wanted)


class FakeKernel:
    """As triton.jit's, after a compile."""

    n_regs, n_spills, asm = 40, 3, {"ptx": "code"}

    def __init__(self, shared):
        self.metadata = types.SimpleNamespace(shared=shared)

    def warmup(self, *arguments, grid, **constants):
        assert (arguments, grid, constants) == (("f32", 7), (3,), {"BLOCK": 32})
        return self

    def _init_handles(self):
        if self.metadata.shared > 1000:
            raise type("OutOfResources", (Exception,), {})("shared memory")


class Compiled(unittest.TestCase):
    def test_says_what_a_kernel_needs(self):
        from tilewright.evaluator import Failed
        from tilewright.triton import compiled

        resources = {"registers": 40, "shared_bytes": 512, "spill_bytes": 12}
        made = compiled(FakeKernel(512), "f32", 7, grid=(3,), BLOCK=32)
        self.assertEqual(made, {"resources": resources, "code": "code"})
        with self.assertRaisesRegex(Failed, "shared memory") as raised:
            compiled(FakeKernel(2000), "f32", 7, grid=(3,), BLOCK=32)
        self.assertEqual(raised.exception.kind, "resources")


class OnTheHost(Tuned, unittest.TestCase):
    device, place, size, blocks = "host", "cpu", 100, [32, 64]

    @classmethod
    def find_device(cls):
        if os.environ.get("TRITON_INTERPRET") != "1":
            raise unittest.SkipTest("TRITON_INTERPRET=1 is not set")


class OnAGpu(Tuned, unittest.TestCase):
    device, place, size, blocks = "cuda:0", "cuda", 1 << 20, [256, 1024]

    @classmethod
    def find_device(cls):
        if os.environ.get("TRITON_INTERPRET") == "1":
            raise unittest.SkipTest("TRITON_INTERPRET=1 is set")
        if not cls.torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch sees no GPU")

    def test_a_call_costs_no_more_than_autotunes(self):
        triton, torch = self.triton, self.torch
        config = {"BLOCK": 256, "STYLE": "right"}
        auto = triton.autotune([triton.Config(config, num_warps=4)], key=["n"])(self.kernels.scale)
        made = self.make()

        def host_us(launch):
            launch(self.x, self.y, self.size)
            torch.cuda.synchronize()
            times = []
            for _ in range(30):
                begin = time.perf_counter()
                for _ in range(100):
                    launch(self.x, self.y, self.size)
                times.append((time.perf_counter() - begin) * 1e4)
                torch.cuda.synchronize()
            return sorted(times)[len(times) // 2]

        grid = self.kernels.grid
        ours, theirs = host_us(made[grid]), host_us(auto[grid])
        print(f"host time of a call: {ours:.2f} us, with triton.autotune {theirs:.2f} us")
        self.assertLess(ours, theirs + 3)


if __name__ == "__main__":
    unittest.main()
