#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/fit: a planted winner and planted coefficients are found again, and the program's own measurements are understood.

usage: fit_test.py SOURCE_FOLDER"""
import contextlib
import gzip
import io
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import tomllib
import unittest

SOURCE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
sys.path.insert(0, str(SOURCE / "bench/fit"))
import definitions  # noqa: E402
import library  # noqa: E402
import measurements  # noqa: E402

OPERATION = """schema = 1
[operation]
name = "scale"
[[operation.dimension]]
name = "n"
default = 1000
[[operation.argument]]
name = "x"
count = "n"
"""
IMPLEMENTATION = """schema = 1
[[implementation]]
name = "plain"
source = "plain.cu"
parameter = [
  { name = "BLOCK", values = [32, 64, 128, 256], default = 64 },
  { name = "OUTPUTS", values = [1, 2, 4], default = 1 },
  { name = "VECTOR", values = [1, 4], default = 1, follows = "n % 4 == 0 ? 4 : 1" },
]
[implementation.terms]
tile = "BLOCK * OUTPUTS"
"""
FITTED = """# by hand
[plain]
seeds = ["BLOCK=32"]
[plain.cost]
blocks = "ceil_div(n, tile)"
resident = 4
work = "{0} * tile / 10 + (VECTOR == 4 ? {1} : {2}) * OUTPUTS"
latency = "{3} + 20 * OUTPUTS"
overhead = 3000
"""
DEVICE = {"sm_count": 100, "registers_per_sm": 65536, "shared_bytes_per_sm": 233472, "max_threads_per_sm": 2048,
          "compute_capability": 90, "kind": "cuda", "name": "made up"}


class Fit(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "plain").mkdir()
        (self.folder / "operation.toml").write_text(OPERATION)
        self.manifest = self.folder / "plain" / "plain.toml"
        self.manifest.write_text(IMPLEMENTATION)

    def fit(self, *words):
        command = [sys.executable, SOURCE / "bench/fit/fit.py", *map(str, words)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def fitted(self):
        return tomllib.loads((self.manifest.parent / "plain.fit.toml").read_text())["plain"]

    def measure(self, time_of):
        """Writes an export of sweeps, one for each n, of all configurations."""
        sweeps = []
        for n in [1000, 30_001, 400_000, 5_000_001, 60_000_000]:
            trials = []
            for block in [32, 64, 128, 256]:
                for outputs in [1, 2, 4]:
                    configuration = {"BLOCK": block, "OUTPUTS": outputs, "VECTOR": 4 if n % 4 == 0 else 1}
                    trials.append({"implementation": "scale/plain", "configuration": configuration,
                                   "timing": {"median_us": time_of(n, configuration)}})
            sweeps.append({"key": {"problem": {"values": {"n": n}}, "device": DEVICE}, "trials": trials})
        file = self.folder / "sweeps.json"
        file.write_text(json.dumps({"format": "tilewright", "version": 2, "sweeps": sweeps}))
        return file

    def test_planted_coefficients_are_found(self):
        def time_of(n, one):  # 70, 40, 90, 700, as in FITTED
            tile = one["BLOCK"] * one["OUTPUTS"]
            share = math.ceil(math.ceil(n / tile) / 100)
            work = 70 * tile // 10 + (40 if one["VECTOR"] == 4 else 90) * one["OUTPUTS"]
            latency = 700 + 20 * one["OUTPUTS"]
            full, rest = divmod(share, 4)
            total = full * math.hypot(4 * work, latency) + (math.hypot(rest * work, latency) if rest else 0)
            return (total + 3000) / 1980

        fitted = self.manifest.parent / "plain.fit.toml"
        fitted.write_text(FITTED.format(30, 100, 50, 300))
        output = self.fit(self.manifest, self.measure(time_of), "--cost", "--rounds", 20)
        self.assertRegex(output, r"all measured +5 problems  loss 1\.00")
        self.assertIn("# By bench/fit/fit.py --cost from 60 times of 5 problems.", fitted.read_text())
        cost = self.fitted()["cost"]
        self.assertEqual(list(cost), ["blocks", "resident", "work", "latency", "overhead"])
        words = (cost["work"] + " " + cost["latency"]).replace("(", " ").replace(")", " ").split()
        numbers = [int(word) for word in words if word.isdigit()]
        for found, planted in zip([numbers[0], numbers[5]], [70, 700]):
            self.assertLess(abs(found / planted - 1), 0.1, cost)
        self.assertEqual(self.fitted()["seeds"], ["BLOCK=32"])

    def test_planted_winners_are_seeds(self):
        def time_of(n, one):
            best = {"BLOCK": 256, "OUTPUTS": 4} if n > 1_000_000 else {"BLOCK": 32, "OUTPUTS": 2}
            return 10 + sum(one[name] != value for name, value in best.items())

        (self.manifest.parent / "plain.fit.toml").write_text(FITTED.format(30, 100, 50, 300))
        self.fit(self.manifest, self.measure(time_of), "--seeds", 5, "--general", 1)
        self.assertEqual(set(self.fitted()["seeds"]), {"BLOCK=32 OUTPUTS=2", "BLOCK=256 OUTPUTS=4"})
        self.assertEqual(self.fitted()["general"], [["BLOCK=32 OUTPUTS=2"]])

    def test_shipped_results_and_records_are_read(self):
        kernels = SOURCE / "kernel_templates"
        output = self.fit(kernels / "gemm/wgmma/wgmma.toml", SOURCE / "shipped_results/NVIDIA_H200/gemm.json")
        self.assertRegex(output, "all measured .* problems")
        output = self.fit(kernels / "conv1d/halo/halo.toml", SOURCE / "bench/records/c1.json.gz")
        self.assertRegex(output, "all measured +1 problems")


class OfALibrary(unittest.TestCase):
    def product(self, draw, **changes):
        sizes = {name: round(math.exp(draw.uniform(0, 9))) for name in "MNK"}
        return {**sizes, "batch": draw.choice([1, 1, 30]), "pad": draw.choice([0, 3]), "transpose_a": draw.random() < 0.5,
                "transpose_b": False, "kind": "drawn", "answer": ["default"]} | changes

    def compared(self, rows, group):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(rows, file)
            file.flush()
            return list(library.comparisons(file.name, group))

    def test_planted_coefficients_are_found_and_written(self):
        draw = random.Random(5)
        for group, dtype in (library.GROUPS[0], "float32"), (library.GROUPS[1], "bfloat16"):
            planted = [-20, 150, -60, 90, -110, 140, -130][: 1 + len(group.features)]
            rows = []
            for _ in range(300):
                row = self.product(draw, type=dtype)
                ratio = math.exp(sum(c * v for c, v in zip(planted, library.values_of(group.features, row))) / 1e6)
                rows.append({**row, "warm": {"ours": 10, "cublas": 10 * ratio, "cublaslt": 20, "served": 1}})
            rows += [{**rows[0], "answer": ["exact"]}, {**rows[0], "type": "int8"}]
            compared = self.compared(rows, group)
            self.assertEqual(len(compared), 300, "what was measured tells nothing of the default rung")
            found = library.fitted(library.normal_equations(compared, len(planted)))
            for one, right in zip(found, planted):
                self.assertLess(abs(one - right), 3, found)
            written = library.expression(group, found).replace("/", "//").replace("device.sm_count", str(library.SMS))
            for row, (_, values, _) in zip(rows, compared):
                a, b = row["transpose_a"], row["transpose_b"]
                leading = {"lda": row["M" if a else "K"], "ldb": row["K" if b else "N"], "ldc": row["N"]}
                names = row | {name: columns + row["pad"] for name, columns in leading.items()}
                self.assertEqual(eval(written, {"min": min, **names}), library.relative_cost(found, values))

    def test_each_product_is_judged_by_a_fit_to_the_others(self):
        draw = random.Random(6)
        rows = [self.product(draw, warm={"ours": 10, "cublas": 7}) for _ in range(40)]
        rows.append(self.product(draw, kind="odd", warm={"ours": 10, "cublas": 20}))
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            file = pathlib.Path(folder) / "rows.json"
            file.write_text(json.dumps(rows), encoding="utf-8")
            library.main([str(file)])
        self.assertIn("# odd      kernels          2.000, 2.000, 2.000\n# odd      with the library 1.000, 1.000, 1.000\n", printed.getvalue())
        self.assertIn("# drawn    with the library 1.000, 1.000, 1.000\n", printed.getvalue())
        self.assertIn("precision == 'float32' ? 999 : 0", printed.getvalue(), "nobody measured 16 bits")


def ranks(values):
    place = {value: at for at, value in enumerate(sorted(values))}  # the last of equal ones
    return [place[value] for value in values]


class Records(unittest.TestCase):
    def test_times_of_tensor_cores_follow_expected_cycles(self):
        files = [*SOURCE.glob("bench/records/bf16-*.json.gz"), SOURCE / "bench/records/fp16-flat.json.gz"]
        self.assertEqual(len(files), 6)
        for file in files:
            rows = list(json.loads(gzip.open(file).read())["cache"].values())
            expected, times = ([row[name] for row in rows] for name in ("expected", "time"))
            self.assertGreater(statistics.correlation(ranks(expected), ranks(times)), 0.7, file)
            least = sorted(rows, key=lambda row: row["expected"])[:len(rows) // 20]
            self.assertLess(min(row["time"] for row in least), 1.01 * min(times), file)


class Times(unittest.TestCase):
    def test_expected_cycles_of_mma_are_as_many_as_measured(self):
        """Of answers of sweeps on an H200."""
        definition = definitions.Definition(SOURCE / "kernel_templates/gemm/mma/mma.toml")
        formulas = {name: definitions.compiled(text) for name, text in definition.cost().items()}
        for product, settings, time_us in [
                ("type_a=float16 type_c=float16 M=2500 N=2500 K=100",
                 "BLOCK_M=32 BLOCK_N=256 WARP_N=64 STAGES=2 FRAGMENTS=1", 17.6),
                ("type_a=float16 type_c=float16 M=2385 N=548 K=330 transpose_a=yes transpose_b=yes",
                 "BLOCK_K=32 STAGES=3 FRAGMENTS=2", 13.7),
                ("type_a=bfloat16 type_c=bfloat16 M=3000 N=3000 K=3000",
                 "BLOCK_M=128 WARP_M=64 BLOCK_N=192 WARP_N=64 STAGES=4 FRAGMENTS=2", 189),
                ("type_a=float8_e4m3 type_c=bfloat16 M=366 N=980 K=1858 transpose_a=yes",
                 "STAGES=2 FRAGMENTS=1 SPLIT_K=4 REDUCTION=launch", 23.6),
                ("type_a=float8_e4m3 type_c=bfloat16 M=256 N=640 K=384 transpose_a=yes transpose_b=yes",
                 "BLOCK_M=16 WARP_M=16 BLOCK_N=128 BLOCK_K=128 STAGES=3 FRAGMENTS=2", 4.0),
                ("type_a=float8_e4m3 type_c=bfloat16 M=840 N=776 K=176 transpose_a=yes transpose_b=yes",
                 "BLOCK_M=32 BLOCK_N=128 BLOCK_K=64 STAGES=3 FRAGMENTS=2 MIN_BLOCKS=2", 4.6)]:
            problem = definitions.settings_of(product)
            of = definition.of_problem(problem | {"type_b": problem["type_a"]}, measurements.H200)
            own = definitions.settings_of(settings + " LOADING=async")
            names = definition.names(of, definition.settled(of, own, own))
            expected_us = definitions.cycles(formulas, names, ()) / 1755  # at the clock of the fit, in MHz
            self.assertLess(abs(expected_us / time_us - 1), 0.25, product)


class Manifests(unittest.TestCase):
    def test_no_line_is_long(self):
        for file in sorted(SOURCE.glob("kernel_templates/**/*.toml")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                self.assertLessEqual(len(line), 160, f"{file}:{number}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
