"""The arithmetic of bench/tables/trust.py on made-up sweeps."""
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("trust", ROOT / "bench/tables/trust.py")
trust = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(trust)


def trial(block, us, stage="screen", outcome="measured", message=""):
    result = {
        "implementation": "op/a",
        "configuration": {"BLOCK": block},
        "stage": stage,
        "outcome": outcome,
        "message": message,
    }
    if outcome == "measured":
        result["timing"] = {"median_us": us}
    return result


def key(block):
    return trust.key_of(trial(block, 1))


def winner(block, tie=False):
    return {"implementation": "op/a", "configuration": {"BLOCK": block}, "tie": tie}


class Trust(unittest.TestCase):
    def test_interval_is_the_sign_tests(self):
        self.assertEqual(trust.interval([3, 1, 2]), (1, 3))
        self.assertEqual(trust.interval(range(1, 11)), (2, 9))

    def test_the_screening_judges_whatever_the_final_said(self):
        times = trust.times_of_sweep({"trials": [trial(1, 7, "final"), trial(1, 5), trial(2, 6)]})
        self.assertEqual(times, {key(1): 5, key(2): 6})

    def test_pools_what_every_sweep_measured(self):
        sweeps = [{"trials": [trial(1, us), trial(2, 10 * us)]} for us in (1, 2, 3)]
        sweeps[0]["trials"].append(trial(4, 1))
        pooled = trust.pool(sweeps)
        self.assertEqual(pooled, {key(1): (2, (1, 3)), key(2): (20, (10, 30))})

    def test_regret_is_against_the_best_pooled_median(self):
        pooled = {"a": (100, (99, 101)), "b": (100.5, (100, 102)), "c": (103, (100.9, 105)),
                  "d": (150, (140, 160))}
        result = trust.judge(["a", "b", "c", "d", "elsewhere"], pooled)
        self.assertEqual(result["runs"], 5)
        self.assertEqual(result["different"], 5)
        self.assertEqual(result["changes"], 4)
        self.assertEqual(result["judged"], 4)
        self.assertAlmostEqual(result["median_regret"], 0.0175)
        self.assertAlmostEqual(result["largest_regret"], 0.5)
        self.assertEqual(result["above"], 2)
        self.assertEqual(result["unexplained"], 1)  # c's interval meets a's, d's does not

    def test_a_naive_winner_has_the_least_time_of_its_run(self):
        naive = {"repeats": 2, "configurations": [
            {"implementation": "op/a", "configuration": {"BLOCK": 1}, "times_us": [1, 5]},
            {"implementation": "op/a", "configuration": {"BLOCK": 2}, "times_us": [2, 4]},
            {"implementation": "op/a", "configuration": {"BLOCK": 3}, "times_us": [], "why_not": "x"}]}
        self.assertEqual(trust.naive_winners(naive), [key(1), key(2)])

    def test_equal_code_is_one_configuration_whatever_its_name(self):
        same = "same code and launch as BLOCK="
        document = {
            "name": "made up",
            "sweeps": [{"winners": [winner(1)]}, {"winners": [winner(2, True)]}],
            "export": {"sweeps": [
                {"trials": [trial(1, 4), trial(2, 0, outcome="duplicate", message=same + "1"),
                            trial(3, 5)]},
                {"trials": [trial(2, 4), trial(1, 0, outcome="duplicate", message=same + "2"),
                            trial(3, 5)]}]},
            "naive": {"repeats": 1, "configurations": [
                {"implementation": "op/a", "configuration": {"BLOCK": 2}, "times_us": [9]},
                {"implementation": "op/a", "configuration": {"BLOCK": 3}, "times_us": [8]}]},
        }
        sweep_row, naive_row = trust.analyse(document)
        self.assertEqual(sweep_row[:4], ("made up", "op/a", "sweep", 2))
        self.assertEqual(sweep_row[4]["different"], 1)
        self.assertEqual(sweep_row[4]["ties"], 1)
        self.assertEqual(sweep_row[4]["largest_regret"], 0)
        self.assertAlmostEqual(naive_row[4]["largest_regret"], 0.25)
        text = trust.table([sweep_row, naive_row])
        self.assertIn("| made up | op/a | naive | 2 | 1 | 1 | 0 |  | 25.00 % | 25.00 % | 1 | 1 |", text)


if __name__ == "__main__":
    unittest.main()
