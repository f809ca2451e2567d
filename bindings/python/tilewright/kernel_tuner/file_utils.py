"""What scripts use of kernel_tuner.file_utils: files in the T4 format."""

import json
import pathlib
import platform

from ..runtime import version

_SCHEMA = "1.0.0"


def store_output_file(output_filename, results, tune_params, objective="time"):
    """Writes the results of tune_kernel as T4 results, which `tilewright import --as` and
    `tilewright replay` read, too. A name without .json gets it."""
    rows = [
        {
            "configuration": {name: result[name] for name in tune_params},
            "times": {"runtimes": [result["time"]]},
            "invalidity": "correct",
            "correctness": 1,
            "measurements": [
                {"name": name, "value": value, "unit": "ms" if name == "time" else ""}
                for name, value in result.items()
                if name not in tune_params
            ],
            "objectives": [objective],
        }
        for result in results
    ]
    metadata = {"timeunit": "milliseconds"}
    _write(output_filename, {"results": rows, "schema_version": _SCHEMA, "metadata": metadata})


def store_metadata_file(metadata_filename):
    """Writes which software made the results. (The device is in what tune_kernel returns.)"""
    metadata = {
        "operating_system": platform.system(),
        "environment": {"requirements": [f"tilewright=={version()}"]},
    }
    _write(metadata_filename, {"metadata": metadata, "schema_version": _SCHEMA})


def _write(name, document):
    file = pathlib.Path(name)
    if file.suffix != ".json":
        file = file.with_name(file.name + ".json")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=2, default=_plain))


def _plain(number):
    """NumPy's numbers, which functions for metrics return, as Python's."""
    if hasattr(number, "item"):
        return number.item()
    raise TypeError(f"{number!r} cannot be stored")
