#!/usr/bin/env python3
"""Whether the pages of tools/reference.py have all that they are made from.

usage: reference_test.py SOURCE_FOLDER TILEWRIGHT; one line and status 1 for each thing that is missing."""
import ast
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import tomllib
except ImportError:
    print("skipped: Python 3.11 is the first that reads TOML")
    sys.exit(77)

# Tables whose keys are names of the author's own.
OWN = ("problem", "vary", "macros")


def missing_lines(header, page):
    """Lines of a header that the page has neither as code nor as the text of a comment."""
    shown = page.replace("\\", "")
    detail = False
    for number, line in enumerate(header.read_text().split("\n"), 1):
        detail = (detail or line == "namespace detail {") and line != "}  // namespace detail"
        words = line.replace("\\", "").lstrip("/* ").removesuffix("*/").removeprefix("---- ").strip()
        is_frame = line.startswith(("#", "namespace", "}", 'extern "C"')) or "SPDX-" in line
        if words and not detail and not is_frame and words not in shown:
            yield f"{header.name}:{number}: {line}"


def keys_of(table, path):
    """(path of the table, key) for each key of the tables below it that have a section of their own."""
    for key, value in table.items():
        yield path, key
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict) and key not in OWN:
                yield from keys_of(inner, f"{path}.{key}" if path else key)


def missing_keys(manifest, rows):
    sections = {row.split("[`")[1].split("`]")[0].strip("[]") for row in rows if "[`" in row}
    for path, key in keys_of(tomllib.loads(manifest.read_text()), ""):
        in_section = [row for row in rows if f"[{path}]" in row and row.startswith(f"| `{key}` |")]
        if path in sections and not in_section:
            yield f"{manifest}: {path} has the key '{key}'"


def missing_docstrings(package, page):
    """Public names of the package, and lines of their docstrings, that the page lacks."""
    shown = page.replace("\\", "")
    names = set()
    for file in (package / "_public.py", package / "_operations.py", package / "torch_ops/__init__.py"):
        found = re.search(r"^__all__ = (\[.*?\])", file.read_text(), re.MULTILINE | re.DOTALL)
        names |= set(ast.literal_eval(found[1])) - {"kernel_tuner"}  # a module
    for name in names:
        if f"\n### `{name}`\n" not in page:
            yield f"the name {name}"
    nodes = (node for file in package.rglob("*.py") for node in ast.walk(ast.parse(file.read_text())))
    for node in nodes:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names:
            for line in (ast.get_docstring(node) or "").replace("\\", "").split("\n"):
                if line.strip() not in shown:
                    yield f"{node.name}: {line}"


def main():
    source, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        reference = [sys.executable, "-B", source / "tools/reference.py", folder, program]
        subprocess.run(reference, check=True)
        pages = {page.stem: page.read_text() for page in pathlib.Path(folder).iterdir()}
    missing = []
    for header in sorted((source / "include/tilewright").iterdir()):
        missing += missing_lines(header, pages["c" if header.suffix == ".h" else "cpp"])
    missing += missing_docstrings(source / "bindings/python/tilewright", pages["python"])
    for command in sorted((source / "tools/commands").glob("*.cpp")):
        name = command.stem.replace("_", " ")
        if f"\n## `tilewright {name}`\n" not in pages["commands"]:
            missing.append(f"the command {name}")
    rows = pages["manifest-keys"].split("\n")
    manifests = [*source.glob("kernel_templates/**/*.toml"), *source.glob("examples/**/*.toml")]
    for manifest in manifests:
        missing += missing_keys(manifest, rows)
    print(*missing, sep="\n")
    return 1 if missing or len(manifests) < 20 else 0


sys.exit(main())
