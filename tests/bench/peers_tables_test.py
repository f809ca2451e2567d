"""The tables of bench/tables/peers.py from a made-up record."""
import contextlib
import importlib.util
import io
import json
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("peers", ROOT / "bench/tables/peers.py")
peers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(peers)


def side(us, error=1e-6, wrong=""):
    return {"median_us": us, "how": f"kernel {us}", "sm_mhz": 1979.6,
            "worst_error": error, "wrong": wrong}


def match(case, rival, ours, theirs, **more):
    ratio = theirs["median_us"] / ours["median_us"]
    return {"case": case, "rival": rival, "ours": ours, "theirs": theirs, "ratio": ratio,
            "ratio_low": ratio - 0.01, "ratio_high": ratio + 0.01, "flops": 4e8, "bytes": 8e6,
            "floor_us": 10.0, **more}


RECORD = {
    "device": {"name": "GPU"},
    "environment": {"driver": "1.2", "runtime": "13.0", "compiler": "NVRTC 13.0"},
    "policy": "cold",
    "multiply_add_tflops": 65.8,
    "matches": [
        match("conv-a", "NPP", side(21.0), side(42.0), note="both replicate"),
        match("conv-a", "FFT", side(20.0), side(10.0, 1e-4, "outside")),
        {"case": "conv-a", "rival": "cuDNN", "why_not": "not present (x)"},
        {"case": "gemm-b", "rival": "cuDNN", "why_not": "not tuned: nothing"},
        {"case": "gemm-c", "rival": "cuDNN", "why_not": "does not load"},
    ],
}


class Tables(unittest.TestCase):
    def printed(self, *prefixes):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "peers.json").write_text(json.dumps(RECORD))
            (folder / "tuning.txt").write_text("7.2 s\t0\tconv-a\tconv2d width=1\n"
                                               "9.0 s\t1\tgemm-b\tgemm M=1\n")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                peers.print_folder(folder, prefixes)
        return out.getvalue()

    def test_a_case_is_a_row_with_its_rivals_ratios(self):
        self.assertIn("| conv-a | 10.0 | 20.0 | 50 % | 20.0 | 1980 | 2.00 (1.99–2.01) | "
                      "0.50 (0.49–0.51) (inexact) | – | 7 s | kernel 20.0 |\n", self.printed())

    def test_a_comparison_beside_another_process_is_marked(self):
        alone = match("conv-a", "NPP", side(20.0), side(10.0))
        self.assertEqual(peers.doubts_of(alone), "")
        self.assertEqual(peers.doubts_of({**alone, "others": ["process 12 (train)"]}), " (not alone)")

    def test_a_case_that_was_not_measured_says_why(self):
        self.assertIn("| gemm-c |  | – |  |  |  |  |  | – |  | does not load |\n", self.printed())

    def test_a_case_that_nobody_tuned_is_left_out(self):
        self.assertNotIn("gemm-b", self.printed())

    def test_what_is_missing_is_listed_with_its_reason(self):
        self.assertIn("- cuDNN: not present (x): conv-a\n", self.printed())

    def test_errors_have_a_table(self):
        self.assertIn("| conv-a | 1.0e-06 | 1.0e-06 | 1.0e-04 |  |\n", self.printed())

    def test_a_prefix_chooses_cases(self):
        self.assertNotIn("gemm-c", self.printed("conv"))


if __name__ == "__main__":
    unittest.main()
