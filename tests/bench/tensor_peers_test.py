"""bench/compare/tensor_peers.sh with made-up programs, and the tables of its output."""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/compare/tensor_peers.sh"
TABLES = ROOT / "bench/tables/tensor_peers.py"
LARGE = "tensor-bf16-2048x2048x2048"
THIN = "tensor-bf16-1x4096x4096-nt"
NARROW = "tensor-fp8-16x4096x4096-nt"
WGMMA = ("gemm/wgmma BLOCK_M=128 BLOCK_N=256 CLUSTER_M=2 CLUSTER_N=1 DEPENDENT=no PACKED=none SCHEDULE=cooperative "
         "SPLIT_K=1 SWAPPED=no")

SWEEP = """$ tilewright sweep {kernel} M=1 --where DEPENDENT=='no'
  {kernel}  26.1 us
  203 of 111 942 tried in {seconds} s, {verdict}; stopped: no gain since trial 30
"""
PEERS = """{case}/cuBLAS/iterations:15/manual_time   27 us  0.3 us  15 ours_us={us} ratio={cublas} theirs_us=27 cuBLAS
{case}/cublasLt/iterations:15/manual_time 26 us  0.3 us  15 ours_us={us} ratio={lt} theirs_us=26 cublasLt
| case |  | µs | times tilewright's | GB/s | TFLOP/s | floor over it | MHz | error | how |
| {case} | **tilewright** | {us} | 1 | 486 | {tflops} | 13 % | 1500 | 5.0e-01 | {how} |
| {case} | cuBLAS | 27 | {cublas:.3f} ({cublas:.3f}–2.000) | 475 | 648.3 | 13 % | 1500 | 5.0e-01 | cuBLAS 13.1.0 |
| {case} | cublasLt | 26 | {lt:.3f} ({low:.3f}–2.000) (inexact) | 475 | 648.3 | 13 % | 1500 | 5.0e-01 | cublasLt 13.1 |
"""


def sweep(kernel="gemm/wgmma", seconds=20, verdict="all correct"):
    return SWEEP.format(kernel=kernel, seconds=seconds, verdict=verdict)


# The interval of cublasLt's ratio begins at `low`.
def printed(case, us, cublas, lt, how=WGMMA, tflops=650, low=None):
    return PEERS.format(case=case, us=us, cublas=cublas, lt=lt, how=how, tflops=tflops, low=low or lt)


def peers(case, options, *figures, **low):
    return f"$ tilewright-peers {options} --benchmark_filter=^{case}/\n" + printed(case, *figures, **low)


class Files(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.output = self.folder / "output"


class Tables(Files):
    def setUp(self):
        super().setUp()
        self.output.mkdir()
        self.write(self.output, LARGE, sweep(), peers(LARGE, "--policy cold", 26, 1.03, 1.02),
                   peers(LARGE, "--policy warm", 25, 1.02, 1.012, low=1.009),
                   peers(LARGE, "--policy cold --lead-in 0.15s", 27, 1, 1.05))

    def write(self, folder, case, *parts):
        (folder / f"{case}.txt").write_text("".join(parts))

    def tables(self, *words):
        return subprocess.run([TABLES, self.output, *words], capture_output=True, text=True, check=False)

    def rows(self, *words):
        run = self.tables(*words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_a_case_is_a_row_with_the_better_library_and_bold_is_what_may_miss_its_bar(self):
        text = self.rows()
        # 650 TFLOP/s of 132 multiprocessors · 4096 FLOP · 1500 MHz
        self.assertIn("| bfloat16 2048³ | 20 | 128 × 256, cooperative, clusters of 2 | 26.0 | 1.020 | **1.012** | "
                      "**1.000** | 1.01 | 1500 | 80 % |\n", text)
        self.assertIn("bf16: 1 of 1 miss their bar cold or warm\nbf16-2048x2048x2048 -0.0010\n"
                      "bf16: 1 of 1 miss their bar at its own clock\nbf16-2048x2048x2048 -0.0100\n", text)

    def test_both_sweeps_of_a_thin_product_count_and_a_case_without_both_policies_is_left_out(self):
        self.write(self.output, THIN, sweep(seconds=4), sweep("gemm/thin", 7),
                   peers(THIN, "--policy cold", 10, 1.2, 1.3, "gemm/thin ACROSS=8", 3),
                   peers(THIN, "--policy warm", 7, 1.4, 1.5, "gemm/thin ACROSS=8", 5))
        self.write(self.output, NARROW, sweep(), peers(NARROW, "--policy cold", 6, 1.1, 1.1))
        text = self.rows()
        self.assertIn("| 1 × 4096 × 4096, A · Bᵀ | 11 | gemm/thin | 10.0 | 1.200 | 1.400 |  | 1.00 | 1500 |  |\n", text)
        self.assertNotIn("float8", text)

    def test_halves_are_beside_each_other(self):
        for layout, ratio in ("", 1.004), ("-nt", 0.985):
            case = f"tensor-fp16-4096x4096x4096{layout}"
            self.write(self.output, case, sweep(), *(peers(case, f"--policy {policy}", 207, ratio, 2)
                                                     for policy in ("cold", "warm")))
        self.assertIn("| 4096³ | **1.004** | **1.004** |  | **0.985** | **0.985** |  | 1.01 and 0.99 |\n", self.rows())

    def test_dependent_launches_and_triton_are_beside_a_product(self):
        dependent = self.folder / "dependent"
        dependent.mkdir()
        how = WGMMA.replace("DEPENDENT=no", "DEPENDENT=yes")
        self.write(dependent, LARGE, sweep(), peers(LARGE, "--policy cold", 26, 1.1, 1.04, how),
                   peers(LARGE, "--policy warm", 26, 1.1, 1.05, how))
        triton = [{"case": LARGE, "policy": "cold", "triton_us": 30, "ratio": 1.5, "right": True},
                  {"case": LARGE, "policy": "warm", "triton_us": 30, "ratio": 2, "right": False},
                  {"case": THIN, "why_not": "not begun"}]
        (self.output / "triton.jsonl").write_text("\n".join(map(json.dumps, triton)))
        self.assertIn("| bfloat16 2048³ | 1.040 | 1.050 | 1.5 | 2.0 (WRONG) |\n", self.rows("--dependent", dependent))

    def test_an_earlier_run_is_compared(self):
        before = self.folder / "before"
        before.mkdir()
        self.write(before, LARGE, sweep(), peers(LARGE, "--policy cold", 26, 1.02, 1.02),
                   peers(LARGE, "--policy warm", 26, 0.95, 0.95))
        self.assertIn("2 ratios of the run before: the median difference is 3.3%\n"
                      "bf16-2048x2048x2048 warm +6.5%\n", self.rows("--before", before))

    def test_wrong_answers_and_what_is_no_folder_are_refused(self):
        self.assertIn("'/nowhere' is not a folder; give an output folder of bench/compare/tensor_peers.sh",
                      self.tables("--before", "/nowhere").stderr)
        self.write(self.output, THIN, sweep(verdict="2 of them wrong"))
        run = self.tables()
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{THIN}.txt: a sweep did not end, or not all of its answers were correct", run.stderr)


LISTED = {"gemm-64x64x64": "M=64", LARGE: "K=2048 M=2048 N=2048 type_a=bfloat16", THIN: "K=4096 M=1 N=4096",
          NARROW: "K=4096 M=16 N=4096 type_a=float8_e4m3"}
FAKE_PEERS = """#!/usr/bin/env bash
if [[ " $* " == *" --list-sweeps "* ]]; then
  cat "$FAKES/listed"
  exit
fi
printf '%s\\n' "$CUDA_VISIBLE_DEVICES $*" >>"$FAKES/calls"
while (($#)); do [[ $1 == --policy ]] && policy=$2; [[ $1 == --db ]] && database=$2; shift; done
cat "$FAKES/$policy.txt" && [[ -s $database ]]
"""
FAKE_TUNER = """#!/usr/bin/env bash
printf '%s\\n' "$CUDA_VISIBLE_DEVICES $*" >>"$FAKES/calls"
while (($#)); do [[ $1 == --db ]] && database=$2; shift; done
echo tuned >>"$database"
echo "  203 of 300 tried in 2.0 s, all correct; in $database"
"""
FAKE_PYTHON = f"""#!/usr/bin/env bash
[[ $1 == *triton_gemm.py ]] || exec {sys.executable} "$@"
while IFS=$'\\t' read -r name _; do
  echo "{{\\"case\\": \\"$name\\", \\"why_not\\": \\"on $CUDA_VISIBLE_DEVICES\\"}}"
done
"""
FAKE_SMI = """#!/usr/bin/env bash
[[ $* == *uuid* ]] && cat "$FAKES/gpus" || echo "GPU of $2"
"""


class Script(Files):
    def setUp(self):
        super().setUp()
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        for name, text in {"tilewright": FAKE_TUNER, "tilewright-worker": "", "tilewright-peers": FAKE_PEERS,
                           "python3": FAKE_PYTHON,
                           "nvidia-smi": FAKE_SMI}.items():
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(stat.S_IRWXU)
        (self.folder / "gpus").write_text("GPU-a\nGPU-b\n")
        (self.folder / "listed").write_text("".join(f"{name}\tgemm {words}\n" for name, words in LISTED.items()))
        for policy in "cold", "warm":
            (self.folder / f"{policy}.txt").write_text(printed(LARGE, 26, 1.03, 1.02))

    def run_script(self, *words, **environment):
        path = f"{self.programs}:{os.environ['PATH']}"
        given = {**os.environ, "PATH": path, "FAKES": str(self.folder), "TRITON": "no", **environment}
        return subprocess.run([SCRIPT, self.output, self.programs, *words], capture_output=True, text=True, check=False,
                              env=given)

    def commands(self, name):
        text = (self.output / f"{name}.txt").read_text()
        return [line for line in text.splitlines() if line.startswith("$ ")]

    def test_a_large_case_is_swept_and_compared_three_times(self):
        run = self.run_script("bf16-2048", "--libraries", "/lib")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.commands(LARGE),
                         ["$ tilewright sweep gemm/wgmma K=2048 M=2048 N=2048 type_a=bfloat16 --where DEPENDENT=='no'"] +
                         ["$ tilewright-peers --definition examples/kernel_tuner_convolution/"
                          f"kernel_tuner_convolution.toml --heat 1s --libraries /lib {policy} "
                          f"--benchmark_filter=^{LARGE}/"
                          for policy in ("--policy cold", "--policy warm", "--policy cold --lead-in 0.15s")])
        text = (self.output / f"{LARGE}.txt").read_text()
        self.assertIn(f"all correct; in OUTPUT/{LARGE}.db\n", text)
        self.assertRegex(text, rf"^\[.*Z\] {LARGE} on GPU of GPU-[ab]\n")
        self.assertIn("| bfloat16 2048³ | 2 | 128 × 256, cooperative", run.stdout)
        self.assertEqual(run.stdout, (self.output / "table.md").read_text())

    def test_all_gpus_take_cases_each_from_an_empty_database(self):
        run = self.run_script()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual({one.stem for one in self.output.glob("*.txt")}, set(LISTED) - {"gemm-64x64x64"})
        calls = [line.split() for line in (self.folder / "calls").read_text().splitlines()]
        self.assertLessEqual({call[0] for call in calls}, {"GPU-a", "GPU-b"})
        databases = {call[call.index("--db") + 1] for call in calls}
        self.assertEqual({pathlib.Path(one).stem for one in databases}, set(LISTED) - {"gemm-64x64x64"})

    def test_thin_products_have_a_second_sweep_and_small_ones_no_third_comparison(self):
        self.run_script("1x4096", WHERE="", SWEEP_OPTIONS="--time-limit 2s")
        self.assertEqual([line.split("=^")[0] for line in self.commands(THIN)][:2],
                         ["$ tilewright sweep gemm/wgmma K=4096 M=1 N=4096 --time-limit 2s",
                          "$ tilewright sweep gemm/thin K=4096 M=1 N=4096 --time-limit 2s"])
        self.assertEqual(len(self.commands(THIN)), 4)

    def test_another_kernel_is_swept_in_its_place(self):
        self.run_script("2048", KERNEL="gemm/mma", WHERE="")
        self.assertEqual(self.commands(LARGE)[0], "$ tilewright sweep gemm/mma K=2048 M=2048 N=2048 type_a=bfloat16")

    def test_all_gpus_take_cases_of_triton(self):
        self.run_script(TRITON="yes")
        records = [json.loads(line) for line in (self.output / "triton.jsonl").read_text().splitlines()]
        self.assertEqual({one["case"]: one["why_not"] for one in records},
                         {LARGE: "on GPU-b", THIN: "on GPU-a", NARROW: "on GPU-b"})

    def test_no_case_begins_after_the_time(self):
        run = self.run_script("bf16-2048", SECONDS_TO_BEGIN="0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.output / "not_begun.txt").read_text(), f"{LARGE}\n")
        self.assertFalse((self.output / f"{LARGE}.txt").exists())

    def test_a_case_that_was_not_measured_fails(self):
        (self.folder / "warm.txt").unlink()
        self.assertEqual(self.run_script("bf16-2048").returncode, 1)

    def test_a_case_whose_process_was_killed_fails(self):
        (self.programs / "tilewright").write_text(FAKE_TUNER + "kill -KILL $PPID\n")
        self.assertEqual(self.run_script("bf16-2048").returncode, 1)

    def refusal(self, *words, **environment):
        run = self.run_script(*words, **environment)
        self.assertEqual(run.returncode, 2, run.stderr)
        return run.stderr

    def test_bad_input_is_refused_in_one_sentence(self):
        self.assertIn("'nothing' matches no case", self.refusal("nothing"))
        self.assertIn("SECONDS_TO_BEGIN='soon': give a whole number of seconds", self.refusal(SECONDS_TO_BEGIN="soon"))
        self.output.mkdir()
        (self.output / f"{LARGE}.txt").touch()
        self.assertIn(f"{self.output}/{LARGE}.txt exists; remove it, or name another folder", self.refusal("bf16"))
        (self.output / f"{LARGE}.txt").unlink()
        (self.folder / "gpus").write_text("")
        self.assertIn("nvidia-smi lists no GPU", self.refusal("bf16"))
        (self.programs / "tilewright-worker").unlink()
        self.assertIn("has no program tilewright-worker", self.refusal())


if __name__ == "__main__":
    unittest.main()
