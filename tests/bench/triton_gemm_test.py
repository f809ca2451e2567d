"""What bench/compare/triton_gemm.py does without a GPU: reading cases, and the arithmetic of rounds and pairs."""
import contextlib
import importlib.util
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bench/compare/triton_gemm.py"
SPEC = importlib.util.spec_from_file_location("triton_gemm", PROGRAM)
triton_gemm = importlib.util.module_from_spec(SPEC)
sys.modules["triton_gemm"] = triton_gemm
SPEC.loader.exec_module(triton_gemm)
Case = triton_gemm.Case


class Cases(unittest.TestCase):
    def test_a_line_of_the_list_of_sweeps_is_a_case(self):
        self.assertEqual(Case.read("one\tgemm K=3 M=1 N=2 batch=64 transpose_b=yes type_a=bfloat16\n"),
                         Case("one", 1, 2, 3, 64, "bfloat16", True))
        self.assertEqual(Case.read("one\tgemm K=3 M=1 N=2 precision=tf32"), Case("one", 1, 2, 3, 1, "tf32", False))
        self.assertEqual(Case.read("one\tgemm K=3 M=1 N=2 type_a=float8_e4m3 type_c=bfloat16").kind, "float8_e4m3")

    def test_what_there_is_no_product_for_says_why(self):
        for words, why in {
            "epilogue=bias_gelu type_a=bfloat16": "has no epilogue bias_gelu",
            "type_a=int8": "has no product of int8",
            "": "has no product of float32",
            "type_a=float16 transpose_a=yes": "has only A · B and A · Bᵀ",
        }.items():
            with self.assertRaises(triton_gemm.CannotCompete) as caught:
                Case.read(f"one\tgemm K=3 M=1 N=2 {words}")
            self.assertEqual(str(caught.exception), why)

    def test_what_is_no_case_is_refused(self):
        for line in "", "one", "one\tconv1d length=3", "one\tgemm K=3 M=1 N=x type_a=float16", "one\tgemm K=3 M=1 N":
            with self.assertRaises(triton_gemm.BadInput, msg=line):
                Case.read(line)


class Drift:
    """A graph on a machine that becomes slower with every replay of any graph."""
    slowness = 1.0

    def __init__(self, us):
        self.us = us

    def replay(self):
        Drift.slowness *= 1.002
        return self.us * Drift.slowness


class Rounds(unittest.TestCase):
    def test_heating_replays_all_in_turn_until_the_time_is_over(self):
        graph = Drift(1)
        Drift.slowness = 1.0
        triton_gemm.heat([graph], 0)
        self.assertEqual(Drift.slowness, 1.0)
        triton_gemm.heat([graph], 0.001)
        self.assertGreater(Drift.slowness, 1.0)

    def test_a_drift_does_not_decide(self):
        graphs = [Drift(us) for us in (100.3, 100.2, 100.1, 100.0, 100.4)]
        self.assertEqual(triton_gemm.ranked(triton_gemm.rounds(graphs, 4)), [3, 2, 1, 0, 4])

    def test_the_first_round_is_discarded(self):
        graph = Drift(1)
        Drift.slowness = 1.0
        samples = triton_gemm.rounds([graph], 2)
        self.assertEqual(len(samples), 2)
        self.assertAlmostEqual(samples[0][0], 1.002**2)

    def test_a_ratio_is_of_pairs(self):
        found = triton_gemm.ratio_of([2, 20, 30], [1, 10, 10])
        self.assertEqual((found["ratio"], found["ratio_lower"], found["ratio_upper"]), (2, 2, 2.5))


class Machine:
    """In place of torch and its torch.cuda: a clock in milliseconds, and graphs of the calls made while capturing."""

    def __init__(self):
        self.cuda, self.now, self.capturing = self, 0.0, None

    def call(self, name):
        if self.capturing is not None:
            self.capturing.append(name)

    def synchronize(self):
        pass

    def Event(self, enable_timing):
        assert enable_timing
        return Event(self)

    def CUDAGraph(self):
        return Captured(self)

    @contextlib.contextmanager
    def graph(self, graph):
        self.capturing = graph.names
        yield
        self.capturing = None


class Event:
    def __init__(self, machine):
        self.machine, self.time = machine, None

    def record(self):
        self.time = self.machine.now

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return other.time - self.time


class Captured:
    US = 20

    def __init__(self, machine):
        self.machine, self.names = machine, []

    def replay(self):
        self.machine.now += len(self.names) * self.US / 1000


class Graphs(unittest.TestCase):
    def graph(self, names):
        machine = Machine()
        return triton_gemm.Graph(machine, machine.call, [(name,) for name in names])

    def test_a_sample_rotates_through_all_sets_for_about_its_time(self):
        graph = self.graph("abc")
        self.assertEqual("".join(graph.graph.names), 5 * "abc")
        self.assertAlmostEqual(graph.replay(), Captured.US)

    def test_a_long_rotation_is_one_sample(self):
        self.assertEqual(self.graph(range(40)).graph.names, list(range(40)))


class Results(unittest.TestCase):
    LINES = ["a\tgemm K=3 M=1 N=2 type_a=float16", "b\tgemm K=3 M=1 N=2 type_a=int8",
             "c\tgemm K=4 M=1 N=2 type_a=float16"]

    def test_each_case_has_records_or_a_reason(self):
        def measure(case):
            if case.k == 4:
                raise RuntimeError("CUDA error: out of memory\nmore")
            yield {"case": case.name}

        self.assertEqual(list(triton_gemm.results(self.LINES, measure)),
                         [{"case": "a"}, {"case": "b", "why_not": "has no product of int8"},
                          {"case": "c", "why_not": "CUDA error: out of memory"}])

    def test_no_case_begins_after_the_time(self):
        found = list(triton_gemm.results(self.LINES[:1], self.fail, seconds=0))
        self.assertEqual(found, [{"case": "a", "why_not": "not begun: the time was over"}])


class Program(unittest.TestCase):
    def test_without_a_gpu_it_says_what_is_missing(self):
        for program, *words in (PROGRAM,), (PROGRAM.with_name("triton_autotune.py"), "product"):
            run = subprocess.run([sys.executable, "-B", program, *words], input="", capture_output=True, text=True,
                                 check=False, env={"CUDA_VISIBLE_DEVICES": ""})
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, rf"^{program.name}: (needs PyTorch.* Triton|PyTorch finds no GPU)")


if __name__ == "__main__":
    unittest.main()
