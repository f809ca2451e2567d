#!/usr/bin/env python3
"""A plain Triton product beside torch.matmul, on a GPU, with PyTorch and Triton.

    tilewright-peers --list-sweeps | grep ^tensor- | bench/compare/triton_gemm.py [--seconds N] >FILE.jsonl

Each input line is a case: its name, a tab, and the words of a sweep of gemm. Each output line is a case with warm
(one set of operands) or cold operands (as many sets as exceed three times the L2). Both sides are CUDA graphs of
normal random operands, which are replayed alternately; a ratio is the median of the pairs' ratios. Triton's
configuration is the fastest of the tutorial's list, of which all are replayed in turn; how long compiling and
choosing took is `tuning_s`. FP8 is beside torch._scaled_mm without fast accumulation, TF32 beside torch.matmul with
TF32 allowed. Cases without such a product say why.
"""

import argparse
import dataclasses
import json
import math
import statistics
import sys
import time

SAMPLE_US = 300
PAIRS = 15
HEAT_S = 1
TUNING_ROUNDS = 4  # an even number, in alternating order, so that a drift of the clock cancels out
# The largest relative error, ‖C − exact‖ ÷ ‖exact‖, that is right.
MOST_ERROR = {"bfloat16": 1e-2, "float16": 2e-3, "float8_e4m3": 1e-2, "tf32": 2e-3}


class CannotCompete(Exception):
    """Why a case has no figures."""


class BadInput(Exception):
    """A line that is no case."""


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    m: int
    n: int
    k: int
    batch: int
    kind: str  # a key of MOST_ERROR
    transpose_b: bool

    @staticmethod
    def read(line):
        """Raises BadInput, and CannotCompete for a case that there is no product for."""
        name, tab, words = line.rstrip("\n").partition("\t")
        operation, *settings = words.split() or [""]
        if not tab or operation != "gemm" or not all("=" in word for word in settings):
            raise BadInput(f"'{line.strip()}': give a case's name, a tab, and 'gemm NAME=VALUE…'")
        values = dict(word.split("=", 1) for word in settings)
        if missing := [size for size in "MNK" if not values.get(size, "").isdigit()]:
            raise BadInput(f"'{line.strip()}': {missing[0]} must be a whole number")
        return Case(name, *(int(values[size]) for size in "MNK"), int(values.get("batch", 1)),
                    kind_of(values), values.get("transpose_b") == "yes")

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k * self.batch


def kind_of(values):
    if values.get("epilogue", "none") != "none":
        raise CannotCompete(f"has no epilogue {values['epilogue']}")
    kind = values.get("type_a", "float32")
    kind = "tf32" if kind == "float32" and values.get("precision") == "tf32" else kind
    if kind not in MOST_ERROR or values.get("transpose_a") == "yes" or values.get("accumulate") == "yes":
        raise CannotCompete(f"has no product of {kind}" if kind not in MOST_ERROR else "has only A · B and A · Bᵀ")
    return kind


def ranked(times_by_round):
    """The indices of the columns by the median over the rounds of a time ÷ the round's median, least first."""
    shares = [[time / statistics.median(times) for time in times] for times in times_by_round]
    scores = [statistics.median(column) for column in zip(*shares)]
    return sorted(range(len(scores)), key=scores.__getitem__)


def ratio_of(above, below):
    """Median and quartiles of the pairs' ratios."""
    ratios = sorted(a / b for a, b in zip(above, below))
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"ratio": statistics.median(ratios), "ratio_lower": low, "ratio_upper": high}


class Graph:
    """Calls on rotating sets of operands, captured once, for samples of about SAMPLE_US."""

    def __init__(self, torch, call, sets):
        self.torch = torch
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        for _ in range(2):  # compiles, then warms up
            call(*sets[0])
        torch.cuda.synchronize()
        self.capture(call, sets, len(sets))
        self.replay()
        rounds = max(1, round(SAMPLE_US / max(self.replay() * len(sets), 1)))
        if rounds > 1:
            self.capture(call, sets, min(rounds * len(sets), 4096))

    def capture(self, call, sets, calls):
        self.calls = calls
        self.graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(self.graph):
            for i in range(calls):
                call(*sets[i % len(sets)])

    def replay(self):
        """Microseconds of a call."""
        begin, end = self.events
        begin.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        return 1000 * begin.elapsed_time(end) / self.calls


def heat(graphs, seconds):
    """Replays the graphs in turn until the time is over, so that a clock that falls under load has fallen."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for graph in graphs:
            graph.replay()


def rounds(graphs, count):
    """Samples by round; every other round is in reverse order. One more round is discarded."""
    samples = []
    for turn in range(count + 1):
        order = range(len(graphs)) if turn % 2 else reversed(range(len(graphs)))
        found = {i: graphs[i].replay() for i in order}
        samples.append([found[i] for i in range(len(graphs))])
    return samples[1:]


def operands(torch, case):
    types = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float8_e4m3": torch.float8_e4m3fn,
             "tf32": torch.float32}
    draw = lambda *shape: torch.randn(case.batch, *shape, device="cuda").to(types[case.kind])
    b = draw(case.n, case.k).transpose(1, 2) if case.transpose_b else draw(case.k, case.n)
    out = torch.bfloat16 if case.kind == "float8_e4m3" else types[case.kind]
    return draw(case.m, case.k), b, torch.empty(case.batch, case.m, case.n, device="cuda", dtype=out)


def peer(torch, case):
    if case.kind == "float8_e4m3":
        one = torch.ones((), device="cuda")
        return lambda a, b, c: torch._scaled_mm(a[0], b[0], one, one, out_dtype=c.dtype, out=c[0])
    torch.backends.cuda.matmul.allow_tf32 = True
    if case.batch == 1:  # not as a batch of one
        return lambda a, b, c: torch.mm(a[0], b[0], out=c[0])
    return lambda a, b, c: torch.bmm(a, b, out=c)


def error(torch, call, a, b, c):
    """‖C − exact‖ ÷ ‖exact‖ of a call that finds NaN in C. At most 512 rows of each product are compared."""
    rows = min(a.shape[1], 512)
    exact = a[:, :rows].double() @ b.double()
    c.fill_(math.nan)
    call(a, b, c)
    return float((c[:, :rows].double() - exact).norm() / exact.norm())


def tuned(torch, product, configurations, sets):
    """The fastest configuration's graph and the configuration, among those that the GPU can run."""
    able, graphs = [], []
    for configuration in configurations:
        try:
            call = lambda a, b, c, chosen=configuration: product(a, b, c, chosen)
            graphs.append(Graph(torch, call, sets))
            able.append(configuration)
        except Exception as problem:  # Triton has no common class for what does not compile or fit
            print(f"{configuration}: {type(problem).__name__}: {problem}".splitlines()[0], file=sys.stderr)
    if not able:
        raise CannotCompete("no configuration compiles and fits")
    heat(graphs, HEAT_S)
    best = ranked(rounds(graphs, TUNING_ROUNDS))[0]
    return graphs[best], able[best]


def compared(torch, product, configurations, case, sets):
    begun = time.monotonic()
    graph, configuration = tuned(torch, product, configurations, sets)
    tuning_s = time.monotonic() - begun
    call = peer(torch, case)
    errors = {"triton_error": error(torch, lambda a, b, c: product(a, b, c, configuration), *sets[0]),
              "torch_error": error(torch, call, *sets[0])}
    sides = [graph, Graph(torch, call, sets)]
    heat(sides, HEAT_S)
    samples = rounds(sides, PAIRS)
    triton_us, torch_us = ([pair[side] for pair in samples] for side in (0, 1))
    us = statistics.median(triton_us)
    return {"triton_us": us, "torch_us": statistics.median(torch_us), "triton_tflops": case.flops / us / 1e6,
            **ratio_of(triton_us, torch_us), **errors, "right": errors["triton_error"] <= MOST_ERROR[case.kind],
            "configuration": dataclasses.asdict(configuration), "tuning_s": tuning_s,
            "triton_samples_us": triton_us, "torch_samples_us": torch_us}


def measured(torch, product, configurations, case):
    """One record for each policy."""
    first = operands(torch, case)
    size = sum(one.numel() * one.element_size() for one in first)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(2, min(4096, 3 * l2 // size + 1))
    sets = [first] + [operands(torch, case) for _ in range(count - 1)]
    for policy, chosen in ("cold", sets), ("warm", sets[:1]):
        yield {"case": case.name, "policy": policy, "sets": len(chosen),
               **compared(torch, product, configurations, case, chosen)}


def results(lines, measure, seconds=math.inf):
    """Records for the cases of the lines. No case begins after that time. `measure` yields a case's records; what
    the libraries raise becomes the reason why there are none."""
    begun = time.monotonic()
    for line in lines:
        name = line.partition("\t")[0]
        try:
            case = Case.read(line)
            if time.monotonic() - begun >= seconds:
                raise CannotCompete("not begun: the time was over")
            yield from measure(case)
        except (CannotCompete, RuntimeError) as reason:
            yield {"case": name, "why_not": str(reason).splitlines()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=math.inf, help="no case begins after so many seconds")
    given = parser.parse_args()
    try:
        import torch

        from triton_product import CONFIGURATIONS, product
    except ImportError as missing:
        sys.exit(f"triton_gemm.py: needs PyTorch and Triton: {missing}")
    if not torch.cuda.is_available():
        sys.exit("triton_gemm.py: PyTorch finds no GPU")
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", file=sys.stderr)
    measure = lambda case: measured(torch, product, CONFIGURATIONS, case)
    try:
        for record in results(sys.stdin, measure, given.seconds):
            print(json.dumps(record), flush=True)
    except BadInput as problem:
        sys.exit(f"triton_gemm.py: {problem}")


if __name__ == "__main__":
    main()
