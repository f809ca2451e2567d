"""Filters and stencils of volumes, on the host device."""

import array
import unittest

from test_typed import Array, open_runtime

import tilewright
from tilewright import InputError


class Volumes(unittest.TestCase):
    def setUp(self):
        self.runtime = open_runtime()
        self.volume = Array((3, 1, 2), start=1.0)
        self.output = Array((3, 1, 2))

    def test_filters(self):
        shift = tilewright.Convolution3d(self.runtime, anchor=(0, 0, 0))
        pair = Array((2, 1, 1), values=array.array("f", [1, 10]))
        self.assertIs(shift(self.volume, pair, out=self.output), self.output)
        self.assertEqual(list(self.output.values), [31, 42, 53, 64, 5, 6])
        problem = shift.kernel(self.volume, pair).answer.problem
        self.assertEqual((problem["depth"], problem["filter_depth"], problem["batch"]), (3, 2, 1))
        with self.assertRaisesRegex(InputError, "'volume' has 2 dimensions; give 3, 4 or 5"):
            shift(Array((3, 2)), pair, out=self.output)

    def test_filters_of_channels(self):
        each = tilewright.Convolution3d(self.runtime, per_channel=True)
        volumes, filters = Array((2, 1, 1, 2), start=1.0), Array((2, 1, 1, 1), start=1.0)
        output = Array((2, 1, 1, 2))
        each(volumes, filters, out=output)
        self.assertEqual(list(output.values), [1, 2, 6, 8])
        with self.assertRaisesRegex(InputError, "there are 2 channels and 3 filters"):
            each(volumes, Array((3, 1, 1, 1)), out=output)
        with self.assertRaisesRegex(InputError, "'filter' has 3 dimensions; give 4"):
            each(volumes, Array((1, 1, 1)), out=output)

    def test_steps(self):
        stencil = tilewright.Stencil3d(self.runtime, boundary="wrap")
        for steps, expected in (
            (0, [1, 2, 3, 4, 5, 6]),
            (1, [81, 102, 63, 84, 45, 66]),
            (2, [1161, 1602, 1323, 1764, 1485, 1926]),
        ):
            stencil(self.volume, [1, 0, 0, 10], steps=steps, out=self.output)
            self.assertEqual(list(self.output.values), expected)
        kernel = stencil.kernel(self.volume, [1, 0, 0, 10], steps=2)
        self.assertEqual(kernel.answer.problem["radius"], 1)
        with self.assertRaisesRegex(InputError, "there are 3 coefficients; give 1 \\+ 3 · radius"):
            stencil(self.volume, [1, 0, 0], out=self.output)
        with self.assertRaisesRegex(InputError, r"'out' must have the shape \(3, 1, 2\)"):
            stencil(self.volume, [1, 0, 0, 1], out=Array((3, 2)))
        with self.assertRaisesRegex(InputError, "'field' has 2 dimensions; give 3 or 4"):
            stencil(Array((3, 2)), [1, 0, 0, 1], out=self.output)


if __name__ == "__main__":
    unittest.main()
