"""tilewright.evaluator as the other end of its descriptors sees it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parents[4] / "examples" / "evaluator" / "polynomial.toml"
PROGRAM = os.environ.get("TILEWRIGHT_TEST_PROGRAM")
MEASURE = dict(least=5, most=20, budget_us=2000, sample_us=50, lead_in_us=0, long_us=20000)


class Conversation:
    """With a process whose sessions have this class body."""

    def __init__(self, body):
        text = "from tilewright.evaluator import *\nimport os, time\nclass Session:\n"
        text += textwrap.indent(textwrap.dedent(body), "    ") + "\nserve(Session)\n"
        (to_read, self._to_write), (self._from_read, from_write) = os.pipe(), os.pipe()

        def place():
            high = [os.dup2(end, 60 + i) for i, end in enumerate((to_read, from_write))]
            for end, place in zip(high, (3, 4)):
                os.dup2(end, place)

        self._process = subprocess.Popen(
            [sys.executable, "-c", text],
            preexec_fn=place,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        os.close(to_read)
        os.close(from_write)
        self._requests, self._answers = os.fdopen(self._to_write, "w"), os.fdopen(self._from_read)
        self._id = 0

    def __enter__(self):
        self.ok("hello", protocol=1, task="measure", problem={"n": 3}, seed=1)
        return self

    def __exit__(self, *_):
        self._requests.close()
        self.log = self._process.communicate()[0].decode()
        self._answers.close()

    def ask(self, verb, **members):
        self._id += 1
        print(json.dumps({"id": self._id, "verb": verb} | members), file=self._requests, flush=True)
        answer = json.loads(self._answers.readline())
        assert answer["id"] == self._id
        return answer

    def ok(self, verb, **members):
        return self.ask(verb, **members)["ok"]

    def error(self, verb, **members):
        return self.ask(verb, **members)["error"]


class Serve(unittest.TestCase):
    def test_times_a_callable_by_the_clock(self):
        body = """
            def prepare(self, problem, configuration):
                return lambda: time.sleep(problem["n"] * configuration["MS"] / 1000)
            def check(self, run):
                print("a print is no answer")
                return run() is None
        """
        with Conversation(body) as talk:
            self.assertEqual(talk.ok("prepare", configuration={"MS": 1}), {})
            self.assertEqual(talk.ok("check"), {"correct": True, "checked": 1})
            answer = talk.ok("measure", **MEASURE)
            self.assertGreaterEqual(min(answer["times_us"]), 3000)
            self.assertEqual((len(answer["times_us"]), answer["calls"]), (5, 1))
            talk.ok("prepare", configuration={"MS": 10})
            self.assertEqual(len(talk.ok("measure", **MEASURE)["times_us"]), 2)  # long calls
            exact = MEASURE | {"least": 3, "most": 3}
            self.assertEqual(len(talk.ok("measure", **exact)["times_us"]), 3)
        self.assertEqual(talk.log, "a print is no answer\n")

    def test_short_calls_share_a_sample(self):
        with Conversation("def prepare(self, *_):\n    return lambda: None") as talk:
            talk.ok("prepare", configuration={})
            answer = talk.ok("measure", **MEASURE)
            self.assertGreater(answer["calls"], 10)
            self.assertLess(max(answer["times_us"]), 50)

    def test_leaves_the_timing_to_the_session(self):
        body = """
            def begin(self, hello):
                self.n = hello["problem"]["n"]
            def prepare(self, problem, configuration):
                return Prepared(7, resources={"registers": 9}, code=b"\\x01\\xff", text="fine")
            def check(self, run):
                return {"correct": run == 7, "checked": 12}
            def measure(self, run, request):
                return [self.n + run] * request["least"]
        """
        with Conversation(body) as talk:
            made = {"resources": {"registers": 9}, "code": "01ff", "text": "fine"}
            self.assertEqual(talk.ok("prepare", configuration={}), made)
            self.assertEqual(talk.ok("check"), {"correct": True, "checked": 12})
            self.assertEqual(talk.ok("measure", **MEASURE)["times_us"], [10.0] * 5)

    def test_a_sampler_replaces_the_clock(self):
        body = """
            def prepare(self, *_):
                return lambda: None
            def sampler(self, run):
                return lambda calls: 7.0 * calls
        """
        with Conversation(body) as talk:
            talk.ok("prepare", configuration={})
            self.assertEqual(talk.ok("measure", **MEASURE), {"times_us": [7.0] * 20, "calls": 8})

    def test_waits_for_what_calls_began(self):
        body = """
            def prepare(self, *_):
                return lambda: None
            def synchronize(self):
                time.sleep(0.03)
        """
        with Conversation(body) as talk:
            talk.ok("prepare", configuration={})
            self.assertGreater(min(talk.ok("measure", **MEASURE)["times_us"]), 29000)

    def test_errors_have_a_kind(self):
        body = """
            def prepare(self, problem, configuration):
                if configuration["BAD"] == "resources":
                    raise Failed("resources", "300 KiB of shared memory")
                return {"none": None}[configuration["BAD"]] or (lambda: 1 / 0)
            def check(self, run):
                return "y[3] is 7, not 8"
        """
        with Conversation(body) as talk:
            self.assertEqual(
                talk.error("prepare", configuration={"BAD": "resources"}),
                {"kind": "resources", "text": "300 KiB of shared memory"},
            )
            error = talk.error("prepare", configuration={"BAD": "key"})
            self.assertEqual(error["kind"], "compile")
            self.assertIn("KeyError: 'key'", error["text"])
            talk.ok("prepare", configuration={"BAD": "none"})
            self.assertEqual(talk.ok("check"), {"correct": False, "text": "y[3] is 7, not 8"})
            error = talk.error("measure", **MEASURE)
            self.assertEqual(error["kind"], "launch")
            self.assertIn("ZeroDivisionError", error["text"])

    def test_needs_no_library(self):
        text = "from tilewright import evaluator; import sys; assert 'tilewright._library' not in sys.modules"
        environment = os.environ | {"TILEWRIGHT_LIBRARY": "/no/such/file.so"}
        subprocess.run([sys.executable, "-c", text], env=environment, check=True)

    def test_refuses_another_version(self):
        with Conversation("pass") as talk:
            self.assertEqual(talk.error("hello", protocol=2, problem={})["kind"], "broken")

    def test_programs_that_it_starts_do_not_have_the_descriptors(self):
        body = """
            def prepare(self, *_):
                held = os.popen("ls /proc/self/fd").read().split()
                return Prepared(None, text=" ".join(held))
        """
        with Conversation(body) as talk:
            held = set(talk.ok("prepare", configuration={})["text"].split())
            self.assertFalse(held & {"4", "5"}, held)  # 3 is the folder that ls reads


@unittest.skipUnless(PROGRAM, "there is no program")
class Example(unittest.TestCase):
    def test_is_swept(self):
        with tempfile.TemporaryDirectory() as home:
            environment = os.environ | {"HOME": home, "TILEWRIGHT_LOCKS": home}
            command = [PROGRAM, "sweep", EXAMPLE, "n=1000", "--device", "host", "--json"]
            command += ["--db", pathlib.Path(home, "results.db")]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["winners"][0]["implementation"], "polynomial/loop")


if __name__ == "__main__":
    unittest.main()
