#!/usr/bin/env python3
"""Products of random shapes that nobody tuned, beside cuBLAS and cublasLt, on a GPU, with PyTorch.

    PYTHONPATH=bindings/python TILEWRIGHT_LIBRARY=…/libtilewright.so bench/compare/any_shape.py KERNELS
        [--shipped PLACE] [--bundle FILE] [--seed N] [--each N] [--only CLASS…] [--seconds N]
        [--cache FOLDER] [--database FILE] [--json FILE] [--type TYPE…] [--untimed] [--libraries on|off]

Every answer is compared with a product in float64. The three are captured in CUDA graphs that are
replayed in turn, once with operands in the L2 and once with operands from memory. cuBLAS and
cublasLt are what torch.matmul calls with either as its preferred library. It has no products of 8-bit
types. For these cublasLt is called by torch._int_mm and torch._scaled_mm, which have some of the shapes;
the others are timed alone. A ratio is the time of the faster library over ours: above 1 tilewright is faster. The first call of a shape ends when it
returns; its kernel may run on. Operands of TYPE are normal numbers, those of float32 uniform ones.
With --untimed nothing is measured: answers are checked, and implementations counted.
With --libraries on, what is served is measured, too, whoever it is of; "ours" are always kernels.
bench/fit/library.py fits the choice between both to the JSON.
"""

import argparse
import collections
import json
import math
import random
import statistics
import tempfile
import time

import torch

import tilewright

CLASSES = "small", "middle", "large", "aligned", "thin", "deep", "batched"
TYPES = "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8"
COLD_BYTES = 3 * 50 * 2**20
ROUNDS = 7


def spread(draw, low, high):
    return round(low * (high / low) ** draw.random())


def sizes(draw, kind):
    """M, N, K and the number of products."""
    if kind in ("small", "middle", "large"):
        low, high = {"small": (1, 300), "middle": (250, 1500), "large": (1000, 6000)}[kind]
        return *(draw.randint(low, high) for _ in range(3)), 1
    if kind == "aligned":
        return *(64 * draw.randint(1, 93) for _ in range(3)), 1
    if kind == "thin":
        m, n = draw.randint(1, 16), spread(draw, 64, 20000)
        m, n = (m, n) if draw.random() < 0.5 else (n, m)
        return m, n, spread(draw, 64, 20000), 1
    if kind == "deep":
        m, n = spread(draw, 4, 600), spread(draw, 4, 600)
        return m, n, min(200000, round(32 * max(m, n) * 4 ** draw.random())), 1
    m, n, k = (spread(draw, 8, 600) for _ in range(3))
    return m, n, k, max(2, min(spread(draw, 2, 500), round(4e10 / (m * n * k))))


class Shape:
    def __init__(self, draw, kind, dtype):
        self.kind = kind
        self.dtype = dtype
        self.m, self.n, self.k, self.batch = sizes(draw, kind)
        self.transposed = draw.random() < 0.5, draw.random() < 0.5
        steps = (4, 8, 64) if kind == "aligned" else (1, 3, 4, 8, 13, 64)
        self.pad = draw.choice(steps) if draw.random() < 0.25 else 0

    def bytes(self):
        m, n, k = self.m, self.n, self.k
        return self.dtype.itemsize * self.batch * (m * k + k * n + m * n)

    def output_type(self):
        if self.dtype == torch.int8:
            return torch.int32
        return torch.bfloat16 if self.dtype.itemsize == 1 else self.dtype

    def drawn(self, *shape):
        if self.dtype == torch.float32:
            return torch.rand(*shape, device="cuda").mul_(2).sub_(1)
        if self.dtype == torch.int8:
            return torch.randint(-127, 128, shape, device="cuda", dtype=torch.int8)
        return torch.randn(*shape, device="cuda").to(self.dtype)

    def matrix(self, rows, columns, transposed, fill):
        stored = (columns, rows) if transposed else (rows, columns)
        batch = (self.batch,) if self.batch > 1 else ()
        whole = fill(*batch, stored[0], stored[1] + self.pad)
        view = whole[..., : stored[1]]
        return view.transpose(-1, -2) if transposed else view

    def operands(self):
        empty = lambda *shape: torch.zeros(*shape, device="cuda", dtype=self.output_type())
        return (
            self.matrix(self.m, self.k, self.transposed[0], self.drawn),
            self.matrix(self.k, self.n, self.transposed[1], self.drawn),
            self.matrix(self.m, self.n, False, empty),
        )

    def as_dict(self):
        return {"M": self.m, "N": self.n, "K": self.k, "batch": self.batch, "pad": self.pad} | {
            "transpose_a": self.transposed[0],
            "transpose_b": self.transposed[1],
        }


def library(name):
    def call(a, b, c):
        torch.backends.cuda.preferred_blas_library(name)
        torch.matmul(a, b, out=c)

    return call


def int8_product(a, b, c):
    torch._int_mm(a, b, out=c)


def float8_product(one):
    return lambda a, b, c: torch._scaled_mm(a, b, one, one, out_dtype=c.dtype, out=c)


def libraries(shape):
    """What PyTorch computes the product with, by name."""
    if shape.dtype.itemsize > 1:
        return {"cublas": library("cublas"), "cublaslt": library("cublaslt")}
    is_one = shape.batch == 1 and shape.pad == 0
    if shape.dtype == torch.int8:
        has = is_one and shape.m > 16 and shape.n % 8 == 0 and shape.k % 8 == 0
        return {"cublaslt": int8_product} if has else {}
    is_aligned = shape.n % 16 == 0 and shape.k % 16 == 0
    has = is_one and is_aligned and shape.transposed == (False, True) and shape.dtype == torch.float8_e4m3fn
    return {"cublaslt": float8_product(torch.ones((), device="cuda"))} if has else {}


def captured(call, sets, calls):
    call(*sets[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            call(*sets[i % len(sets)])
    return graph


def medians(entrants, sets):
    """Microseconds of a call, by entrant."""
    calls = max(len(sets), 3 if sets[0][0].numel() > 2**23 else 20)
    graphs = {name: captured(call, sets, calls) for name, call in entrants.items()}
    times = {name: [] for name in entrants}
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for turn in range(ROUNDS + 1):
        for name, graph in graphs.items():
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            if turn > 0:
                times[name].append(1000 * begin.elapsed_time(end) / calls)
    return {name: statistics.median(all_times) for name, all_times in times.items()}


def is_right(shape, a, b, c):
    exact = a.double() @ b.double()
    # docs/manifest-operation.md, [operation.compare]; products of normal numbers are three times as large
    terms = shape.k if shape.dtype == torch.float32 else 6 * shape.k
    if shape.dtype.itemsize == 1 and shape.dtype.is_floating_point:
        terms = 256 * shape.k + 1024 * min(shape.k, 512)
    allowed = 1.2e-7 * (terms + 4 * exact.abs())
    if shape.dtype == torch.int8:
        allowed = torch.zeros_like(exact)
    elif shape.dtype != torch.float32:
        allowed += torch.finfo(c.dtype).eps * exact.abs() + torch.finfo(c.dtype).smallest_normal
    return bool(((c.double() - exact).abs() <= allowed).all())


def measure(shape, gemms, rows, is_timed):
    """`gemms`: "ours", and "served" if libraries answer, too; the last one is the first that is called."""
    a, b, c = shape.operands()
    torch.cuda.synchronize()
    row = {"kind": shape.kind, "right": True} | shape.as_dict()
    for name, gemm in reversed(gemms.items()):
        start = time.perf_counter()
        gemm(a, b, out=c)
        row.setdefault("first_ms", 1000 * (time.perf_counter() - start))
        torch.cuda.synchronize()
        row["right"] = row["right"] and is_right(shape, a, b, c)
        answer = gemm.kernel(a, b, out=c).answer
        row["answer" if name == "ours" else name] = [answer.rung_name, answer.implementation, answer.configuration]
    rows.append(row)
    if not is_timed:
        return
    entrants = {name: (lambda a, b, c, gemm=gemm: gemm(a, b, out=c)) for name, gemm in gemms.items()}
    if row.get("served") == row["answer"]:
        del entrants["served"]
    entrants |= libraries(shape)
    count = min(1500, math.ceil(COLD_BYTES / shape.bytes()))
    row["warm"] = medians(entrants, [(a, b, c)])
    sets = [(a, b, c)] + [shape.operands() for _ in range(count - 1)]
    row["cold"] = medians(entrants, sets)


def ratio(row, condition, name="ours"):
    """None if no library has the product. What is served is ours, or else measured beside it."""
    theirs = [time for entrant, time in row[condition].items() if entrant not in ("ours", "served")]
    return min(theirs) / row[condition].get(name, row[condition]["ours"]) if theirs else None


def figures(ratios):
    ratios = sorted(ratios)
    return statistics.geometric_mean(ratios), ratios[len(ratios) // 10], ratios[0]


def report_type(dtype, rows):
    """What issue and page ask for: of the kernels alone and, if libraries answer, of what is served."""
    names = ["ours", "served"] if any("served" in row for row in rows) else ["ours"]
    print(f"\n{dtype}: geometric mean, 10th percentile and least of the faster library's time over it")
    print(f"{'':9} {'':5}  shapes" + "".join(f"  {name:>17}" for name in names) + "  a library is faster than ours")
    served, means = [], []
    for kind in CLASSES:
        for condition in ("warm", "cold"):
            timed = [row for row in rows if row["kind"] == kind and condition in row and ratio(row, condition)]
            if not timed:
                continue
            line = f"{kind:9} {condition:5} {len(timed):7}"
            for name in names:
                ratios = [ratio(row, condition, name) for row in timed]
                line += "  " + " ".join(f"{figure:5.2f}" for figure in figures(ratios))
            served += ratios
            means.append(figures(ratios)[0])
            print(f"{line}  {sum(ratio(row, condition) < 1 for row in timed)} of {len(timed)}")
    if served:
        _, tenth, least = figures(served)
        print(f"{names[-1]}, all: least {least:.3f}, 10th percentile {tenth:.3f}, least mean of a class {min(means):.3f}")
    alone = sum("warm" in row and ratio(row, "warm") is None for row in rows)
    if alone:
        print(f"no library has the product: {alone} shapes")
    print(f"right answers: {sum(row['right'] for row in rows)} of {len(rows)}")
    by = collections.Counter(row.get("served", row["answer"])[1] for row in rows)
    print("served by", ", ".join(f"{name} {count}" for name, count in by.most_common()))


def report(rows):
    for dtype in dict.fromkeys(row["type"] for row in rows):
        report_type(dtype, [row for row in rows if row["type"] == dtype])
    firsts = sorted(row["first_ms"] for row in rows)
    within = lambda share: firsts[len(firsts) * share // 100]
    print(
        f"first call: {statistics.median(firsts):.1f} ms in the median, 90 % within "
        f"{within(90):.1f} ms, 95 % within {within(95):.1f} ms, most {firsts[-1]:.0f} ms"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernels")
    parser.add_argument("--shipped", nargs="*", default=[])
    parser.add_argument("--bundle", default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=60)
    parser.add_argument("--only", nargs="*", choices=CLASSES, default=CLASSES)
    parser.add_argument("--cache")
    parser.add_argument("--database")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--json")
    parser.add_argument("--type", choices=TYPES, nargs="+", default=["float32"])
    parser.add_argument("--untimed", action="store_true")
    parser.add_argument("--libraries", choices=["on", "off"], default="off", help="on: what is served, too, whoever it is of")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    torch.manual_seed(given.seed)
    torch.backends.cuda.matmul.allow_tf32 = False
    drawn = [(name, Shape(draw, kind, getattr(torch, name))) for _ in range(given.each) for name in given.type for kind in CLASSES]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        runtime = lambda libraries: tilewright.Runtime(
            given.database or folder + "/none.db",
            [given.kernels],
            shipped=given.shipped,
            cache=given.cache or folder,
            bundles=given.bundle,
            libraries=libraries,
        )
        gemms = {"ours": tilewright.Gemm(runtime("off"))}
        if given.libraries == "on":
            gemms["served"] = tilewright.Gemm(runtime("on"))
        start = time.monotonic()
        for name, shape in drawn:
            if shape.kind not in given.only:
                continue
            if time.monotonic() > start + given.seconds:
                print(f"stopped after {given.seconds:g} s: {len(rows)} of {len(drawn)} products")
                break
            measure(shape, gemms, rows, not given.untimed)
            rows[-1]["type"] = name
        print(f"{len(rows)} products in {time.monotonic() - start:.0f} s")
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, seed {given.seed}")
    report(rows)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file)


if __name__ == "__main__":
    main()
