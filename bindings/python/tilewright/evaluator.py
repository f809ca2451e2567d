"""Evaluators in Python: what a manifest names as `evaluator = ["python3", "FILE.py"]`.

    from tilewright.evaluator import serve

    class Session:
        def prepare(self, problem, configuration):
            return lambda: work(problem["n"], configuration["BLOCK"])

        def check(self, run):
            return run() == expected

    serve(Session)

docs/evaluator.md is the protocol. Whatever is printed goes to the log."""

import json
import math
import os
import statistics
import time
import traceback

__all__ = ["Failed", "Prepared", "serve"]

PROTOCOL = 1
REQUESTS, ANSWERS = 3, 4  # descriptors
MOST_CALLS = 1 << 20  # in one sample
LONGEST_TEXT = 1 << 14


class Failed(Exception):
    """Raised by a session: the configuration cannot be used. `kind` is "compile", "resources",
    "launch", "wrong", or "broken", after which the process is started again."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Prepared:
    """What prepare() may return in place of a callable, if it knows more about it.

    run: the callable. resources: a dictionary with any of registers, shared_bytes, spill_bytes,
    stack_bytes, threads, blocks_per_sm and occupancy. code: a text or bytes; configurations with
    equal code are measured once. text: a remark."""

    def __init__(self, run, *, resources=None, code=None, text=None):
        self.run, self.resources, self.code, self.text = run, resources, code, text

    def answer(self):
        code = self.code.hex() if isinstance(self.code, bytes) else self.code
        known = {"resources": self.resources, "code": code, "text": self.text}
        return {name: value for name, value in known.items() if value is not None}


def serve(session_class):
    """Answers requests until there are no more. `session_class()` makes a session for each problem:

    begin(hello)                        optional: the first call, with the problem and the device
    prepare(problem, configuration)     a callable without arguments, or Prepared
    check(run)                          whether the answers are right: True, False, a text that
                                        says what is wrong, or a dictionary as check answers have it
    measure(run, request)               optional: the times of a call in µs, as many as the request
                                        asks for. Without it, calls of run() are timed by the clock
                                        of this process, one after another.
    synchronize()                       optional: waits until what run() began has ended
    sampler(run)                        optional, in place of the clock: a function that makes so
                                        many calls as its argument says, and returns their µs

    With `timed_by = "tilewright"` in the manifest, prepare() returns a function of the operation's
    arguments, and nothing else is asked: tilewright has the operands, checks and times.
    """
    kind = os.environ.pop("TILEWRIGHT_CALLABLE", None)
    if kind is not None:
        from . import _callable  # it needs the library

        return _callable.serve(Server, session_class, kind, REQUESTS, ANSWERS)
    # Programs that the session starts do not get the descriptors.
    with open(os.dup(REQUESTS), encoding="utf-8") as requests:
        answers = os.dup(ANSWERS)
        for descriptor in (REQUESTS, ANSWERS):
            os.close(descriptor)
        server = Server(session_class)
        for line in requests:
            _write(answers, server.answer(json.loads(line)))


def _write(descriptor, answer):
    data = json.dumps(answer).encode() + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def _answer_of(step, kind):
    """What the author's code returns, or an error, which is of this kind if it names none."""
    try:
        return {"ok": step()}
    except Failed as failed:
        return {"error": {"kind": failed.kind, "text": str(failed)}}
    except Exception:
        return {"error": {"kind": kind, "text": traceback.format_exc()[-LONGEST_TEXT:]}}


class Server:
    def __init__(self, session_class):
        self._class = session_class
        self._session = self._problem = self._prepared = None

    def answer(self, request):
        kind = {"prepare": "compile"}.get(request["verb"], "launch")
        step = getattr(self, "_" + request["verb"])
        return {"id": request["id"]} | _answer_of(lambda: step(request), kind)

    def run(self, operands):
        """An answer to a call of what was prepared."""
        return _answer_of(lambda: self._prepared.run(*operands), "launch")

    def _hello(self, request):
        if request["protocol"] != PROTOCOL:
            raise Failed("broken", f"this is version {PROTOCOL} of the protocol")
        self._session = self._class()
        self._problem = request["problem"]
        if hasattr(self._session, "begin"):
            self._session.begin(request)
        return {"protocol": PROTOCOL}

    def _prepare(self, request):
        self._prepared = None  # frees what the last one holds
        made = self._session.prepare(self._problem, request["configuration"])
        self._prepared = made if isinstance(made, Prepared) else Prepared(made)
        return self._prepared.answer()

    def _check(self, _request):
        found = self._session.check(self._prepared.run)
        if isinstance(found, dict):
            return found
        if isinstance(found, str):
            return {"correct": False, "text": found}
        return {"correct": bool(found), "checked": 1}

    def _measure(self, request):
        own = getattr(self._session, "measure", None)
        if own:
            return {"times_us": [float(one) for one in own(self._prepared.run, request)]}
        sampler = getattr(self._session, "sampler", self._by_the_clock)
        times, calls = _times(sampler(self._prepared.run), request)
        return {"times_us": times, "calls": calls}

    def _by_the_clock(self, run):
        wait = getattr(self._session, "synchronize", lambda: None)

        def sample(calls):
            begin = time.perf_counter()
            for _ in range(calls):
                run()
            wait()
            return (time.perf_counter() - begin) * 1e6

        return sample


def _times(sample, request):
    first = sample(1)
    is_long = first > request["long_us"]
    led = first
    while led < request["lead_in_us"] and not is_long:
        led += sample(1)
    calls = 1
    if not is_long:
        calls = _calls(sample, first, request["sample_us"])
    least, most = request["least"], request["most"]
    if is_long and least < most:
        least = min(least, 2)
    times, spent = [], 0.0
    while len(times) < least or (len(times) < most and spent < request["budget_us"]):
        taken = sample(calls)
        spent += taken
        times.append(taken / calls)
    if len(times) < request["least"] and statistics.median(times) <= request["long_us"]:
        times += [sample(1) for _ in range(request["least"] - len(times))]
    return times, calls


def _calls(sample, first_us, wanted_us):
    """So many that a sample lasts about `wanted_us`. The first call is often slower than others."""
    once = max(min(first_us, sample(1)), 1e-2)
    return min(MOST_CALLS, max(1, math.ceil(wanted_us / once)))
