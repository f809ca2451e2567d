"""The scripts of examples/kernel_tuner on the host device. They need NumPy."""

import os
import pathlib
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "examples/kernel_tuner"))


@unittest.skipIf(numpy is None, "there is no NumPy")
class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = {  # others on the device lock elsewhere
            "device": "host",
            "quiet": True,
            "code_cache": os.environ["TILEWRIGHT_TEST_CACHE"],
            "scratch": folder.name,
            "worker": os.environ["TILEWRIGHT_TEST_WORKER"],
            "compile_processes": 1,
        }

    def test_vector_add(self):
        import vector_add

        results, env = vector_add.tune(1000, **self.here)
        self.assertEqual(len(results), 16)
        self.assertEqual((env["failed"], env["checked"]), ([], "answer"))
        self.assertGreater(env["best_config"]["GB/s"], 0)

    def test_convolution(self):
        import convolution

        params = {"block_size_x": [16, 32], "block_size_y": [2, 4], "tile_size_x": [1, 2]}
        params |= {"tile_size_y": [2], "use_padding": [0, 1]}
        results, env = convolution.tune(53, 21, params, **self.here)
        found = {(r["block_size_x"], r["block_size_y"], r["use_padding"]) for r in results}
        self.assertEqual(found, {(16, 4, 0), (16, 4, 1), (32, 2, 0), (32, 4, 0)})
        self.assertEqual((len(results), env["failed"]), (8, []))

    def test_matmul(self):
        import matmul

        params = {"block_size_x": [16], "block_size_y": [2**i for i in range(6)]}
        params |= {"tile_size_x": [1, 2], "tile_size_y": [4, 8]}
        results, env = matmul.tune(64, params, **self.here)
        self.assertEqual({(r["block_size_y"], r["tile_size_y"]) for r in results}, {(4, 4), (2, 8)})
        self.assertEqual((len(results), env["failed"]), (4, []))
        self.assertEqual(env["best_config"]["GFLOP/s"], max(r["GFLOP/s"] for r in results))

    def test_reduction(self):
        import reduction

        params = {"block_size_x": [32, 64], "use_shuffle": [0], "vector": [1, 4], "num_blocks": [4, 8]}
        best, second = reduction.tune(4000, params, **self.here)
        self.assertEqual(set(second), {4, 8})
        self.assertGreater(best["total"], best["time"])

    def test_stencil(self):
        import stencil

        results, env = stencil.tune(70, 9, **self.here)
        self.assertEqual(len(results) + len(env["failed"]), 31)
        self.assertEqual(env["failed"], [])


if __name__ == "__main__":
    unittest.main()
