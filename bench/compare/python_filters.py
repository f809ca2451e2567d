#!/usr/bin/env python3
"""Separable filters in Triton, PyTorch and CuPy beside a copy of the image, on a GPU.

    tilewright-peers --list-sweeps | grep ^separable- | bench/compare/python_filters.py [--seconds N] >FILE.jsonl

Each input line is a case: its name, a tab, and the words of a sweep of conv2d_separable. Each output line is a case
with one of the libraries that are installed, or why it has no figures. Operands are cold: as many sets as exceed three
times the L2. Both sides run alternately, and a ratio is the median of the pairs' ratios: the copy's time over theirs.
Triton filters rows, then columns, each by the fastest of its configurations. PyTorch is two calls of conv2d without
TF32, CuPy is two of ndimage.correlate1d, which sums in float64. CuPy is not captured in a graph, because it allocates
memory, so its times include the launches of a few calls.
"""

import argparse
import dataclasses
import json
import math
import statistics
import sys
import time

from triton_gemm import HEAT_S, PAIRS, BadInput, CannotCompete, Graph, heat, ratio_of, rounds, tuned

TYPES = ("float32", "float16", "bfloat16")
CALLS_OF_CUPY = 8


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    width: int
    height: int
    filter_width: int
    filter_height: int
    type: str

    @staticmethod
    def read(line):
        """Raises BadInput, and CannotCompete for a case that is not computed here."""
        name, tab, words = line.rstrip("\n").partition("\t")
        operation, *settings = words.split() or [""]
        if not tab or operation != "conv2d_separable" or not all("=" in word for word in settings):
            raise BadInput(f"'{line.strip()}': give a case's name, a tab, and 'conv2d_separable NAME=VALUE…'")
        values = {"type": "float32"} | dict(word.split("=", 1) for word in settings)
        sizes = ("width", "height", "filter_width", "filter_height")
        if missing := [size for size in sizes if not values.get(size, "").isdigit()]:
            raise BadInput(f"'{line.strip()}': {missing[0]} must be a whole number")
        if others := values.keys() - {*sizes, "type"}:
            raise CannotCompete(f"has no {min(others)}")
        if values["type"] not in TYPES or any(int(values[size]) % 2 == 0 for size in sizes[2:]):
            raise CannotCompete("has float32, float16 and bfloat16, and odd filters")
        return Case(name, *(int(values[size]) for size in sizes), values["type"])


class Loop:
    """Calls that are launched one by one."""

    def __init__(self, torch, call, sets):
        self.torch, self.call, self.sets = torch, call, sets
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        self.replay()

    def replay(self):
        """Microseconds of a call."""
        begin, end = self.events
        begin.record()
        for i in range(CALLS_OF_CUPY):
            self.call(*self.sets[i % len(self.sets)])
        end.record()
        end.synchronize()
        return 1000 * begin.elapsed_time(end) / CALLS_OF_CUPY


def operands(torch, case):
    """An image, both filters, an output and what lies between the filters."""
    type_ = getattr(torch, case.type)
    draw = lambda *shape: (2 * torch.rand(*shape, device="cuda") - 1).to(type_)
    image = draw(case.height, case.width)
    return image, draw(case.filter_width), draw(case.filter_height), torch.empty_like(image), torch.empty_like(image)


def both_filters(torch, image, rows, columns):
    planes = torch.nn.functional.conv2d(image[None, None], rows.view(1, 1, 1, -1), padding=(0, rows.numel() // 2))
    return torch.nn.functional.conv2d(planes, columns.view(1, 1, -1, 1), padding=(columns.numel() // 2, 0))


def torch_side(torch, sets):
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    call = lambda image, rows, columns, output, _: output.copy_(both_filters(torch, image, rows, columns)[0, 0])
    return Graph(torch, call, sets), call, "two calls of conv2d, and a copy to the output"


def triton_side(torch, sets):
    from triton_filter import CONFIGURATIONS, filter_lines

    def call(image, rows, columns, output, between, chosen):
        filter_lines(image, rows, between, True, chosen[0])
        filter_lines(between, columns, output, False, chosen[1])

    best = []
    for along_x in (True, False):
        only = lambda image, rows, columns, output, between, chosen, along_x=along_x: filter_lines(
            image, rows if along_x else columns, output, along_x, chosen)
        best.append(chosen_of(torch, only, CONFIGURATIONS, sets))
    chosen_call = lambda *arrays: call(*arrays, best)
    return Graph(torch, chosen_call, sets), chosen_call, [dataclasses.asdict(one) for one in best]


def chosen_of(torch, call, configurations, sets):
    # tuned() calls with three arrays and a configuration; here a set is the three.
    product = lambda arrays, _, __, chosen: call(*arrays, chosen)
    return tuned(torch, product, configurations, [(arrays, None, None) for arrays in sets])[1]


def cupy_side(torch, sets):
    import cupy
    from cupyx.scipy.ndimage import correlate1d

    if sets[0][0].dtype != torch.float32:
        raise CannotCompete("is measured with float32 only")

    def call(image, rows, columns, output, between):
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            source, target, middle = (cupy.from_dlpack(array) for array in (image, output, between))
            correlate1d(source, cupy.from_dlpack(rows), axis=1, output=middle, mode="constant")
            correlate1d(middle, cupy.from_dlpack(columns), axis=0, output=target, mode="constant")

    return Loop(torch, call, sets), call, f"CuPy {cupy.__version__}, ndimage.correlate1d"


def error(torch, call, arrays):
    """‖output − exact‖ ÷ ‖exact‖ of a call that finds NaN in the output."""
    image, rows, columns, output, _ = arrays
    exact = both_filters(torch, image.double(), rows.double(), columns.double())[0, 0]
    output.fill_(math.nan)
    call(*arrays)
    return float((output.double() - exact).norm() / exact.norm())


SIDES = {"Triton": triton_side, "PyTorch": torch_side, "CuPy": cupy_side}


def measured(torch, case):
    """One record for each library."""
    first = operands(torch, case)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(2, min(4096, 3 * l2 // (2 * first[0].numel() * first[0].element_size()) + 1))
    sets = [first] + [operands(torch, case) for _ in range(count - 1)]
    copy = Graph(torch, lambda image, _, __, output, ___: output.copy_(image), sets)
    for name, make in SIDES.items():
        record = {"case": case.name, "library": name}
        try:
            side, call, how = make(torch, sets)
            heat([side, copy], HEAT_S)
            samples = rounds([copy, side], PAIRS)
            copy_us, us = ([pair[i] for pair in samples] for i in (0, 1))
            record |= {"us": statistics.median(us), "copy_us": statistics.median(copy_us), **ratio_of(copy_us, us),
                       "error": error(torch, call, first), "how": how}
        except (CannotCompete, ImportError, RuntimeError) as reason:
            record["why_not"] = str(reason).splitlines()[0]
        yield record


def results(lines, measure, seconds=math.inf):
    """Records for the cases of the lines. No case begins after that time."""
    begun = time.monotonic()
    for line in lines:
        try:
            case = Case.read(line)
            if time.monotonic() - begun >= seconds:
                raise CannotCompete("not begun: the time was over")
            yield from measure(case)
        except CannotCompete as reason:
            yield {"case": line.partition("\t")[0], "why_not": str(reason)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=math.inf, help="no case begins after so many seconds")
    given = parser.parse_args()
    try:
        import torch
    except ImportError as missing:
        sys.exit(f"python_filters.py: needs PyTorch: {missing}")
    if not torch.cuda.is_available():
        sys.exit("python_filters.py: PyTorch finds no GPU")
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", file=sys.stderr)
    try:
        for record in results(sys.stdin, lambda case: measured(torch, case), given.seconds):
            print(json.dumps(record), flush=True)
    except BadInput as problem:
        sys.exit(f"python_filters.py: {problem}")


if __name__ == "__main__":
    main()
