"""Tuning an operation of one's own on the host device."""

import array
import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest
from unittest import mock

import handmade

import tilewright
from tilewright._tune import _worker

SAMPLES = pathlib.Path(os.environ["TILEWRIGHT_TEST_SAMPLES"])
MANIFEST = SAMPLES / "scale.toml"


def scale(problem, inputs, outputs):
    factor = inputs["factor"][0]
    for i in range(problem["n"]):
        outputs["y"][i] = factor * inputs["x"][i]


class Worker(unittest.TestCase):
    def test_is_looked_for_beside_the_library(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part in ("package", "lib", "bin", "path"):
                (folder / part).mkdir()
            places = {"PACKAGE": folder / "package", "FILE": folder / "lib/libtilewright.so"}
            with (
                mock.patch.multiple("tilewright._library", **places),
                mock.patch.dict(os.environ, PATH=str(folder / "path")),
            ):
                with self.assertRaisesRegex(tilewright.InputError, "beside the library or on PATH"):
                    _worker(None)
                for part in ("path", "bin", "lib", "package"):  # the later ones come first
                    program = folder / part / "tilewright-worker"
                    program.touch(mode=0o755)
                    self.assertEqual(_worker(None), os.fsencode(program))
                self.assertEqual(_worker("mine"), b"mine")


class Tuning(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = pathlib.Path(folder.name) / "results.db"
        cache = os.environ["TILEWRIGHT_TEST_CACHE"]
        self.runtime = tilewright.Runtime(  # others on the device lock elsewhere
            self.database, [], manifests=MANIFEST, cache=cache, scratch=folder.name
        )
        self.arrays = {"x": handmade.floats(1000), "factor": array.array("f", [2.5])}

    def tune(self, **more):
        options = {"reference": scale, "arrays": self.arrays, "compile_processes": 1, **more}
        worker = os.environ["TILEWRIGHT_TEST_WORKER"]
        return self.runtime.tune(MANIFEST, device="host", worker=worker, **options)

    def test_finds_the_fastest_and_keeps_it(self):
        told = []
        result = self.tune(progress=told.append)
        self.assertEqual((result.implementation, result.end), ("scale/plain", "finished"))
        self.assertEqual(result.outcomes, {"measured": 2})
        self.assertGreater(result.median_us, 0)
        self.assertEqual([progress.done for progress in told], [1, 2])
        answer = self.runtime.best("scale", n=1000, device="host", require="exact")
        self.assertEqual(answer.configuration, result.configuration)
        self.assertTrue(self.tune().was_on_record)

    def test_a_reference_that_disagrees(self):
        def wrong(problem, inputs, outputs):
            scale(problem, inputs, outputs)
            outputs["y"][999] += 1

        with self.assertRaisesRegex(tilewright.NothingFound, "wrong"):
            self.tune(reference=wrong)

    def test_what_callbacks_raise(self):
        def interrupted(_progress):
            raise KeyboardInterrupt

        def writes_an_input(_problem, inputs, _outputs):
            inputs["x"][0] = 1.0

        with self.assertRaises(KeyboardInterrupt):
            self.tune(progress=interrupted)
        self.assertEqual(self.tune().end, "finished")  # goes on from there
        with self.assertRaisesRegex(TypeError, "read-only"):
            self.tune(reference=writes_an_input)

    def test_an_interrupt_while_c_runs(self):
        def interrupt():
            time.sleep(0.01)  # the reference has returned
            os.kill(os.getpid(), signal.SIGINT)

        def reference(*call):
            scale(*call)
            threading.Thread(target=interrupt).start()

        with self.assertRaises(KeyboardInterrupt):
            self.tune(reference=reference)
        self.assertEqual(self.tune().end, "finished")

    def test_refuses(self):
        with self.assertRaisesRegex(tilewright.InputError, "array 'x' is an object of type list"):
            self.tune(arrays={"x": [1.0]})
        with self.assertRaisesRegex(tilewright.InputError, "isolation 'none'"):
            self.tune(isolation="none")
        for name, value in (("budget", -1), ("budget", 2**64), ("seed", -1), ("seed", 1.5)):
            with self.assertRaisesRegex(tilewright.InputError, f"^{name}: "):
                self.tune(**{name: value})
        with self.assertRaisesRegex(tilewright.InputError, "'z'"):
            self.tune(arrays={**self.arrays, "z": self.arrays["x"]})


if __name__ == "__main__":
    unittest.main()
