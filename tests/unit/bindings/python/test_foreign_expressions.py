"""Expressions of Python that nobody wrote for us: each is translated, or refused in one sentence."""

import random
import resource
import time
import unittest

import tilewright
from tilewright._kernel_tuner.evaluated import Restriction, first_legal
from tilewright._kernel_tuner.expression import Name, ceiling, translated
from tilewright._kernel_tuner.generator import filling_kernel
from tilewright._kernel_tuner.values import value_of

_NAMES = {"x": Name("x", 1), "y": Name("y", -4), "label": Name("label", None, {"a": "'a'", 0.5: "'v0_5'"})}
_LONGEST = 4096  # characters of an expression of a manifest
_LEAVES = ["x", "y", "0", "1", "2", "16", "3.5", "-1", "9223372036854775807", "1e300", "0x" + "f" * 30]
_FORMS = [
    "({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} // {})", "({} % {})", "({} ** 16)", "({} ** {})",
    "({} in [1, {}, 3])", "({} not in ({}, {}))", "(1 < {} < {})", "({} == {} != {} <= {})", "({} and {} or {})",
    "(not {})", "-{}", "({} if {} else {})", "min({}, {})", "max({}, {}, {})", "abs({})", "int({})", "ceil({})",
    "math.floor({})", "label == {}", "[{}, {}]", "sum([{} for k in range({})])", "range({})[{}]", "{}({})",
]  # fmt: skip
_DEEP = [
    "(" * 10_000, "(" * 4000 + "x" + ")" * 4000, "-" * 100_000 + "1", "-" * 9000 + "1", "[" * 9000, "x" * 20_000,
    "not " * 2000 + "x", "x" + "+x" * 4900, "x" + "**2" * 3000, "x" + "[0]" * 3000, "x" + "()" * 4000,
    "lambda: " * 1000 + "1", "x if x else " * 800 + "x", "9" * 5000, "0x" + "f" * 9000, "-0x" + "f" * 9000 + " + x",
    "'" + "a" * 9000 + "' == label", "label == '" + "a" * 9000 + "'", "x in [" + "1," * 4900 + "]", "x.a" * 2000,
    "1if x else 2", "\0", "\ud800", "x\n+1", "",
]  # fmt: skip


class ForeignExpressions(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(20261129)
        self.begin, self.peak = time.monotonic(), self.peak_kib()
        self.addCleanup(self.check_effort)

    @staticmethod
    def peak_kib():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def check_effort(self):
        self.assertLess(time.monotonic() - self.begin, 120)
        self.assertLess(self.peak_kib() - self.peak, 1 << 20)

    def generated(self, levels):
        form = self.random.choice(_FORMS)
        part = self.generated(levels - 1) if levels and self.random.random() < 0.9 else self.random.choice(_LEAVES)
        count = form.count("{}")
        # The deep part in one place or in all.
        parts = [part if self.random.random() < 0.6 else self.random.choice(_LEAVES) for _ in range(count)]
        return form.format(*parts) if sum(map(len, parts)) < 9000 else part

    def damaged(self, text):
        at = self.random.randrange(len(text))
        match self.random.randrange(3):
            case 0:
                return text[:at] + text[self.random.randrange(len(text))] + text[at + 1 :]
            case 1:
                return text[:at] + text[at + self.random.randrange(1, 5) :]
        return text[:at] + text[at] * 2 ** self.random.randrange(15) + text[at:]

    def answers(self, text):
        """What each reader says: a text, or None for a refusal."""
        return [
            self.answer(text, lambda: ceiling(translated(text, _NAMES)).text),
            self.answer(text, lambda: translated(text, _NAMES).text),
            self.answer(text, lambda: value_of(text, {"x": 3, "y": [1, 2]})),
            self.answer(text, lambda: filling_kernel("fill", "float32", text)),
        ]

    def answer(self, text, work):
        begin = time.monotonic()
        try:
            return work()
        except tilewright.InputError as error:
            self.assertLess(len(str(error)), 1000, text[:100])
        finally:
            self.assertLess(time.monotonic() - begin, 10, text[:100])

    def test_generated_ones(self):
        translations = refusals = 0
        for i in range(2000):
            text = self.generated(i % 30)
            if i % 2:
                text = self.damaged(text)
            found = self.answers(text)
            for translation in found[:2]:
                self.assertLessEqual(len(translation or ""), _LONGEST, text[:100])
            translations += found[1] is not None
            refusals += found[1] is None
        self.assertGreater(translations, 100)
        self.assertGreater(refusals, 500)

    def test_deep_and_long_ones_are_refused(self):
        for text in _DEEP:
            with self.subTest(text[:20]):
                found = self.answers(text)
                if text not in ("1if x else 2", "x\n+1"):
                    self.assertEqual(found[:2], [None, None])

    def test_copies_are_counted_before_they_are_made(self):
        power, member, chain = "x", "x", "x"
        for _ in range(15):
            power, member, chain = f"({power}**16)", f"({member} in [1, 2, 3])", f"(1 < {chain} < 9)"
        for text in (power, member, chain, f"1 / {power}", f"x / {power}", f"{power} * {member} + {chain}"):
            with self.assertRaisesRegex(tilewright.InputError, f"becomes longer than {_LONGEST} characters"):
                translated(text, _NAMES)

    def test_the_same_numbers_come_out(self):
        for text, x, expected in (("x ** 16 > 0", 3, 1), ("1 < x < 9", 9, 0), ("x in [1, 2]", 2, 1)):
            self.assertEqual(Restriction(text).holds({"x": x}), bool(expected), text)

    def test_rules_cost_what_they_are_long(self):
        long = f"max({', '.join(['x'] * 1000)})"
        rules = [Restriction(f"{long} > 0") for _ in range(100)] + [Restriction("y < 0")]
        values = {"x": list(range(1, 4000)), "y": list(range(4000))}
        with self.assertRaisesRegex(tilewright.InputError, "combinations were tried in"):
            first_legal(values, rules)

    def test_a_parameter_may_be_called_like_a_function(self):
        self.assertFalse(Restriction("math.ceil(x / 2) > 0").holds({"math": 1, "x": 2}))
