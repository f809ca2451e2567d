"""tune_kernel and run_kernel on the host device, without NumPy."""

import array
import contextlib
import ctypes
import io
import json
import os
import pathlib
import tempfile
import unittest

import tilewright
from vector_add import ADD, BLOCKS, COUNT, floats


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

    def test_an_array_without_an_answer_may_change(self):
        source = ADD.replace("a[i] + b[i];", "a[i] + b[i], a[i] = block_size_x;")
        results, env = self.tune(source, answer=[self.sums, None, None, None])
        self.assertEqual((len(results), env["failed"]), (2, []))
        source = source.replace("float *a", "const float *a").replace("a[i] = ", "const_cast<float *>(a)[i] = ")
        with self.assertRaisesRegex(tilewright.NothingFound, "changed the input a"):
            self.tune(source, answer=[self.sums, None, None, None])

    def test_configurations_with_equal_code(self):
        source = ADD.replace("a[i] + b[i]", "a[i] + b[i] + shift * shift + (factor == 0.5f)")
        params = {"block_size_x": [32], "shift": [-1, 2], "factor": [-1.5, 2.5]}
        results, env = self.tune(source, params=params)
        self.assertEqual((len(results), env["failed"]), (4, []))
        self.assertEqual((env["outcomes"]["measured"], env["outcomes"]["duplicate"]), (2, 2))
        for shift in params["shift"]:
            self.assertEqual(len({one["time"] for one in results if one["shift"] == shift}), 1)
        right = floats(x + 4 for x in self.sums)
        results, env = self.tune(source, params=params, answer=[right, None, None, None])
        self.assertEqual([result["shift"] for result in results], [2, 2])
        told = [(failed["shift"], failed["outcome"]) for failed in env["failed"]]
        self.assertEqual(told, [(-1, "wrong_answer")] * 2)

    def test_outputs_far_below_atol(self):
        source = """
        __global__ void depth(double *tau, const double *k, int n) {
          int i = blockIdx.x * block_size_x + threadIdx.x;
          if (i < n) tau[i] = block_size_x == 64 ? 0.0 : 2 * k[i];
        }"""
        k = array.array("d", [1e-9 * i for i in range(COUNT)])
        arguments = [array.array("d", [0] * COUNT), k, ctypes.c_int(COUNT)]
        answer = [array.array("d", [2e-9 * i for i in range(COUNT)]), None, None]
        results, _ = self.tune(source, COUNT, arguments, name="depth", answer=answer, atol=1e-14)
        self.assertEqual([result["block_size_x"] for result in results], [32])
        with self.assertRaisesRegex(tilewright.InputError, "zeros in place of.*atol"):
            self.tune(source, COUNT, arguments, name="depth", answer=answer)

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

    def test_a_strategy_and_options_that_are_not_here(self):
        params = {"block_size_x": list(range(32, 320, 32))}
        spent = {"fraction": 0.3, "popsize": 5}
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            results, _ = self.tune(params=params, strategy="pso", strategy_options=spent, quiet=False)
        self.assertLessEqual(len(results), 3)
        self.assertIn("strategy pso: tilewright searches by its own, model; strategy_options: popsize", shown.getvalue())

    def test_without_a_gpu_it_names_the_host_device(self):
        with self.assertRaises(tilewright.TilewrightError) as refused:
            self.tune(device=99)
        told = str(refused.exception)
        self.assertNotIn("--device", told)
        if "no GPU" in told:
            self.assertIn('device="host" measures on this machine', told)

    def test_limits(self):
        params = {"block_size_x": list(range(32, 320, 32))}
        for given, most in (({"max_fevals": 2.0}, 2), ({"time_limit": 0.001}, 8)):
            results, _ = self.tune(params=params, strategy="random_sample", strategy_options=given)
            self.assertLessEqual(len(results), most, given)

    def test_a_database_without_the_folder_shows_values(self):
        source = ADD.replace("a[i] +", "a[i] * (real)factor * 2 +")
        database = self.folder / "new" / "results.db"
        params = {"block_size_x": 32, "real": ["float", "double"], "factor": 0.5}
        results, env = self.tune(source, params=params, answer=[self.sums, None, None, None], database=database)
        self.assertEqual({result["real"] for result in results}, {"float", "double"})
        self.assertEqual(env["best_config"]["factor"], 0.5)
        rows = tilewright.results(database, what="trials")
        told = {(row["configuration.real"], row["configuration.factor"]) for row in rows}
        self.assertEqual(told, {("float", "v0_5"), ("double", "v0_5")})

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
            ({"strategy": "psso"}, "strategy 'psso' is not here; there are: brute_force"),
            ({"strategy_options": {"fraction": 3}}, "strategy_options: fraction: give a number above 0"),
            ({"strategy_options": {"max_fevals": 0}}, "max_fevals: give a whole number above 0, not 0"),
            ({"strategy_options": {"max_fevals": 1.5}}, "max_fevals: give a whole number above 0"),
            ({"strategy_options": {"time_limit": "x"}}, "time_limit: give seconds above 0, not 'x'"),
            ({"strategy_options": ["popsize"]}, "strategy_options: give a dict"),
            ({"database": 5}, "database: give the path of a file, not 5"),
            ({"cache": 5}, "cache: give the path of a file, not 5"),
            ({"folder": 5}, "folder: 5 cannot be created"),
            ({"arguments": 5}, "arguments: give a list, not 5"),
            ({"compiler_options": ["-code=sm_80"]}, "compiler_options: leave '-code=sm_80' out"),
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
