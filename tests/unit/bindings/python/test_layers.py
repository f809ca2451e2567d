"""ConvLayer on the host device, with arrays of every layout."""

import array
import unittest

from test_typed import Array, open_runtime

import tilewright
from tilewright import InputError

# Two pixels of two channels, and two filters of two taps, as planes and with channels innermost.
PIXELS = {"nchw": (1, 3, 2, 4), "nhwc": (1, 2, 3, 4)}
FILTERS = {
    "kcrs": (1, 100, 10, 1000, 2, 200, 20, 2000),
    "krsc": (1, 10, 100, 1000, 2, 20, 200, 2000),
}
LAST = (4, 1, 4, 2)  # strides
SUMS = {(0, 0): 4321, (0, 1): 43, (1, 0): 8642, (1, 1): 86}  # by filter and column


def made(shape, layout, values=None):
    strides = LAST if layout in ("nhwc", "krsc") else None
    return Array(shape, strides, None if values is None else array.array("f", values))


def image_of(layout):
    return made((1, 2, 1, 2), layout, PIXELS[layout])


def filter_of(layout):
    return made((2, 2, 1, 2), layout, FILTERS[layout])


class Layers(unittest.TestCase):
    def setUp(self):
        self.runtime = open_runtime()
        self.layer = tilewright.ConvLayer(self.runtime, padding=(0, (0, 1)))

    def expect(self, out, expected=lambda place: SUMS[place]):
        for (channel, column), _ in SUMS.items():
            self.assertEqual(out.at(0, channel, 0, column), expected((channel, column)))

    def test_each_layout(self):
        for layout in PIXELS:
            for of_filter in FILTERS:
                with self.subTest(layout=layout, of_filter=of_filter):
                    image, filter_ = image_of(layout), filter_of(of_filter)
                    out = made((1, 2, 1, 2), layout)
                    self.assertIs(self.layer(image, filter_, out=out), out)
                    self.expect(out)
                    problem = self.layer.problem(image, filter_, out=out)
                    found = problem["layout"], problem["filter_layout"], problem["width_out"]
                    self.assertEqual(found, (layout, of_filter, 2))

    def test_adds_to_the_output(self):
        out = made((1, 2, 1, 2), "nhwc")
        before = {place: out.at(0, place[0], 0, place[1]) for place in SUMS}
        arrays = image_of("nhwc"), filter_of("krsc")
        self.layer(*arrays, out=out, alpha=0.5, beta=2.0)
        self.expect(out, lambda place: 0.5 * SUMS[place] + 2 * before[place])
        with self.assertRaisesRegex(InputError, "beta is not 0; give out="):
            self.layer(*arrays, beta=1.0)

    def test_prepares_a_filter(self):
        image, filter_ = image_of("nhwc"), filter_of("krsc")
        prepared = self.layer.prepare_filter(image, filter_)
        self.assertIs(prepared.array, filter_)
        for _ in range(2):
            out = made((1, 2, 1, 2), "nhwc")
            self.layer(image, prepared, out=out)
            self.expect(out)

    def test_prepares_a_filter_for_calls_that_add(self):
        image, filter_, out = image_of("nhwc"), filter_of("krsc"), made((1, 2, 1, 2), "nhwc")
        prepared = self.layer.prepare_filter(image, filter_, beta=2.0)
        before = {place: out.at(0, place[0], 0, place[1]) for place in SUMS}
        self.layer(image, prepared, out=out, beta=2.0)
        self.expect(out, lambda place: SUMS[place] + 2 * before[place])
        with self.assertRaises(InputError):  # it is of another kernel
            self.layer(image, prepared, out=out)

    def test_settings_for_each_axis(self):
        settings = {"stride": (1, 2), "padding": ((2, 0), 1), "dilation": (3, 1), "groups": 2}
        layer = tilewright.ConvLayer(self.runtime, boundary="wrap", **settings)
        problem = layer.problem(Array((3, 4, 9, 8)), Array((6, 2, 3, 5)))
        expected = {"batch": 3, "channels_in": 4, "channels_out": 6, "groups": 2, "depth": 1}
        expected |= {"stride_y": 1, "stride_x": 2, "padding_y": 2, "padding_x": 1, "dilation_y": 3}
        expected |= {"height": 9, "height_out": 5, "width_out": 3, "boundary": "wrap"}
        self.assertEqual({name: problem[name] for name in expected}, expected)
        signals = tilewright.ConvLayer(self.runtime).problem(Array((1, 4, 9)), Array((6, 4, 3)))
        self.assertEqual((signals["height"], signals["width"], signals["width_out"]), (1, 9, 7))

    def test_sizes_of_1_leave_the_layout_to_the_others(self):
        layer = tilewright.ConvLayer(self.runtime)
        image = Array((2, 1, 3, 3))
        for shape, strides, expected in (
            ((4, 1, 2, 2), None, "nhwc"),
            ((4, 1, 1, 1), None, "nhwc"),
        ):
            self.assertEqual(layer.problem(image, Array(shape, strides))["layout"], expected)
        out = Array((2, 4, 2, 2))
        self.assertEqual(layer.problem(image, Array((4, 1, 2, 2)), out=out)["layout"], "nchw")

    def test_refuses(self):
        image, filter_ = image_of("nhwc"), filter_of("krsc")
        for arrays, text in (
            ((image, Array((2, 3, 1, 2))), "images have 2 channels, filters 3, in groups=1"),
            ((image, Array((2, 2, 2))), "'filter' has 3 dimensions, and 'image' has 4"),
            ((Array((2, 2)), filter_), "'image' has 2 dimensions; give 3, 4 or 5"),
            ((image, Array((2, 2, 1, 9))), "a filter of width 9 does not fit into width 2"),
            ((Array((1, 2, 1, 2), (9, 4, 2, 1)), filter_), "'image' has strides of .* without gaps"),
        ):
            with self.subTest(text), self.assertRaisesRegex(InputError, f"conv_layer: {text}"):
                self.layer.problem(*arrays)
        with self.assertRaisesRegex(InputError, "'image' and 'out' have different layouts"):
            self.layer.problem(image, filter_, out=made((1, 2, 1, 2), "nchw"))
        with self.assertRaisesRegex(InputError, r"'out' must have the shape \(1, 2, 1, 2\)"):
            self.layer.problem(image, filter_, out=Array((1, 2, 1, 1)))
        with self.assertRaisesRegex(InputError, r"stride=\(1, 2, 3\): give one for each of 2 axes"):
            tilewright.ConvLayer(self.runtime, stride=(1, 2, 3)).problem(image, filter_)


if __name__ == "__main__":
    unittest.main()
