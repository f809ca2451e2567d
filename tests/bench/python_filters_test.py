"""What bench/compare/python_filters.py does without a GPU: reading cases, and saying why one has no figures."""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bench/compare/python_filters.py"
sys.path.insert(0, str(PROGRAM.parent))
import python_filters  # noqa: E402: needs the path

Case = python_filters.Case
SIZES = "filter_height=5 filter_width=3 height=40 width=70"


class Cases(unittest.TestCase):
    def test_a_line_of_the_list_of_sweeps_is_a_case(self):
        self.assertEqual(Case.read(f"one\tconv2d_separable {SIZES}\n"), Case("one", 70, 40, 3, 5, "float32"))
        self.assertEqual(Case.read(f"one\tconv2d_separable {SIZES} type=bfloat16").type, "bfloat16")

    def test_what_is_not_computed_says_why(self):
        for words, why in {
            "boundary=wrap": "has no boundary",
            "type=float64": "has float32, float16 and bfloat16, and odd filters",
            "filter_width=4": "has float32, float16 and bfloat16, and odd filters",
        }.items():
            with self.assertRaises(python_filters.CannotCompete) as caught:
                Case.read(f"one\tconv2d_separable {SIZES} {words}")
            self.assertEqual(str(caught.exception), why)

    def test_what_is_no_case_is_refused(self):
        for line in "", "one", "one\tconv2d width=3", "one\tconv2d_separable width=3", "one\tconv2d_separable width":
            with self.assertRaises(python_filters.BadInput, msg=line):
                Case.read(line)


class Results(unittest.TestCase):
    LINES = [f"one\tconv2d_separable {SIZES}", f"two\tconv2d_separable {SIZES} flip=yes"]

    def test_each_case_has_records_or_a_reason(self):
        found = list(python_filters.results(self.LINES, lambda case: [{"case": case.name, "us": 3}]))
        self.assertEqual(found, [{"case": "one", "us": 3}, {"case": "two", "why_not": "has no flip"}])

    def test_no_case_begins_after_the_time(self):
        found = list(python_filters.results(self.LINES[:1], self.fail, seconds=0))
        self.assertEqual(found, [{"case": "one", "why_not": "not begun: the time was over"}])


class Program(unittest.TestCase):
    def test_says_what_it_needs(self):
        run = subprocess.run([sys.executable, "-B", PROGRAM], input="", capture_output=True, text=True)
        if run.returncode != 0:  # there is no PyTorch or no GPU; else nothing was asked for
            self.assertRegex(run.stderr, "needs PyTorch|finds no GPU")
        self.assertEqual(run.stdout, "")

    def test_the_script_says_how_it_is_used(self):
        run = subprocess.run([ROOT / "bench/compare/separable.sh"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("usage: separable.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS", run.stderr)


if __name__ == "__main__":
    unittest.main()
