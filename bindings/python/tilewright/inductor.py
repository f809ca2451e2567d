"""PyTorch Inductor's look-up table: its own matrix products, tuned by a sweep (docs/evaluator.md).

    python3 -m tilewright.inductor DATABASE FILE.json   writes the table
    tilewright.inductor.use("FILE.json")                torch.compile reads it

A row is there only if it is at least 1 % faster than what torch.compile does without a table, in the final of
a sweep with the versions that are installed."""

import importlib.metadata
import json
import pathlib

from ._files import write
from ._tables import about, part, run, why_not_faster, why_not_proved
from .errors import InputError
from .evaluator import Failed

__all__ = ["choice", "key", "row", "table", "use", "version"]

OPERATION = "product/inductor"
_OPTIONS = {"max_autotune_gemm": True, "shape_padding": False, "fx_graph_cache": False}


def version():
    """Of PyTorch and Triton, as the sweeps' manifest tells it."""
    return "_".join(f"{name}_{importlib.metadata.version(name)}" for name in ("torch", "triton"))


def key(problem):
    """That of torch.mm for this problem, on any device."""
    m, n, k = (problem[name] for name in "MNK")
    strides = [1, k] if problem["transpose_b"] == "yes" else [n, 1]
    matrices = ([m, k], [k, 1]), ([k, n], strides)
    parts = (f"(torch.{problem['type']}, {sizes}, {strides})" for sizes, strides in matrices)
    return f"({', '.join(parts)})+mm"


def row(problem, configuration):
    """What the table has for a configuration: Inductor's Triton template with its constants, or ATen's product."""
    if configuration["TEMPLATE"] == "aten":
        return {"template_id": "aten::mm"}
    from torch._inductor.kernel.mm import mm_template

    return {
        "template_id": mm_template.uid,
        "template_hash": mm_template.src_hash,
        **{name: value for name, value in configuration.items() if name != "TEMPLATE"},
        "EVEN_K": problem["K"] % configuration["BLOCK_K"] == 0,
        "ACC_TYPE": "tl.float32",
        "USE_FAST_ACCUM": False,
    }


def choice(table, a, b, handler=None):
    """The kernel for torch.mm(a, b) that torch.compile makes of a table with one row: Inductor's ChoiceCaller."""
    import torch
    from torch._inductor import config, lookup_table, select_algorithm
    from torch._inductor.virtualized import V

    found = []

    def find(choices):
        found.extend(choices)
        raise InterruptedError("the rest of the compile is not needed")

    select_algorithm.add_preprocessing_fn(find)
    torch._dynamo.reset()
    handler = handler or lookup_table.LookupTableChoices
    try:
        with config.patch({"lookup_table.table": table}), V.set_choices_handler(handler()):
            torch.compile(torch.mm, dynamic=False, options=_OPTIONS)(a, b)
    except Exception:
        if not found:
            raise
    finally:
        select_algorithm.clear_preprocessing_fns()
    if len(found) != 1:
        raise Failed("resources", f"Inductor does not use the row: it has {len(found)} choices")
    return found[0]


def table(rows, version):
    """The look-up table of `rows`, which are those of Runtime.results(OPERATION, what="best"), and a text for each
    row that is left out. Under the name "tilewright" it has what was measured, and with what."""
    kept, notes, left_out = {}, [], []
    for one in rows:
        problem = part(one, "problem")
        name = f"{one['device']}+{key(problem)}"
        has_row = "has a row already, of another policy" if name in kept else None
        if why := why_not_proved(one, version) or has_row or why_not_faster(one):
            left_out.append(f"{name}: {why}")
            continue
        kept[name] = [row(problem, part(one, "configuration"))]
        notes.append(about(one, name, version))
    return kept | {"tilewright": notes}, left_out


def use(file):
    """From now on this thread's torch.compile takes products from the table, where max_autotune_gemm is on and
    shapes are static (dynamic=False)."""
    from torch._inductor import config, lookup_table
    from torch._inductor.virtualized import V

    config.lookup_table.table = json.loads(pathlib.Path(file).read_text())
    V.set_choices_handler(lookup_table.LookupTableChoices())


def _main(database, file):
    from .runtime import results

    file = pathlib.Path(file)
    if file.suffix != ".json":
        raise InputError(f"'{file}': the name of a table ends with .json")
    made, left_out = table(results(database, OPERATION, what="best"), version())
    write(json.dumps(made, indent=1) + "\n", file)
    for one in left_out:
        print(one)
    print(f"{len(made) - 1} rows")


if __name__ == "__main__":
    run(_main, "python3 -m tilewright.inductor DATABASE FILE.json")
