#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders are layers: a file includes only its own folder and the folders that ALLOWED lists for it.

usage: layers_test.py SOURCE_FOLDER; one line and status 1 for each include that breaks the table, for each source
folder without a line in it, and for a table whose arrows form a cycle."""
import graphlib
import pathlib
import re
import sys

DEFINITION = "definition definition/expression definition/library definition/manifest definition/text"
# folder: what its files may include, beside include/tilewright and the folder itself.
ALLOWED = {
    "include/tilewright": "",
    "definition/text": "",
}
# A foreign header begins with one of these, and only files below these places may include it.
FOREIGN = {
    "sqlite3.h": "db/tables/sqlite.cpp",
    "toml++/": "definition/manifest",
    "boost/context": "tuner/host",
    "boost/program_options": "tools/input",
    "zlib.h": "tuner/replay",
    "benchmark/": "bench",
    "cuda": "tuner/cuda bench",
    "nvrtc": "tuner/cuda",
    "nvml": "tuner/cuda",
}
# Compiled only as part of what the program writes, with the compiler of whoever asked for it.
WRITTEN = {"tools/show/reproducer_harness.h", "tools/show/reproducer_check.h", "tools/show/reproducer_tensor_map.h"}
INCLUDE = re.compile(r'^#include ([<"])([^>"]+)[>"]', re.MULTILINE)
TOP = ("include", "definition", "tuner", "db", "campaign", "runtime", "bindings", "tools", "bench")


def complaints(root):
    """One sentence for each include of a source file that the tables do not allow."""
    for file in sorted(f for top in TOP for f in (root / top).rglob("*")):
        name = file.relative_to(root).as_posix()
        if file.suffix not in (".hpp", ".cpp", ".h") or name in WRITTEN:
            continue
        folder = file.parent.relative_to(root).as_posix()
        if folder not in ALLOWED:
            yield f"{name}: the folder {folder} has no line in tests/layers_test.py"
            continue
        for bracket, header in INCLUDE.findall(file.read_text()):
            if bracket == "<":
                places = [p for begin, p in FOREIGN.items() if header.startswith(begin)]
                if places and not any(name.startswith(p) for p in places[0].split()):
                    yield f"{name} includes <{header}>: only {places[0]} may"
                continue
            target = pathlib.PurePosixPath(header).parent.as_posix()
            if (root / header).exists() and target not in (folder, *ALLOWED[folder].split()):
                yield f"{name} includes {header}: {folder} may include {ALLOWED[folder] or 'no other folder'}"


def main():
    root = pathlib.Path(sys.argv[1])
    bad = list(complaints(root))
    try:
        list(graphlib.TopologicalSorter({f: a.split() for f, a in ALLOWED.items()}).static_order())
    except graphlib.CycleError as error:
        bad.append("a cycle in the table: " + " -> ".join(error.args[1]))
    print("\n".join(bad))
    sys.exit(bool(bad))


main()
