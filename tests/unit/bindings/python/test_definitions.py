"""Every manifest of tests/definitions, launched on NumPy's arrays on the host device."""

import unittest

import definition_cases
import handmade


class NumPy:
    """As expect_right() takes a library."""

    def give(self, array, type_):
        if type_ != "bfloat16":
            return array
        given = handmade.DLPackArray(array.shape, array.ctypes.data, dtype=(4, 16, 1))
        given.array = array
        return given

    def take(self, given):
        return getattr(given, "array", given)

    def workspace(self, _bytes):
        return None  # the host device needs none

    def lacks(self, _types):
        return None

    def refuses(self, name):
        """What the host device says of a definition that needs what it does not have."""
        header = "the host device has no header cub/block/block_reduce.cuh"
        return header if name == "block_reduce" else None


@unittest.skipIf(definition_cases.numpy is None, "there is no NumPy")
class Definitions(unittest.TestCase):
    def test_on_the_host_device(self):
        definition_cases.launch_all(self, "host", NumPy())


if __name__ == "__main__":
    unittest.main()
