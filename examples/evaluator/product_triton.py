"""A matrix product in Triton. Programs that run together share GROUP_M rows of tiles, whose parts of b are in the L2."""

import torch
import triton
import triton.language as tl
from tilewright.evaluator import Prepared, serve
from tilewright.triton import compiled


@triton.jit
def product(
    a, b, c, M, N, K, b_row, b_column,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    place = tl.program_id(0)
    first = place // (GROUP_M * tiles_n) * GROUP_M
    height = min(GROUP_M, tiles_m - first)
    place = place % (GROUP_M * tiles_n)
    rows = (first + place % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = place // height * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    # Rows and columns beyond c begin again. What they give is not stored.
    at_a = a + (rows % M).to(tl.int64)[:, None] * K + step[None, :]
    at_b = b + step[:, None] * b_row + (columns % N).to(tl.int64)[None, :] * b_column
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for done in range(0, K, BLOCK_K):
        part_a = tl.load(at_a, mask=step[None, :] < K - done, other=0)
        part_b = tl.load(at_b, mask=step[:, None] < K - done, other=0)
        sums = tl.dot(part_a, part_b, sums)
        at_a += BLOCK_K
        at_b += BLOCK_K * b_row
    at_c = c + rows.to(tl.int64)[:, None] * N + columns[None, :]
    tl.store(at_c, sums.to(c.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


def grid(meta):
    return (triton.cdiv(meta["M"], meta["BLOCK_M"]) * triton.cdiv(meta["N"], meta["BLOCK_N"]),)


class Session:
    def prepare(self, problem, configuration):
        sizes = tuple(problem[name] for name in "MNK")
        sizes += (1, problem["K"]) if problem["transpose_b"] == "yes" else (problem["N"], 1)
        types = (getattr(torch, problem["type"]),) * 3
        return Prepared(
            lambda a, b, c: product[grid](a, b, c, *sizes, **configuration),
            **compiled(product, *types, *sizes, grid=grid, **configuration),
        )


if __name__ == "__main__":
    serve(Session)
