"""A softmax in Triton, whose programs hold whole rows in registers."""

import torch
import triton
import triton.language as tl
from tilewright.evaluator import Prepared, serve
from tilewright.triton import compiled


@triton.jit
def kernel(x, y, rows, columns, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    inside = (row < rows) & (column < columns)
    place = row.to(tl.int64) * columns + column
    value = tl.load(x + place, mask=inside, other=-float("inf"))
    value = tl.exp(value - tl.max(value, axis=1)[:, None])
    tl.store(y + place, value / tl.sum(value, axis=1)[:, None], mask=inside)


class Session:
    def prepare(self, problem, configuration):
        rows, columns = problem["rows"], problem["columns"]
        step = configuration["ROWS"]
        grid = (triton.cdiv(rows, step),)
        constants = {"ROWS": step, "WIDTH": triton.next_power_of_2(columns)}
        constants["num_warps"] = configuration["WARPS"]
        arguments = torch.float32, torch.float32, rows, columns
        return Prepared(
            lambda x, y: kernel[grid](x, y, rows, columns, **constants),
            **compiled(kernel, *arguments, grid=grid, **constants),
        )


serve(Session)
