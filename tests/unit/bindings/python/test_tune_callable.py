"""tilewright.tune_callable: functions of this process, on the host device."""

import collections
import os
import pathlib
import tempfile
import threading
import time
import unittest

import tilewright
from tilewright import InputError, NothingFound

WORKER = os.environ["TILEWRIGHT_TEST_WORKER"]
SLEEPS = {1: 3e-3, 2: 1e-3, 4: 2e-3}
MODES = ["fine", "Wrong", "bad", "too large"]


class InProcess(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = pathlib.Path(folder.name, "results.db")
        self.calls = collections.Counter()
        self.threads = set()

    def work(self, problem, configuration):
        self.calls[configuration["MODE"]] += 1
        self.threads.add(threading.current_thread())
        self.assertEqual(problem, {"n": 3})
        if configuration["MODE"] == "bad":
            raise ValueError("out of luck")
        if configuration["MODE"] == "too large":
            raise tilewright.evaluator.Failed("resources", "300 KiB of shared memory")

        def run():
            time.sleep(SLEEPS[configuration["STEP"]])
            return configuration["MODE"]

        return run

    def tune(self, prepare=None, tune_params=None, **options):
        tune_params = tune_params or {"STEP": [1, 2, 4], "MODE": MODES}
        usual = dict(check=lambda run: run() == "fine", problem={"n": 3}, device="host")
        usual |= dict(name="work", database=self.database, worker=WORKER)
        return tilewright.tune_callable(prepare or self.work, tune_params, **(usual | options))

    def test_is_searched_checked_and_remembered(self):
        told = []
        tuned = self.tune(progress=told.append)
        self.assertEqual(tuned.configuration, {"STEP": 2, "MODE": "fine"})
        self.assertEqual((tuned.policy, tuned.was_on_record), ("warm/author", False))
        self.assertTrue(1000 <= tuned.median_us < 2000, tuned)
        outcomes = {one.configuration["MODE"]: one.outcome for one in told}
        names = ["measured", "wrong_answer", "launch_failed", "unsupported"]
        self.assertEqual(outcomes, dict(zip(MODES, names)))
        self.assertEqual(self.threads, {threading.current_thread()})
        before = self.calls.copy()
        self.assertTrue(self.tune().was_on_record)
        self.assertEqual(self.calls, before)
        self.assertFalse(self.tune(version="2").was_on_record)

    def test_constraints_and_any_values(self):
        seen = []

        def prepare(_problem, configuration):
            seen.append(configuration)
            return lambda: None

        values = {"SCALE": [0.5, 2.0], "FAST": [True, False], "N": [2, 1]}
        tuned = self.tune(prepare, values, check=lambda run: True, constraints=["N == 2"], problem=None)
        self.assertEqual(tuned.legal, 4)
        self.assertTrue(all(one["N"] == 2 for one in seen))
        self.assertEqual({(type(one["SCALE"]), type(one["FAST"])) for one in seen}, {(float, bool)})

    def test_an_exception_of_the_caller_ends_it(self):
        def interrupted(_problem, _configuration):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.tune(interrupted)
        self.assertNotIn("TILEWRIGHT_DOOR", os.environ)
        self.assertEqual(self.tune().configuration["STEP"], 2)  # nothing is left of it

    def test_bad_input_is_named(self):
        with self.assertRaisesRegex(InputError, "'STEP' has no values"):
            self.tune(tune_params={"STEP": []})
        with self.assertRaisesRegex(InputError, "name: 'two words' is no name"):
            self.tune(name="two words")
        with self.assertRaises(NothingFound):
            self.tune(tune_params={"STEP": [1], "MODE": ["bad"]})


if __name__ == "__main__":
    unittest.main()
