"""The package on the host device. TILEWRIGHT_TEST_{SAMPLES,TEMPLATES,CACHE} name its folders."""

import array
import contextlib
import copy
import gc
import os
import pathlib
import pickle
import shutil
import sqlite3
import sys
import tempfile
import threading
import unittest

import handmade
from handmade import CUDA, CudaArray, DLPackArray

import tilewright
import tilewright.fleet
from tilewright import InputError

SAMPLES = pathlib.Path(os.environ["TILEWRIGHT_TEST_SAMPLES"])
TEMPLATES = os.environ["TILEWRIGHT_TEST_TEMPLATES"]
CACHE = os.environ["TILEWRIGHT_TEST_CACHE"]
GPU = "test 9000"


def open_runtime():
    return tilewright.Runtime(SAMPLES / "results.db", [TEMPLATES, SAMPLES / "kernels"], cache=CACHE)


class Blend:
    """Operands of the samples' operation with every kind of argument."""

    def __init__(self, count=30):
        self.x = handmade.floats(count)
        self.weights = array.array("f", [0.25, 0.5, 0.75])
        self.y = handmade.floats(count)
        self.table = [1000, 2000]

    def all(self):
        return [self.x, self.weights, self.y, 2.0, self.table]

    def expected(self):
        half = len(self.x) // 2
        return [
            2 * x + self.weights[i % 3] + self.table[i % 2] + half for i, x in enumerate(self.x)
        ]


class LookingUp(unittest.TestCase):
    def setUp(self):
        self.runtime = open_runtime()

    def test_best(self):
        answer = self.runtime.best("gemm", M=512, N=512, K=512, device=GPU, require="exact")
        self.assertEqual(answer.implementation, "gemm/naive")
        self.assertEqual(answer.configuration, {"BLOCK_X": 128, "BLOCK_Y": 4})
        self.assertEqual((answer.rung, answer.rung_name, answer.distance), (2, "exact", 0))
        self.assertEqual((answer.median_us, answer.measured_device), (100, "NVIDIA Test 9000"))
        self.assertEqual(answer.problem["transpose_a"], "no")
        self.assertEqual(answer.reason, "")

    def test_a_sweep_that_is_not_finished(self):
        with tempfile.TemporaryDirectory() as folder:
            database = pathlib.Path(folder) / "results.db"
            shutil.copy(SAMPLES / "results.db", database)
            with contextlib.closing(sqlite3.connect(database)) as connection:
                connection.executescript(
                    "UPDATE sweep SET finished = NULL, rigour = NULL; DELETE FROM best"
                )
            runtime = tilewright.Runtime(database, [TEMPLATES], cache=CACHE)
            size = {"M": 512, "N": 512, "K": 512, "device": GPU}
            answer = runtime.best("gemm/naive", **size)
            self.assertEqual(answer.configuration, {"BLOCK_X": 128, "BLOCK_Y": 4})
            self.assertEqual(answer.reason, "the sweep is not finished, 3 tried")
            with self.assertRaisesRegex(tilewright.NothingFound, "not finished, 3 tried"):
                runtime.best("gemm/naive", **size, require="exact")

    def test_a_problem_as_a_dict(self):
        problem = {"M": 512, "N": 512}
        answer = self.runtime.best("gemm", problem, K=512, transpose_b="yes", device="host")
        self.assertEqual((answer.problem["K"], answer.problem["transpose_b"]), (512, "yes"))
        self.assertIsNone(answer.median_us)
        self.assertIsNone(answer.measured_at)
        self.assertEqual((answer.rung_name, answer.policy), ("default", ""))

    def test_nothing(self):
        with self.assertRaisesRegex(tilewright.NothingFound, "require=exact"):
            self.runtime.best("gemm", M=513, device=GPU, require="exact")
        with self.assertRaisesRegex(tilewright.NothingFound, "only an answer of rung 'default'"):
            self.runtime.kernel("blend", device="host", require="device")

    def test_questions_without_meaning(self):
        for expected, question in {
            "did you mean 'gemm'": {"operation": "gem"},
            "M is given twice": {"problem": {"M": 4}, "M": 5},
            "M: give an integer or a label; a float was given": {"M": 4.0},
            "M: 'a b' is neither": {"M": "a b"},
            "give warm, cold or robust": {"cache": "tepid"},
            "NVIDIA Test 9000": {"device": "abacus"},
        }.items():
            operation, problem = question.pop("operation", "gemm"), question.pop("problem", None)
            with self.assertRaisesRegex(InputError, expected):
                self.runtime.best(operation, problem, **question)
        self.assertTrue(issubclass(InputError, ValueError))

    def test_results(self):
        rows = self.runtime.results("gemm", M=512, device=GPU)
        self.assertEqual(len(rows), 6)  # three configurations, screened and final
        best = min(rows, key=lambda row: row["median_us"])
        self.assertEqual((best["configuration.BLOCK_X"], best["problem.M"]), (128, 512))
        self.assertEqual((best["outcome"], best["policy"]), ("measured", "robust/graph"))
        self.assertFalse(any(isinstance(value, dict) for row in rows for value in row.values()))
        self.assertEqual(self.runtime.results("gemm", M=4), [])
        self.assertEqual(self.runtime.results("gemm/tiled"), [])
        (row,) = tilewright.results(SAMPLES / "results.db", what="best")
        self.assertEqual((row["median_us"], row["default_us"], row["stage"]), (100, 200, "final"))
        self.assertEqual((row["strategy"], row["driver"], row["tool"]), ("exhaustive", "580.1", "0.1.0"))

    def test_fingerprint(self):
        own = self.runtime.fingerprint()
        self.assertRegex(own, "^[0-9a-f]{32}$")
        self.assertEqual(own, open_runtime().fingerprint())
        more = tilewright.Runtime(SAMPLES / "results.db", [TEMPLATES], cache=CACHE)
        self.assertNotEqual(own, more.fingerprint())

    def test_what_is_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "rank0.db"
            self.assertEqual(self.runtime.store_wanted(file), 0)
            self.runtime.best("gemm", M=77, N=512, K=512, device=GPU)
            self.assertEqual(self.runtime.store_wanted(file), 1)
            self.assertEqual(self.runtime.store_wanted(file), 0)
            self.assertTrue(file.exists())

    def test_the_progress_of_a_job(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(InputError, "no plan.json"):
                tilewright.fleet.progress_of(folder)
            job = pathlib.Path(folder)
            (job / "plan.json").write_text("{}")
            for name in ("todo/1", "taken/2.a", "done/3.a", "done/4.b"):
                (job / name).parent.mkdir(exist_ok=True)
                (job / name).touch()
            self.assertEqual(tilewright.fleet.progress_of(job), tilewright.fleet.Progress(4, 2, 1))

    def test_results_of_no_database(self):
        with self.assertRaisesRegex(tilewright.NothingFound, "missing.db"):
            tilewright.results(SAMPLES / "missing.db")
        with self.assertRaisesRegex(tilewright.MachineError, "blend.cu"):
            tilewright.results(SAMPLES / "kernels/blend/blend.cu")

    def test_options(self):
        with self.assertRaisesRegex(InputError, "/nowhere"):
            tilewright.Runtime(kernels="/nowhere")
        with self.assertRaisesRegex(InputError, "patience_ms: 'soon'"):
            tilewright.Runtime(patience_ms="soon")
        with self.assertRaisesRegex(InputError, "option compiling 'never': give when_needed or"):
            tilewright.Runtime(compiling="never")
        with self.assertRaisesRegex(InputError, "option libraries 'never': give on or off"):
            tilewright.Runtime(libraries="never")
        with self.assertRaisesRegex(tilewright.MachineError, "cuda:99"):
            self.runtime.kernel("blend", device="cuda:99")
        self.assertEqual(tilewright.__version__, tilewright.version())


class Launching(unittest.TestCase):
    def setUp(self):
        self.kernel = open_runtime().kernel("blend", count=30, device="host")  # outlives it
        gc.collect()

    def refuses(self, place, given, text):
        operands = Blend().all()
        operands[place] = given
        with self.assertRaises(InputError) as caught:
            self.kernel(*operands)
        self.assertTrue(str(caught.exception).startswith("blend/plain: argument " + text))

    def test_product(self):
        kernel = open_runtime().kernel("gemm/naive", M=5, N=7, K=3, device="host")
        kernel.prepare()
        a, b, c = handmade.floats(15), handmade.floats(21, 0.5), handmade.floats(35)
        kernel(a, b, c, 2.0, 0)
        for i in range(35):
            row, column = divmod(i, 7)
            self.assertEqual(c[i], 2 * sum(a[row * 3 + k] * b[k * 7 + column] for k in range(3)))

    def test_a_texture(self):
        lookup = pathlib.Path(__file__).parents[3] / "definitions" / "lookup.toml"
        runtime = tilewright.Runtime(kernels=[], manifests=lookup, cache=CACHE)
        table = array.array("f", [0, 10, 1, 20])  # two pairs; their places are 0.25 and 0.75
        for name in ("interpolated", "fetched"):
            kernel = runtime.kernel(f"lookup/{name}", count=4, entries=2, device="host")
            y = handmade.floats(8)
            kernel(array.array("f", [-1, 0.25, 0.5, 2]), table, y)
            self.assertEqual(list(y), [0, 10, 0, 10, 0.5, 15, 1, 20])

    def test_every_kind_of_argument(self):
        blend = Blend()
        self.kernel(*blend.all())
        self.assertEqual(list(blend.y), blend.expected())
        blend.weights = (0.5, 0.5, 0.5)
        values = array.array("f", blend.weights)
        copies = [memoryview(blend.x).toreadonly(), tilewright.with_values(values, values)]
        self.kernel(*copies, blend.y, 2, array.array("i", blend.table))
        self.assertEqual(list(blend.y), blend.expected())

    def test_dlpack(self):
        blend = Blend()
        x = DLPackArray((5, 6), handmade.address_of(blend.x), readonly=True)
        y = DLPackArray((30,), handmade.address_of(blend.y))
        self.kernel(x, blend.weights, y, 2.0, blend.table)
        self.assertEqual(list(blend.y), blend.expected())

    def test_says_what_it_takes(self):
        names = [argument.name for argument in self.kernel.arguments]
        self.assertEqual(names, ["x", "weights", "y", "factor", "table"])
        weights, y = self.kernel.arguments[1:3]
        self.assertEqual((weights.kind, weights.count, weights.by_value), ("buffer", 3, True))
        self.assertEqual((y.role, y.type), ("output", "float32"))
        self.assertEqual((self.kernel.device_kind, self.kernel.workspace_bytes), ("host", 256))
        self.assertEqual(self.kernel.answer.implementation, "blend/plain")

    def test_refuses_what_is_not_its_arguments(self):
        doubles = array.array("d", range(30))
        self.refuses(0, doubles, "1 'x' has elements of float32; float64 was given")
        self.refuses(0, CudaArray((30,)), "1 'x' is on a GPU; this kernel runs on the host device")
        self.refuses(
            0,
            DLPackArray((30,), device=(CUDA, 0)),
            "1 'x' is on a GPU; this kernel runs on the host device",
        )
        self.refuses(3, "2", "4 'factor' is a number of float32; a str was given")
        self.refuses(4, [1, 2.5], "5 'table' is a number of int32; a float was given")
        self.refuses(4, [1, -(2**31) - 1], "5 'table' is a number of int32; -2147483649 is outside")
        self.refuses(
            4, array.array("f", [1, 2]), "5 'table' has elements of int32; float32 was given"
        )
        short = tilewright.with_values(handmade.floats(3), handmade.floats(2))
        self.refuses(1, short, "2 'weights' has 3 elements; 2 values were given")

    def test_refuses_what_the_library_refuses(self):
        blend = Blend()
        for place, given, text in (
            (0, handmade.floats(29), "argument 1 'x' has 30 elements; 29 were given"),
            (2, memoryview(blend.y).toreadonly(), "argument 3 'y' is written"),
            (4, [1], "argument 5 'table' has 2 elements; 1 were given"),
        ):
            operands = blend.all()
            operands[place] = given
            with self.assertRaisesRegex(InputError, text):
                self.kernel(*operands)
        with self.assertRaisesRegex(InputError, "1 arguments were given; a launch takes 5: x, wei"):
            self.kernel(blend.x)

    def test_workspace(self):
        blend = Blend()
        room = array.array("B", bytes(1024))
        start = -handmade.address_of(room) % 256
        workspace = memoryview(room)[start : start + 256]
        self.kernel(*blend.all(), workspace=workspace)
        self.assertEqual(list(blend.y), blend.expected())
        self.kernel(*blend.all(), workspace=workspace, workspace_ready=True)
        self.assertEqual(list(blend.y), [value + 1 for value in blend.expected()])
        with self.assertRaisesRegex(InputError, "256 bytes of workspace; 255 were given"):
            self.kernel(*blend.all(), workspace=workspace[:255])
        with self.assertRaisesRegex(InputError, "the workspace is read-only"):
            self.kernel(*blend.all(), workspace=workspace.toreadonly())

    def test_a_launch_that_fails(self):
        kernel = open_runtime().kernel("diverge", device="host")
        with self.assertRaisesRegex(tilewright.LaunchError, "diverge/plain count=64: "):
            kernel(array.array("i", bytes(256)))

    def test_from_many_threads(self):
        seen = []

        def work():
            blend = Blend()
            for _ in range(3):
                self.kernel(*blend.all())
            seen.append(list(blend.y) == blend.expected())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [True] * 4)

    def test_copies_are_the_same_and_pickles_are_refused(self):
        bundle = tilewright.Bundle(SAMPLES / "blend.bundle")
        for owner in (open_runtime(), self.kernel, bundle):
            with self.subTest(type(owner).__name__):
                self.assertIs(copy.copy(owner), owner)
                self.assertIs(copy.deepcopy([owner])[0], owner)
                with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                    pickle.dumps(owner)

    def test_from_a_bundle(self):
        bundle = tilewright.Bundle(SAMPLES / "blend.bundle")
        blend = Blend()
        bundle.kernel("blend", count=30, device="host")(*blend.all())
        self.assertEqual(list(blend.y), blend.expected())
        self.assertEqual(bundle.kernel("blend", count=31, device="host").answer.rung_name, "default")
        with self.assertRaisesRegex(tilewright.NothingFound, "rung .default"):
            bundle.kernel("blend", count=31, device="host", require="device")
        with self.assertRaisesRegex(InputError, "blend sign=minus"):
            bundle.kernel("blend", sign="minus", device="host")
        with self.assertRaisesRegex(InputError, "is not a bundle"):
            tilewright.Bundle(SAMPLES / "results.db")
        self.assertEqual(bundle.trim(), 2)
        self.assertEqual(bundle.trim(), 0)

    def test_holds_nothing_of_its_operands(self):
        blend = Blend()
        before = sys.getrefcount(blend.x)
        self.kernel(*blend.all())
        blend.x.append(1.0)  # BufferError where the buffer is still held
        self.assertEqual(sys.getrefcount(blend.x), before)


class WithNumpy(unittest.TestCase):
    def setUp(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no NumPy here")
        self.numpy = numpy

    def test_product(self):
        numpy = self.numpy
        generator = numpy.random.default_rng(1)
        a, b = (generator.random(shape, dtype=numpy.float32) for shape in ((20, 30), (30, 40)))
        c = numpy.zeros((20, 40), numpy.float32)
        kernel = open_runtime().kernel("gemm/naive", M=20, N=40, K=30, device="host")
        kernel(a, b, c, numpy.float32(1), numpy.float32(0))
        numpy.testing.assert_allclose(c, a @ b, rtol=1e-5)
        with self.assertRaisesRegex(InputError, "argument 2 'b' is not contiguous"):
            kernel(a, numpy.asfortranarray(b), c, 1, 0)
        c.flags.writeable = False
        with self.assertRaisesRegex(InputError, "argument 3 'c' is written"):
            kernel(a, b, c, 1, 0)


if __name__ == "__main__":
    unittest.main()
