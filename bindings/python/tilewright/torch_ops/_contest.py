"""Which of two ways is faster: in a row of calls, the host's time included, and in a CUDA graph."""

import statistics
import time

import torch

_LEAST_S = 0.02  # of a measurement
_ROUNDS = 5
_IN_GRAPH = 10  # calls of a captured row


def _seconds(call, wait):
    """Of one call, in a row of them."""
    count = 1
    while True:
        wait()
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        spent = time.perf_counter() - start
        if spent >= _LEAST_S:
            return spent / count
        count = max(2 * count, int(1.2 * _LEAST_S / max(spent, 1e-9) * count))


def _contest(calls, wait):
    """The median microseconds of each, measured in turns."""
    rounds = [[_seconds(call, wait) for call in calls] for _ in range(_ROUNDS)]
    return [1e6 * statistics.median(one) for one in zip(*rounds)]


def _captured(call):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(_IN_GRAPH):
            call()
    return graph.replay


def contest(calls, device):
    """Microseconds of each call: "eager" and "captured", which are the same on a CPU."""
    for call in calls:  # compiles and loads
        call()
    if device.type != "cuda":
        eager = _contest(calls, lambda: None)
        return {"eager": eager, "captured": eager}
    with torch.cuda.device(device):
        eager = _contest(calls, torch.cuda.synchronize)
        rows = _contest([_captured(call) for call in calls], torch.cuda.synchronize)
    return {"eager": eager, "captured": [us / _IN_GRAPH for us in rows]}
