"""bench/tensor_peers.sh with made-up programs, and the tables that it prints."""
import json
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/tensor_peers.sh"
TABLES = ROOT / "docs/benchmarks/tensor_peers.py"
NAME = "tensor-bf16-64x64x64"
OTHER = "tensor-fp8-64x64x64-nt"


def side(us, how, wrong=""):
    return {"median_us": us, "how": how, "sm_mhz": 1979.6, "worst_error": 1e-6, "wrong": wrong}


def match(rival, ours_us, theirs_us, wrong=""):
    ratio = theirs_us / ours_us
    return {"case": NAME, "rival": rival, "ours": side(ours_us, "gemm/ours A=1"),
            "theirs": side(theirs_us, f"{rival} 13.1", wrong), "ratio": ratio, "ratio_low": ratio - 0.01,
            "ratio_high": ratio + 0.01, "flops": 4e9, "bytes": 8e6, "floor_us": 2.0}


def record(policy, matches):
    return {"device": {"name": "GPU"}, "policy": policy, "multiply_add_tflops": 65.8, "matches": matches,
            "environment": {"driver": "1.2", "runtime": "13.0", "compiler": "NVRTC 13.0"}}


COLD = record("cold", [match("cuBLAS", 20, 24), match("cublasLt", 20, 22, "outside"), match("cublasLt fast", 20, 18)])
WARM = record("warm", [match("cuBLAS", 10, 11), {"case": NAME, "rival": "cublasLt", "why_not": "not present (x)"}])
UNTUNED = record("cold", [{"case": OTHER, "rival": "cuBLAS", "why_not": "not tuned: nothing"}])
TRITON = [{"case": NAME, "policy": "cold", "triton_us": 30.0, "ratio": 1.25, "right": True},
          {"case": NAME, "policy": "warm", "triton_us": 28.0, "ratio": 1.5, "right": False},
          {"case": OTHER, "why_not": "not begun: the time was over"}]

PEERS = f"""#!/usr/bin/env bash
if [[ " $* " == *" --list-sweeps "* ]]; then
  printf '%s\\n' $'gemm-64x64x64\\tgemm M=64' $'{NAME}\\tgemm K=64 M=64 N=64 type_a=bfloat16' \\
    $'{OTHER}\\tgemm K=64 M=64 N=64 type_a=float8_e4m3'
  exit
fi
while (($#)); do
  [[ $1 == --json ]] && json=$2
  [[ $1 == --policy ]] && policy=$2
  [[ $1 == --db ]] && database=$2
  [[ $1 == --benchmark_filter=* ]] && filter=$1
  shift
done
[[ -s $database ]] || exit 3
cp "$RECORDS/$policy.json" "$json"
echo "$filter" >&2
"""
TUNER = """#!/usr/bin/env bash
[[ $1 == --version ]] && exit
while (($#)); do [[ $1 == --db ]] && database=$2; shift; done
[[ ! -e $database ]] && echo tuned >"$database"
"""


class Files(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.output = self.folder / "output"

    def case(self, name, seconds, **records):
        folder = self.output / name
        folder.mkdir(parents=True)
        (folder / "tuning.txt").write_text(f"{seconds} s\t0\t{name}\tgemm M=64\n")
        for file, content in records.items():
            (folder / f"{file}.json").write_text(json.dumps(content))

    def tables(self, *folders):
        return subprocess.run([TABLES, *folders], capture_output=True, text=True, check=False)


class Tables(Files):
    def setUp(self):
        super().setUp()
        self.case(NAME, 7.2, peers=COLD, warm=WARM)
        self.case(OTHER, 8.2, peers=UNTUNED)
        (self.output / "triton.jsonl").write_text("\n".join(map(json.dumps, TRITON)))
        self.text = self.tables(self.output).stdout

    def test_a_case_is_a_row_with_the_better_library_of_each_policy(self):
        self.assertIn("| bf16-64x64x64 | 20.00 | 200 | 1980 | cublasLt | 1.100 (1.090–1.110) (inexact) | "
                      "0.900 (0.890–0.910) | 30.00 (1.25 of torch) | 10.00 | 400 | 1980 | cuBLAS | "
                      "1.100 (1.090–1.110) |  | 28.00 (1.50 of torch, WRONG) | 7 s | gemm/ours A=1 |\n", self.text)

    def test_a_case_that_was_not_measured_says_why(self):
        row = next(line for line in self.text.splitlines() if line.startswith("| fp8-64x64x64-nt | –"))
        self.assertTrue(row.endswith("| 8 s | not tuned: nothing |"), row)

    def test_a_case_without_records_points_to_its_logs(self):
        self.case("tensor-bf16-1x1x1", 9.2)
        row = next(line for line in self.tables(self.output).stdout.splitlines() if line.startswith("| bf16-1x1x1 |"))
        self.assertTrue(row.endswith("| 9 s | not measured: see its logs |"), row)

    def test_each_library_has_a_row_with_what_it_took(self):
        self.assertIn("| bf16-64x64x64 | cold | cublasLt fast | 18.00 | 0.900 (0.890–0.910) | cublasLt fast 13.1 | "
                      "1.0e-06 | 1.0e-06 |\n", self.text)
        self.assertIn("| bf16-64x64x64 | warm | cublasLt | – |  | not present (x) |  |  |\n", self.text)

    def test_machines_and_tritons_reasons_are_named(self):
        self.assertTrue(self.text.startswith("GPU, driver 1.2, CUDA 13.0, NVRTC 13.0.\n\n"), self.text)
        self.assertIn(f"\n- Triton: not begun: the time was over: {OTHER}\n", self.text)

    def test_what_is_no_folder_is_refused(self):
        run = self.tables("/nowhere")
        self.assertEqual(run.returncode, 1)
        self.assertIn("'/nowhere' is not a folder; give output folders of bench/tensor_peers.sh", run.stderr)


class Script(Files):
    def setUp(self):
        super().setUp()
        self.programs = self.folder / "bin"
        for name, text in {"tilewright": TUNER, "tilewright-worker": "", "tilewright-peers": PEERS}.items():
            self.programs.mkdir(exist_ok=True)
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(stat.S_IRWXU)
        for policy, content in {"cold": COLD, "warm": WARM}.items():
            (self.folder / f"{policy}.json").write_text(json.dumps(content))

    def run_script(self, *words, **environment):
        return subprocess.run([SCRIPT, self.output, self.programs, *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "RECORDS": str(self.folder), "TRITON": "no", **environment})

    def test_a_chosen_case_is_swept_from_nothing_and_compared_cold_and_warm(self):
        run = self.run_script("bf16")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([one.name for one in self.output.iterdir() if one.is_dir()], [NAME])
        tuning = (self.output / NAME / "tuning.txt").read_text().split("\t")
        self.assertEqual(tuning[1:], ["0", NAME, "gemm K=64 M=64 N=64 type_a=bfloat16\n"])
        for log in "peers.log", "warm.log":
            self.assertEqual((self.output / NAME / log).read_text(), f"--benchmark_filter=^{NAME}/\n")
        self.assertIn("| bf16-64x64x64 | 20.00 | ", run.stdout)
        self.assertEqual(run.stdout, (self.output / "table.md").read_text())

    def test_without_a_regular_expression_all_tensor_cases_run(self):
        self.run_script()
        self.assertEqual({one.name for one in self.output.iterdir() if one.is_dir()}, {NAME, OTHER})

    def test_no_case_begins_after_the_time(self):
        run = self.run_script("bf16", SECONDS_TO_BEGIN="0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.output / "not_begun.txt").read_text(), f"{NAME}\n")
        self.assertFalse((self.output / NAME).exists())

    def test_a_case_that_was_not_measured_fails(self):
        (self.folder / "warm.json").unlink()
        (self.programs / "tilewright-peers").write_text(PEERS + '[[ -e $json ]]\n')
        run = self.run_script("bf16")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("| bf16-64x64x64 | 20.00 | ", run.stdout)

    def refusal(self, *words, **environment):
        run = self.run_script(*words, **environment)
        self.assertEqual(run.returncode, 2, run.stderr)
        return run.stderr

    def test_bad_input_is_refused_in_one_sentence(self):
        self.assertIn("'nothing' matches no case", self.refusal("nothing"))
        self.assertIn("SECONDS_TO_BEGIN='soon': give a whole number of seconds", self.refusal(SECONDS_TO_BEGIN="soon"))
        (self.output / NAME).mkdir(parents=True)
        self.assertIn(f"{self.output}/{NAME} exists; remove it, or name another folder", self.refusal("bf16"))
        (self.programs / "tilewright-worker").unlink()
        self.assertIn("has no program tilewright-worker", self.refusal())


if __name__ == "__main__":
    unittest.main()
