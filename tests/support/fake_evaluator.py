# SPDX-License-Identifier: MIT
"""An evaluator that misbehaves on request, by the protocol of docs/evaluator.md alone.

usage: fake_evaluator.py [FAULT]; the fault is then that of its hello. Of a configuration, `FAULT` names what goes wrong
in the step `STEP`, and `TILE` gives the time: 10 µs at 32, and 1 µs more for each step away from it."""
import json
import os
import signal
import sys
import time

ANSWERS = 4


def say(text):
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(ANSWERS, data) :]


def endless(data):
    while True:
        say(data)


def flood_log(_):
    for _ in range(200):
        os.write(1, b"o" * 50_000 + b"\n")
        os.write(2, b"e" * 50_000 + b"\n")


def half(_):
    say('{"id": ')
    os._exit(0)


def close(_):
    os.close(ANSWERS)
    time.sleep(1e6)


# Those that return go on to the right answer.
FAULTS = {
    "die": lambda _: os._exit(7),
    "crash": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "hang": lambda _: time.sleep(1e6),
    "stop": lambda _: os.kill(os.getpid(), signal.SIGSTOP),
    "slow": lambda _: time.sleep(0.3),
    "close": close,
    "half": half,
    "earlier_id": lambda _: say('{"id": 0, "ok": {}}\n{"id": -7, "error": {}}\n'),
    "text_id": lambda r: say(json.dumps({"id": str(r["id"]), "ok": {}}) + "\n"),
    "null": lambda r: say(json.dumps({"id": r["id"], "ok": None}) + "\n"),
    "error_text": lambda r: say(json.dumps({"id": r["id"], "error": "odd"}) + "\n"),
    "print": lambda _: print('{"id": 1, "ok": {}}', flush=True),
    "flood_log": flood_log,
    "flood": lambda _: endless(b'{"id": 0}\n' * 100),
    "huge": lambda _: endless(b"x" * 65536),
    "deep": lambda _: say("[" * 500_000 + "\n"),
    "text": lambda _: say("hello\n"),
    "bytes": lambda _: say(b"\xff\xfe\x00\n"),
    "list": lambda _: say("[1]\n"),
    "no_id": lambda _: say('{"ok": {}}\n'),
    "later_id": lambda r: say(json.dumps({"id": r["id"] + 1, "ok": {}}) + "\n"),
    "huge_id": lambda _: say('{"id": 99999999999999999999, "ok": {}}\n'),
    "nothing": lambda r: say(json.dumps({"id": r["id"]}) + "\n"),
    "kind": lambda r: say(json.dumps({"id": r["id"], "error": {"kind": "odd"}}) + "\n"),
}
# Answers in place of the right ones.
OTHERS = {
    "version": {"protocol": 2},
    "wrong": {"correct": False, "text": "y[3] is 7, not 8"},
    "unchecked": {"correct": True},
    "perhaps": {"correct": 1, "checked": 5},
    "nan": {"times_us": [float("nan")] * 5},
    "negative": {"times_us": [-1.0] * 5},
    "zero": {"times_us": [0] * 5},
    "few": {"times_us": [10.0]},
    "many": {"times_us": [10.0] * 2000},
    "words": {"times_us": ["fast"] * 5},
    "calls": {"times_us": [10.0] * 5, "calls": "five"},
    "code": {"code": 7},
    "resources": {"resources": {"registers": 1e9}},
    "shared": {"resources": {"shared_bytes": 1 << 30}},
}
KINDS = ("compile", "launch", "broken")


def right(request, configuration):
    if request["verb"] == "hello":
        return {"protocol": 1}
    if request["verb"] == "prepare":
        return {"resources": {"registers": 40}}
    if request["verb"] == "check":
        return {"correct": True, "checked": 4, "total": 5, "worst_ratio": 0.5}
    base = 10 + abs(configuration.get("TILE", 32) - 32)
    return {"times_us": [base + i / 1000 for i in range(request["least"])]}


def main():
    configuration = {}
    for line in os.fdopen(3):
        request = json.loads(line)
        configuration = request.get("configuration", configuration)
        fault, step = configuration.get("FAULT", "none"), configuration.get("STEP", "none")
        if request["verb"] == "hello":
            fault, step = (sys.argv[1:] or ["none"])[0], "hello"
        here = request["verb"] == step
        if here and fault in FAULTS:
            FAULTS[fault](request)
        answer = {"id": request["id"], "ok": right(request, configuration)}
        if here and fault in OTHERS:
            answer["ok"] = OTHERS[fault]
        if here and fault in KINDS:
            print("said before the error", flush=True)
            del answer["ok"]
            answer["error"] = {"kind": fault, "text": "this is " + fault}
        say((json.dumps(answer) + "\n") * (2 if here and fault == "twice" else 1))


main()
