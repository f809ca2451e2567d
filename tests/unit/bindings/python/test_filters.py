"""Filters that are prepared once, on the host device."""

import unittest

from test_typed import Array, open_runtime

import tilewright
from tilewright import InputError

try:
    import numpy
except ImportError:
    numpy = None


class PreparedFilters(unittest.TestCase):
    def setUp(self):
        self.runtime = open_runtime()

    def test_serve_calls_of_their_kernel(self):
        shift = tilewright.Convolution2d(self.runtime, anchor=(0, 0))
        image, filter_ = Array((2, 3), start=1.0), Array((1, 2), start=1.0)
        prepared = shift.prepare_filter(image, filter_)
        self.assertIs(prepared.array, filter_)
        self.assertTrue(shift.kernel(image, prepared).arguments[1].prepared)
        for factor in (1, 2):
            filter_.values[0], filter_.values[1] = 1 * factor, 2 * factor
            prepared.prepare_again()
            output = Array((2, 3))
            shift(image, prepared, out=output)
            self.assertEqual([value / factor for value in output.values], [5, 8, 3, 14, 17, 6])
        with self.assertRaisesRegex(InputError, "'filter' was prepared for another kernel"):
            shift(Array((3, 2)), prepared, out=Array((3, 2)))
        with self.assertRaisesRegex(InputError, "none of its arguments is taken prepared"):
            shift.kernel(image, filter_).prepare_input(filter_)

    @unittest.skipIf(numpy is None, "there is no NumPy")
    def test_of_calls_that_were_made_before(self):
        mean = tilewright.Convolution2d(self.runtime, boundary="replicate")
        image = numpy.arange(12, dtype="f4").reshape(3, 4)
        for factor in (1, 2):  # the second filter is another object at perhaps the same address
            filter_ = mean.prepare_filter(image, numpy.full((1, 2), factor, "f4"))
            right = mean(image, numpy.full((1, 2), factor, "f4"))
            for _ in range(3):
                numpy.testing.assert_array_equal(mean(image, filter_), right)
