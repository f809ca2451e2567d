"""A plain filter of rows or of columns in Triton, zeros beyond the image, and the configurations to choose from."""

from dataclasses import dataclass

import triton
import triton.language as tl


@dataclass(frozen=True)
class Configuration:
    block_x: int
    block_y: int
    warps: int


CONFIGURATIONS = tuple(
    Configuration(*numbers)
    for numbers in ((128, 1, 2), (128, 4, 4), (128, 8, 4), (128, 16, 4), (256, 4, 4), (256, 8, 8), (512, 1, 4), (64, 32, 4))
)


@triton.jit
def filter_kernel(
    image, taps, output, width, height,
    TAPS: tl.constexpr, ALONG_X: tl.constexpr, BLOCK_X: tl.constexpr, BLOCK_Y: tl.constexpr,
):
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]
    y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]
    total = tl.zeros((BLOCK_Y, BLOCK_X), tl.float32)
    for tap in range(TAPS):
        from_x = x + tap - TAPS // 2 if ALONG_X else x
        from_y = y if ALONG_X else y + tap - TAPS // 2
        exists = (from_x >= 0) & (from_x < width) & (from_y >= 0) & (from_y < height)
        total += tl.load(taps + tap).to(tl.float32) * tl.load(
            image + from_y * width + from_x, mask=exists, other=0.0
        ).to(tl.float32)
    tl.store(output + y * width + x, total.to(output.dtype.element_ty), mask=(x < width) & (y < height))


def filter_lines(image, taps, output, along_x, chosen):
    height, width = image.shape
    grid = (triton.cdiv(width, chosen.block_x), triton.cdiv(height, chosen.block_y))
    filter_kernel[grid](
        image, taps, output, width, height, TAPS=taps.numel(), ALONG_X=along_x, BLOCK_X=chosen.block_x,
        BLOCK_Y=chosen.block_y, num_warps=chosen.warps,
    )
