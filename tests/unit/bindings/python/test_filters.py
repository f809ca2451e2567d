"""The accuracy of filters, and filters that are prepared once, on the host device."""

import unittest

from test_typed import Array, open_runtime

import tilewright
from tilewright import InputError

try:
    import numpy
except ImportError:
    numpy = None


class Accuracy(unittest.TestCase):
    def setUp(self):
        self.runtime = open_runtime()

    def test_accuracy_is_named_where_it_is_not_the_usual(self):
        image, filter_ = Array((2, 3)), Array((1, 2))
        strict = tilewright.Convolution2d(self.runtime, accuracy="elementwise")
        problem = strict.kernel(image, filter_).answer.problem
        self.assertEqual(problem["accuracy"], "elementwise")
        usual = tilewright.Convolution2d(self.runtime, accuracy="normwise")
        self.assertNotIn("accuracy", usual.kernel(image, filter_).answer.problem)
        with self.assertRaisesRegex(InputError, "accuracy=exact is none of normwise, elementwise"):
            tilewright.Convolution2d(self.runtime, accuracy="exact").kernel(image, filter_)
        volumes = tilewright.Convolution3d(self.runtime, accuracy="elementwise")
        with self.assertRaisesRegex(InputError, "conv3d: no dimension or choice 'accuracy'"):
            volumes.kernel(Array((2, 2, 3)), Array((1, 1, 2)))


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

    def test_a_prepared_filter_is_a_transform(self):
        blur = tilewright.Convolution2d(self.runtime, implementation="fft")
        image, filter_ = Array((20, 9), start=1.0), Array((7, 7), start=1.0)
        prepared = blur.prepare_filter(image, filter_)
        self.assertEqual(blur.kernel(image, prepared).workspace_bytes, 0)
        self.assertEqual(blur.kernel(image, filter_).workspace_bytes, prepared.bytes)
        each_call, output = Array((20, 9)), Array((20, 9))
        blur(image, filter_, out=each_call)
        blur(image, prepared, out=output)
        self.assertEqual(list(output.values), list(each_call.values))
        right = sum(
            image.at(y, x) * filter_.at(y - 7, x - 1) for y in range(7, 14) for x in range(1, 8)
        )
        self.assertAlmostEqual(output.at(10, 4) / right, 1, 5)

    @unittest.skipIf(numpy is None, "there is no NumPy")
    def test_of_calls_that_were_made_before(self):
        mean = tilewright.Convolution2d(self.runtime, boundary="replicate")
        image = numpy.arange(12, dtype="f4").reshape(3, 4)
        for factor in (1, 2):  # the second filter is another object at perhaps the same address
            filter_ = mean.prepare_filter(image, numpy.full((1, 2), factor, "f4"))
            right = mean(image, numpy.full((1, 2), factor, "f4"))
            for _ in range(3):
                numpy.testing.assert_array_equal(mean(image, filter_), right)
