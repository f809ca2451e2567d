"""A plain tiled matrix product in Triton, and the configurations that its tutorial's product is tuned over.

C = A · B for a batch of matrices with any strides; one program computes one tile of C, in float32. Programs that
run at the same time share GROUP rows of tiles, so that they find each other's tiles in the L2.
"""

from dataclasses import dataclass

import triton
import triton.language as tl


@dataclass(frozen=True)
class Configuration:
    block_m: int
    block_n: int
    block_k: int
    stages: int
    warps: int
    group: int = 8


CONFIGURATIONS = tuple(
    Configuration(*numbers)
    for numbers in (
        (128, 256, 64, 3, 8),
        (64, 256, 32, 4, 4),
        (128, 128, 32, 4, 4),
        (128, 64, 32, 4, 4),
        (64, 128, 32, 4, 4),
        (128, 32, 32, 4, 4),
        (64, 32, 32, 5, 2),
        (32, 64, 32, 5, 2),
        (128, 256, 128, 3, 8),
        (256, 128, 128, 3, 8),
        (256, 64, 128, 4, 4),
        (64, 256, 128, 4, 4),
        (128, 128, 128, 4, 4),
        (128, 64, 64, 4, 4),
        (64, 128, 64, 4, 4),
        (128, 32, 64, 4, 4),
    )
)


@triton.jit
def product_kernel(
    a, b, c, m, n, k,
    batch_a, row_a, column_a, batch_b, row_b, column_b, batch_c, row_c,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    IS_FLOAT8: tl.constexpr,
):
    tiles_m = tl.cdiv(m, BLOCK_M)
    tiles_n = tl.cdiv(n, BLOCK_N)
    tile = tl.program_id(0)
    batch = tl.program_id(1).to(tl.int64)
    first_m = tile // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first_m, GROUP)
    within = tile % (GROUP * tiles_n)
    rows = (first_m + within % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = within // height * BLOCK_N + tl.arange(0, BLOCK_N)
    depths = tl.arange(0, BLOCK_K)
    # Rows and columns beyond C wrap around: what they compute is not stored.
    at_a = a + batch * batch_a + (rows % m)[:, None] * row_a + depths[None, :] * column_a
    at_b = b + batch * batch_b + depths[:, None] * row_b + (columns % n)[None, :] * column_b
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BLOCK_K)):
        left = k - step * BLOCK_K
        part_a = tl.load(at_a, mask=depths[None, :] < left, other=0.0)
        part_b = tl.load(at_b, mask=depths[:, None] < left, other=0.0)
        if IS_FLOAT8:  # each step's sum is moved to float32: no fast accumulation
            sums = tl.dot(part_a, part_b, sums, max_num_imprecise_acc=BLOCK_K)
        else:
            sums = tl.dot(part_a, part_b, sums)
        at_a += BLOCK_K * column_a
        at_b += BLOCK_K * row_b
    at_c = c + batch * batch_c + rows[:, None].to(tl.int64) * row_c + columns[None, :]
    tl.store(at_c, sums.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


def product(a, b, c, configuration):
    """c = a @ b. The tensors are batch × rows × columns, and c's columns are adjacent."""
    _, m, k = a.shape
    n = b.shape[2]
    tiles = triton.cdiv(m, configuration.block_m) * triton.cdiv(n, configuration.block_n)
    product_kernel[(tiles, a.shape[0])](
        a, b, c, m, n, k, *a.stride(), *b.stride(), c.stride(0), c.stride(1),
        BLOCK_M=configuration.block_m, BLOCK_N=configuration.block_n, BLOCK_K=configuration.block_k,
        GROUP=configuration.group, IS_FLOAT8=a.element_size() == 1,
        num_warps=configuration.warps, num_stages=configuration.stages,
    )
