"""Triton's functions with configurations from a database, in place of triton.autotune:

    matmul = tilewright.triton.tuned(
        matmul_kernel, key=["M", "N", "K"], database="results.db",
        tune_params={"BLOCK_M": [64, 128], "BLOCK_N": [64, 128], "num_warps": [4, 8]},
    )
    matmul[grid].tune(a, b, c, M, N, K)  # measures, once
    matmul[grid](a, b, c, M, N, K)       # never measures
"""

import atexit
import functools
import tempfile

from ._callables import Definition, source_of, tune
from .evaluator import Failed, Prepared

__all__ = ["Tuned", "compiled", "tuned"]


def compiled(kernel, *arguments, grid, **constants):
    """Compiles a function of triton.jit for these arguments, or their types. Returns what
    evaluator.Prepared takes beside the callable: its resources and its code."""
    made = kernel.warmup(*arguments, grid=grid, **constants)
    if made is None:  # Triton's interpreter compiles nothing
        return {}
    try:
        made._init_handles()  # loads it, which tells the registers
    except Exception as error:
        if type(error).__name__ == "OutOfResources":
            raise Failed("resources", str(error)) from None
        raise
    resources = {"registers": made.n_regs, "shared_bytes": made.metadata.shared}
    resources["spill_bytes"] = 4 * made.n_spills
    return {"resources": resources, "code": made.asm["ptx"]}


def tuned(kernel, *, key, tune_params, database, constraints=(), device="cuda:0", name=None):
    """A Tuned for a function of triton.jit.

    key          names of its integer arguments, by which results are told apart
    tune_params  a list of values for each of its constexprs, num_warps, num_stages, …; the first
                 of each is the default
    constraints  expressions of manifests that a configuration must fulfil
    device       whose answers are used
    name         by default that of the function
    """
    return Tuned(kernel, key, tune_params, database, constraints, device, name)


class Tuned:
    """A kernel whose configurations come from the database. A problem that nobody tuned gets those of the
    nearest one, and the wish is stored when the process ends (`tilewright wanted`)."""

    def __init__(self, kernel, key, tune_params, database, constraints, device, name):
        self.kernel = kernel
        self._key = [(one, kernel.arg_names.index(one)) for one in key]
        self._default = {one: values[0] for one, values in tune_params.items()}
        self._device, self._database = device, database
        self._name = name or kernel.fn.__name__
        self._definition = Definition(self._name, tune_params, key, constraints, [source_of(kernel.fn)])
        self._folder = tempfile.TemporaryDirectory(prefix="tilewright-")
        self._answers = {}
        self._runtime = None

    def __getitem__(self, grid):
        return _Launch(self, grid)

    def configuration(self, **problem):
        """That of the best answer for the key's values."""
        if self._runtime is None:
            self._runtime = self._definition.runtime(self._folder.name, self._database)
            atexit.register(self._runtime.store_wanted)
        answer = self._runtime.best(f"{self._name}/callable", problem, device=self._device)
        return self._definition.given(answer.configuration)

    def values_of(self, args, kwargs):
        return tuple([args[i] if i < len(args) else kwargs[name] for name, i in self._key])

    def answer_for(self, values):
        answer = self.configuration(**{name: value for (name, _), value in zip(self._key, values)})
        self._answers[values] = answer
        return answer

    def forget(self):
        """Looks everything up again, as after a sweep of another process."""
        self._answers.clear()
        if self._runtime is not None:
            atexit.unregister(self._runtime.store_wanted)
            self._runtime.store_wanted()
            self._runtime = None


def _graphs_of(run):
    """Times calls on the device: each number of them is a CUDA graph, which is replayed."""
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graphs, stream = {}, torch.cuda.Stream()

    def sample(calls):
        if calls not in graphs:
            run()
            torch.cuda.synchronize()
            graph = graphs[calls] = torch.cuda.CUDAGraph()
            with torch.cuda.stream(stream):
                graph.capture_begin()
                for _ in range(calls):
                    run()
                graph.capture_end()
            graph.replay()
        begin.record()
        graphs[calls].replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1000

    return sample


class _Launch:
    def __init__(self, owner, grid):
        self._owner, self._grid = owner, grid

    def __call__(self, *args, **kwargs):
        owner = self._owner
        values = owner.values_of(args, kwargs)
        configuration = owner._answers.get(values) or owner.answer_for(values)
        return owner.kernel[self._grid](*args, **kwargs, **configuration)

    def tune(self, *args, rtol=1e-2, atol=1e-2, budget=None, time_limit_s=None, worker=None, **kwargs):
        """Measures configurations for these arguments, and returns a TuneResult. Answers are compared with
        those of the default configuration. Tensors have their values again afterwards. budget,
        time_limit_s, worker: as for Runtime.tune."""
        owner = self._owner
        tensors = [one for one in (*args, *kwargs.values()) if hasattr(one, "data_ptr")]
        before = [one.clone() for one in tensors]

        def prepare(_problem, configuration):
            known = compiled(owner.kernel, *args, grid=self._grid, **kwargs, **configuration)
            run = functools.partial(owner.kernel[self._grid], *args, **kwargs, **configuration)
            return Prepared(run, **known)

        def restore():
            for tensor, saved in zip(tensors, before):
                tensor.copy_(saved)

        def results(run):
            restore()
            run()
            return [one.clone() for one in tensors]

        right = results(prepare(None, owner._default).run)

        def check(run):
            for place, (tensor, wanted) in enumerate(zip(results(run), right)):
                if not tensor.allclose(wanted, rtol=rtol, atol=atol, equal_nan=True):
                    return f"tensor {place} differs from that of the default configuration"
            return {"correct": True, "checked": sum(one.numel() for one in right)}

        problem = dict(zip((name for name, _ in owner._key), owner.values_of(args, kwargs)))
        timing = {"sampler": _graphs_of} if tensors and tensors[0].is_cuda else {}
        options = dict(device=owner._device, budget=budget, time_limit_s=time_limit_s, worker=worker)
        try:
            return tune(owner._definition, prepare, check, timing, problem, owner._database, None, options)
        finally:
            restore()
            owner.forget()
