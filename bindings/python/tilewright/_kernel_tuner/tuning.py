"""Kernel Tuner's functions. docs/kernel-tuner.md says what they do and what is different."""

import contextlib
import math
import os
import pathlib
import tempfile
import types

from .._numbers import whole_number
from ..errors import InputError
from ..runtime import Runtime
from .answers import Launcher, Reference, judged_operands, verified
from .described import described
from .manifest import manifest_of
from .outcome import Goal, Printer, line, told

_STRATEGIES = {"brute_force": "exhaustive", "random_sample": "random"}
# Those of Kernel Tuner 1.5 that learn or walk, instead of which `model` runs.
_LEARNING = frozenset(
    """basinhopping bayes_opt bayes_opt_GPyTorch bayes_opt_GPyTorch_lean bayes_opt_old diff_evo
    differential_evolution dual_annealing firefly_algorithm genetic_algorithm greedy_ils greedy_mls
    greedy_rls hill_climbing hybrid_vndx minimize mls ordered_greedy_mls pso pyatf_strategies
    simulated_annealing skopt""".split()
)
_OWN_STRATEGIES = ("exhaustive", "random", "model")
_NOT_HERE = {
    "texmem_args": "textures are not supported",
    "observers": "there are none; clocks and power are measured for each configuration, and "
    "`tilewright results` shows them",
    "simulation_mode": "`tilewright replay` compares strategies on recorded configurations",
    "objectives": "give one, as objective",
}


# fmt: off
def tune_kernel(
    kernel_name, kernel_source, problem_size, arguments, tune_params,
    grid_div_x=None, grid_div_y=None, grid_div_z=None, restrictions=None,
    answer=None, atol=1e-6, verify=None, verbose=False, lang=None, device=0, platform=0,
    smem_args=None, cmem_args=None, texmem_args=None, compiler=None, compiler_options=None,
    defines=None, log=None, iterations=7, block_size_names=None, quiet=False,
    strategy=None, strategy_options=None, cache=None, metrics=None, simulation_mode=None,
    parallel=None, observers=None, objective=None, objective_higher_is_better=None,
    objectives=None, seed=None, *,
    database=None, folder=None, code_cache=None, scratch=None, worker=None,
    compile_processes=None, where=None,
):
    """Tunes a kernel as Kernel Tuner's tune_kernel does. Returns (results, env).

    results  a dict for each configuration that was measured and right: the parameters, "time" in
             milliseconds, and the metrics
    env      "device_name", "best_config", "checked" ("answer", "verify" or "nothing"), "outcomes",
             "failed": a dict for each configuration that failed, and "sweep"

    device   "host", "cuda:1", or the number of a GPU
    database file for the results; `cache` names it, too. By default they are not kept.
    folder   where to keep the manifest and the source; by default they are not kept
    code_cache, scratch, worker, compile_processes, where: as for Runtime and Runtime.tune

    docs/kernel-tuner.md lists what is different.
    """
    return _tune(**locals())
# fmt: on


def _tune(
    kernel_name, kernel_source, problem_size, arguments, tune_params, answer, atol, verify, **options
):  # fmt: skip
    _refuse(options)
    kernel = described(kernel_name, kernel_source, problem_size, arguments, tune_params, options)
    names = "metrics", "objective", "objective_higher_is_better"
    goal = Goal(kernel.parameters, *(options[name] for name in names))
    judged = judged_operands(kernel, answer, atol, verify)
    combinations = math.prod(len(one.values) for one in kernel.parameters.values())
    budget, note = _budget(options["strategy"], options["strategy_options"], combinations)
    if note and not options["quiet"]:
        print(note)
    device = _device(options["device"])
    with contextlib.ExitStack() as kept:
        manifest = _written(kernel, judged, options["folder"], kept)
        database = _database(options["database"], options["cache"], manifest)
        places = {"cache": options["code_cache"], "scratch": options["scratch"]}
        runtime = Runtime(database, [], manifests=manifest, shipped=[], bundles=[], **places)
        tuned = runtime.tune(
            manifest,
            device=device,
            arrays={operand.name: operand.array for operand in kernel.buffers},
            reference=Reference(kernel, answer, judged),
            progress=Printer(kernel, goal, options["quiet"], options["verbose"]),
            **{name: options[name] for name in ("worker", "compile_processes", "where")},
            **({} if options["seed"] is None else {"seed": options["seed"]}),
            **budget,
        )
        rows = runtime.results(kernel.name, device=tuned.device)
        results, failed = told(kernel, [row for row in rows if row["sweep"] == tuned.sweep])
        if verify:
            launcher = Launcher(kernel, manifest, device, places)
            results = verified(kernel, launcher, results, failed, (answer, verify, atol))
    for result in results:
        goal.add_metrics(result)
    best = goal.best(results, kernel.values(tuned.configuration))
    if not options["quiet"]:
        print(f"best performing configuration:\n{line(best)}")
    return results, {
        "device_name": tuned.device,
        "best_config": best,
        "checked": "verify" if verify else "answer" if judged is not None else "nothing",
        "outcomes": tuned.outcomes,
        "failed": failed,
        "sweep": tuned.sweep,
    }


def run_kernel(
    kernel_name, kernel_source, problem_size, arguments, params,
    grid_div_x=None, grid_div_y=None, grid_div_z=None, lang=None, device=0, platform=0,
    smem_args=None, cmem_args=None, texmem_args=None, compiler=None, compiler_options=None,
    defines=None, block_size_names=None, quiet=False, log=None, *,
    folder=None, code_cache=None, scratch=None,
):
    """Launches a kernel once and returns its arguments as they are afterwards; numbers as they were
    given. `params`: one value for each parameter. On a GPU it needs CuPy or PyTorch."""
    options = {**locals(), "restrictions": None}
    _refuse(options)
    values = {name: [value] for name, value in dict(params).items()}
    kernel = described(kernel_name, kernel_source, problem_size, arguments, values, options)
    with contextlib.ExitStack() as kept:
        manifest = _written(kernel, None, folder, kept)
        runtime_options = {"cache": code_cache, "scratch": scratch}
        launcher = Launcher(kernel, manifest, _device(device), runtime_options)
        outputs = launcher.outputs(
            kernel.configuration({name: one.values[0] for name, one in kernel.parameters.items()})
        )
    listed = kernel.operands[: len(arguments)]
    return [outputs.get(one.name, given) for one, given in zip(listed, arguments)]


def _refuse(options):
    for name, why in _NOT_HERE.items():
        if options.get(name):
            raise InputError(f"{name}: {why}; docs/kernel-tuner.md lists what is different")


def _device(given):
    if isinstance(given, str):
        return given
    number = whole_number(given)
    if number is None or number < 0:
        raise InputError(f"device: give the number of a GPU, 'cuda:0' or 'host', not {given!r}")
    return f"cuda:{number}"


def _number(name, value, accepted):
    """A number above 0, or None where it is not given. `accepted`: what a message asks for."""
    if value is None:
        return None
    number = whole_number(value)
    if number is None and isinstance(value, float):
        number = int(value) if value.is_integer() else value
    if number is None or isinstance(value, bool) or not 0 < number < math.inf:
        raise InputError(f"strategy_options: {name}: give {accepted}, not {value!r}")
    return number


def _limits(given, combinations):
    """max_fevals, or the same by fraction, and time_limit, out of the strategy's options."""
    whole = "a whole number above 0"
    budget = _number("max_fevals", given.pop("max_fevals", None), whole)
    if isinstance(budget, float):
        raise InputError(f"strategy_options: max_fevals: give {whole}, not {budget!r}")
    fraction = _number("fraction", given.pop("fraction", None), "a number above 0, to 1")
    if fraction is not None:
        if fraction > 1:
            raise InputError(f"strategy_options: fraction: give a number above 0, to 1, not {fraction!r}")
        part = math.ceil(fraction * combinations)
        budget = part if budget is None else min(budget, part)
    return budget, _number("time_limit", given.pop("time_limit", None), "seconds above 0")


def _budget(strategy, given, combinations):
    """What a sweep may spend, and a line for the user, or None."""
    if not isinstance(given, (dict, types.NoneType)):
        raise InputError(f"strategy_options: give a dict, not {given!r}")
    given = dict(given or {})
    name = strategy or "brute_force"
    if not isinstance(name, str) or name not in {*_STRATEGIES, *_LEARNING, *_OWN_STRATEGIES}:
        listed = ", ".join([*_STRATEGIES, *sorted(_LEARNING), *_OWN_STRATEGIES])
        raise InputError(f"strategy '{name}' is not here; there are: {listed}")
    budget, limit = _limits(given, combinations)
    ours = "model" if name in _LEARNING else _STRATEGIES.get(name, name)
    if budget is None and ours == "exhaustive":
        budget = "all"
    notes = [f"strategy {name}: tilewright searches by its own, model"] if name in _LEARNING else []
    notes += [f"strategy_options: {', '.join(given)}: not used here"] if given else []
    return {"strategy": ours, "budget": budget, "time_limit_s": limit}, "; ".join(notes)


def _database(database, cache, manifest):
    for name, given in (("database", database), ("cache", cache or None)):
        if given is not None and not isinstance(given, (str, os.PathLike)):
            raise InputError(f"{name}: give the path of a file, not {given!r}")
    if database is not None:
        return database
    return pathlib.Path(cache or manifest).with_suffix(".db")


def _written(kernel, judged, folder, kept):
    """The file of the manifest, in a folder that is temporary unless one is given."""
    if folder is None:
        folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="tilewright-"))
    try:
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, TypeError) as error:
        raise InputError(f"folder: {folder!r} cannot be created: {error}") from None
    manifest = folder / f"{kernel.name}.toml"
    (folder / f"{kernel.name}.cu").write_text(kernel.source)
    manifest.write_text(manifest_of(kernel, f"{kernel.name}.cu", judged))
    return manifest
