"""vLLM's tables of configurations for mixtures of experts, from sweeps of its own kernels (docs/evaluator.md).

    python3 -m tilewright.vllm DATABASE FOLDER   writes FOLDER/E=…,N=…,device_name=….json

vLLM takes the row of the nearest batch size. So a table also has vLLM's own configuration for each batch size at which no
other one was at least 1 % faster, in the final of a sweep with the versions that are installed."""

import importlib.metadata
import json
import pathlib
import re

from ._files import write
from ._tables import about, part, run, why_not_faster, why_not_proved

__all__ = ["default_row", "row", "tables", "version"]

OPERATION = "fused_moe/vllm"


def version():
    """Of vLLM and Triton, as the sweeps' manifest tells it."""
    return "_".join(f"{name}_{importlib.metadata.version(name)}" for name in ("vllm", "triton"))


def row(configuration):
    """What a table has for a configuration; None for vLLM's default."""
    if configuration["ROW"] == "default":
        return None
    return {re.sub(r"_(?=[MNK]$)", "_SIZE_", name): value for name, value in configuration.items() if name != "ROW"}


def file_name(problem, device):
    name = re.sub(r"[\s/]+", "_", device)
    name = "NVIDIA_H200" if "H200" in name.split("_") else name  # one table for all of these
    return f"E={problem['experts']},N={problem['N']},device_name={name}.json"


def default_row(problem):
    """What vLLM uses for it now."""
    from vllm.model_executor.layers.fused_moe.fused_moe import try_get_optimal_moe_config

    tokens, top, experts, n, k = (problem[name] for name in ("tokens", "top", "experts", "N", "K"))
    return try_get_optimal_moe_config((experts, 2 * n, k), (experts, k, n), top, None, tokens)


def tables(rows, version):
    """By the file's name, the tables of `rows`, which are those of Runtime.results(OPERATION, what="best"); what was
    measured, in the same way; and a text for each batch size without a row of its own, or with vLLM's."""
    made, notes, said = {}, {}, []
    for one in rows:
        problem = part(one, "problem")
        file, batch = file_name(problem, one["device"]), str(problem["tokens"])
        table = made.setdefault(file, {})
        why = why_not_proved(one, version) or ("has a row already, of another problem or policy" if batch in table else None)
        slow = why or why_not_faster(one)
        if slow:
            said.append(f"{file}: {batch} tokens: {slow}{'' if why else '; it keeps its default'}")
        if not why:
            table[batch] = default_row(problem) if slow else row(part(one, "configuration"))
            notes.setdefault(file, []).append(about(one, batch, version) | {"is_default": bool(slow)})
    for file in list(made):
        if all(one["is_default"] for one in notes.get(file, [])):
            said.append(f"{file}: no batch size is faster than with vLLM's default")
            del made[file]
        else:
            made[file] = dict(sorted(made[file].items(), key=lambda item: int(item[0])))
    return made, notes, said


def _main(database, folder):
    from .runtime import results

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    made, notes, said = tables(results(database, OPERATION, what="best"), version())
    for file, table in made.items():
        write(json.dumps(table, indent=4) + "\n", folder / file)
        write(json.dumps(notes[file], indent=1) + "\n", folder / f"{file}.tilewright")
    for old in sorted(folder.glob("*.json.tilewright")):
        if old.stem not in made:
            said.append(f"{old.stem}: stays as an earlier call wrote it")
    for one in said:
        print(one)
    print(f"{len(made)} tables")


if __name__ == "__main__":
    run(_main, "python3 -m tilewright.vllm DATABASE FOLDER")
