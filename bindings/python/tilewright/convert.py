"""Writes a manifest for a tuning problem of Kernel Tuner, KTT or BAT (T1).

    python3 -m tilewright.convert convolution.json -o convolution.toml

docs/kernel-tuner.md says what becomes what. The exit status is 0, 2 if the problem cannot become a manifest, or 3 if
the manifest cannot be written.
"""

import argparse
import json
import os
import pathlib
import shlex
import sys
import tempfile

from ._files import write
from ._kernel_tuner.t1 import read_t1
from .errors import InputError, TilewrightError
from .runtime import Runtime

_MOST_BYTES = 16 << 20
_BAD_INPUT, _MACHINE = 2, 3


def _json_of(file):
    try:
        with open(file, "rb") as stream:
            text = stream.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError("there is no such file") from None
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}") from None
    if len(text) > _MOST_BYTES:
        raise InputError(f"it is larger than {_MOST_BYTES >> 20} MiB, the most for a tuning problem")
    try:
        return json.loads(text)  # with NaN and Infinity, as Python writes them
    except RecursionError:
        raise InputError("its JSON nests too deeply") from None
    except ValueError as error:
        raise InputError(f"it is not JSON: {error}") from None


def _check_output(output, file):
    if not output.exists() or output.is_file():
        if output.suffix != ".toml":
            raise InputError(f"--output '{output}': the name of a manifest ends with .toml")
    if output.is_file() and output.read_bytes()[:16] == b"SQLite format 3\0":
        raise InputError(f"--output '{output}' is a database; name another file")
    if output.is_file() and file.exists() and output.samefile(file):
        raise InputError(f"--output '{output}' is the file that is converted; name another")


def _converted(file, manifest):
    """The manifest's text and the problem. What the library would not read is refused."""
    problem = read_t1(_json_of(file), file.parent)
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        probe = pathlib.Path(folder, manifest.name)
        probe.write_text(problem.manifest(folder), encoding="utf-8")
        name, kernels = problem.generators
        pathlib.Path(folder, name).write_text(kernels, encoding="utf-8")
        try:
            Runtime(None, [], manifests=probe, shipped=[], bundles=[])
        except TilewrightError as error:
            reason = str(error).replace(f"{folder}{os.sep}", "")
            raise InputError(f"the manifest would not be accepted: {reason}") from None
    return problem.manifest(manifest.parent), problem


def _shown(text):
    """Text from elsewhere without what a terminal obeys."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _told(text):
    print(_shown(text), file=sys.stderr)


def main(words=None):
    """Runs the command with these words, by default those of the process. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m tilewright.convert",
        description="Writes a manifest for a tuning problem of Kernel Tuner, KTT or BAT (T1).",
    )
    parser.add_argument("file", metavar="FILE", type=pathlib.Path, help="the problem, such as problem.json")
    parser.add_argument(
        "-o", "--output", metavar="MANIFEST", type=pathlib.Path,
        help="write here; standard output by default. Paths in the manifest are relative to its folder.",
    )  # fmt: skip
    given = parser.parse_args(words)
    try:
        if given.output:
            _check_output(given.output, given.file)
        try:
            text, problem = _converted(given.file, given.output or pathlib.Path("problem.toml"))
            name, kernels = problem.generators
            if kernels and not given.output:
                raise InputError("what a Generator fills needs a second file; give --output")
            if kernels and given.output.with_name(name).resolve() == problem.source.resolve():
                raise InputError(f"its kernel is in {name}, which --output would replace; name another folder")
        except InputError as error:
            raise InputError(f"{given.file}: {error}") from None
        if given.output:
            if kernels:
                write(kernels, given.output.with_name(name))
            write(text, given.output)
        else:
            sys.stdout.write(text)
    except InputError as error:
        _told(f"tilewright: {error}")
        return _BAD_INPUT
    except OSError as error:
        _told(f"tilewright: {given.output} cannot be written: {error.strerror}")
        return _MACHINE
    for note in problem.notes:
        _told(f"note: {note}")
    if given.output:
        _told(f"next: tilewright plan {shlex.quote(str(given.output))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
