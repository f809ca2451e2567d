# What the fragments of the pages use and do not show.
import array

try:
    import torch
except ImportError:
    torch = None
grid = array.array("f", (i % 7 for i in range(4 * 8)))


def my_stencil(before, rate, after):
    """One step of the heat equation on 4 × 8 points; beyond the edge lies a copy of the nearest point."""
    at = lambda y, x: before.cast("B").cast("f")[min(max(y, 0), 3) * 8 + min(max(x, 0), 7)]
    for y in range(4):
        for x in range(8):
            around = at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1)
            after.cast("B").cast("f")[y * 8 + x] = at(y, x) + rate[0] * (around - 4 * at(y, x))


if torch is not None and torch.cuda.is_available():
    a, b, c, image = (torch.ones((64, 64), device="cuda") for _ in range(4))
    bias, filter = torch.ones(64, device="cuda"), torch.ones((3, 3), device="cuda")
    row_filter = column_filter = torch.ones(3, device="cuda")
EXAMPLE
if "result" in globals():
    assert result.median_us > 0
if torch is not None and torch.cuda.is_available():
    torch.cuda.synchronize()
