"""The product of a mixture of experts in Triton. A program finds its expert, so nothing is sorted into tiles before."""

import torch
import triton
import triton.language as tl
from tilewright.evaluator import Prepared, serve
from tilewright.triton import compiled


@triton.jit
def experts_product(
    x, w, begins, order, weights, y, slots, top, experts, N, K, WIDTH: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(slots, BLOCK_M) + experts, tl.cdiv(N, BLOCK_N)
    program = tl.program_id(0)
    first = program // (GROUP_M * tiles_n) * GROUP_M
    height = min(GROUP_M, tiles_m - first)
    program = program % (GROUP_M * tiles_n)
    tile, columns = first + program % height, program // height * BLOCK_N + tl.arange(0, BLOCK_N)
    # Of all experts: where their slots begin and end, and how many tiles there are up to each.
    one = tl.arange(0, WIDTH)
    begin = tl.load(begins + one, mask=one < experts, other=0)
    end = tl.load(begins + one + 1, mask=one < experts, other=0)
    tiles = tl.cdiv(end - begin, BLOCK_M)
    is_before = tl.cumsum(tiles, 0) <= tile
    expert = tl.sum(is_before.to(tl.int32), 0)
    if expert >= WIDTH:
        return
    begin = tl.sum(tl.where(one == expert, begin, 0), 0)
    end = tl.sum(tl.where(one == expert, end, 0), 0)
    slot = begin + (tile - tl.sum(tl.where(is_before, tiles, 0), 0)) * BLOCK_M + tl.arange(0, BLOCK_M)
    place = tl.load(order + slot, mask=slot < end, other=0).to(tl.int64)
    step = tl.arange(0, BLOCK_K)
    at_x = x + (place // top)[:, None] * K + step[None, :]
    at_w = w + (expert.to(tl.int64) * N + columns % N)[None, :] * K + step[:, None]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for done in range(0, K, BLOCK_K):
        part_x = tl.load(at_x, mask=step[None, :] < K - done, other=0)
        part_w = tl.load(at_w, mask=step[:, None] < K - done, other=0)
        sums = tl.dot(part_x, part_w, sums)
        at_x += BLOCK_K
        at_w += BLOCK_K
    sums *= tl.load(weights + place)[:, None]
    at_y = y + place[:, None] * N + columns[None, :]
    tl.store(at_y, sums.to(y.dtype.element_ty), mask=(slot[:, None] < end) & (columns[None, :] < N))


def grid(meta):
    tiles_m = triton.cdiv(meta["slots"], meta["BLOCK_M"]) + meta["experts"]
    return (tiles_m * triton.cdiv(meta["N"], meta["BLOCK_N"]),)


class Session:
    def prepare(self, problem, configuration):
        constants = configuration | {"WIDTH": triton.next_power_of_2(problem["experts"])}
        sizes = problem["top"] * problem["tokens"], *(problem[name] for name in ("top", "experts", "N", "K"))
        type_ = getattr(torch, problem["type"])
        types = type_, type_, torch.int32, torch.int32, torch.float32, type_
        return Prepared(
            lambda *operands: experts_product[grid](*operands, *sizes, **constants),
            **compiled(experts_product, *types, *sizes, grid=grid, **constants),
        )


if __name__ == "__main__":
    serve(Session)
