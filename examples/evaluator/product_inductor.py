"""PyTorch Inductor's kernels for torch.mm: what torch.compile makes of a row of its look-up table."""

import os

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # nothing compiles beside what is timed

import torch
from tilewright import inductor
from tilewright.evaluator import Failed, serve


class Session:
    def prepare(self, problem, configuration):
        m, n, k = (problem[name] for name in "MNK")
        is_transposed = problem["transpose_b"] == "yes"

        def matrices(a, b):
            return a.view(m, k), b.view(n, k).T if is_transposed else b.view(k, n)

        empty = [torch.empty(count, dtype=getattr(torch, problem["type"]), device="cuda") for count in (m * k, k * n)]
        table = {inductor.key(problem): [inductor.row(problem, configuration)]}
        choice = inductor.choice(table, *matrices(*empty))
        try:
            choice.precompile()
        except Exception as error:
            if "OutOfResources" in str(error):
                raise Failed("resources", str(error)) from None
            raise

        def product(a, b, c):
            choice.bmreq.make_run_fn(*matrices(a, b), out=c.view(m, n))()

        return product


serve(Session)
