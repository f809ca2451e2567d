#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders are layers: a file includes only its own folder and the folders that ALLOWED lists for it.

usage: layers_test.py SOURCE_FOLDER; one line and status 1 for each include that breaks the table, for each source
folder without a line in it or with more than 24 sources, and for a table whose arrows form a cycle."""
import graphlib
import pathlib
import re
import sys
import tempfile

# folder: what its files may include, beside include/tilewright and the folder itself. A name stands for all folders
# below it too; with "/" at its end for that folder alone. A folder includes only what stands above it here.
ALLOWED = {
    "include/tilewright": "",
    "definition/text": "",
    "definition/expression": "definition/text",
    "definition": "definition/expression definition/text",
    "definition/json": "definition/ definition/text",
    "definition/toml": "definition/ definition/expression definition/text",
    "definition/manifest": "definition/ definition/expression definition/text definition/toml",
    "definition/library": "definition/ definition/manifest definition/text definition/toml",
    "tuner/plan": "definition",
    "tuner/backend": "definition tuner/plan",
    "tuner/toolchain": "tuner/backend",
    "tuner/measure": "tuner/backend",
    "tuner/verify": "definition tuner/backend tuner/plan",
    "tuner/verify/references": "definition/text tuner/backend tuner/verify/",
    "tuner/space": "definition tuner/backend tuner/plan",
    "tuner/search": "definition/text",
    "tuner/foreign": "definition/json definition/text tuner/search",
    "tuner/replay": "tuner/backend tuner/foreign tuner/search",
    "tuner/sweep": "definition tuner/backend tuner/measure tuner/plan tuner/search tuner/space",
    "tuner/sweep/prepare": "definition tuner/backend tuner/plan tuner/search tuner/space tuner/sweep/",
    "tuner/sweep/devices": "definition tuner/backend tuner/measure tuner/plan tuner/sweep/",
    "tuner/sweep/run": "definition tuner/backend tuner/plan tuner/search tuner/space tuner/sweep/ "
                       "tuner/sweep/devices tuner/sweep/prepare",
    "tuner/host/compile": "definition definition/text tuner/backend tuner/plan tuner/toolchain",
    "tuner/cuda/compile": "definition/text tuner/backend tuner/cuda/libraries tuner/plan tuner/toolchain",
    "tuner/cuda/device": "definition/text tuner/backend tuner/verify",
    "tuner/cuda/libraries": "tuner/backend tuner/cuda/device",
    "tuner/cuda/launch": "tuner/backend tuner/cuda/device tuner/cuda/libraries tuner/plan",
    "tuner/cuda/session": "definition/text tuner/backend tuner/measure tuner/verify tuner/cuda/compile "
                          "tuner/cuda/device tuner/cuda/launch tuner/cuda/libraries",
    "tuner/cuda": "tuner/backend tuner/cuda/compile tuner/cuda/device tuner/cuda/launch tuner/cuda/libraries "
                  "tuner/cuda/session",
    "tuner/host/threads": "definition/text tuner/backend tuner/plan tuner/toolchain tuner/host/compile",
    "tuner/host/launch": "tuner/backend tuner/plan tuner/verify tuner/host/compile tuner/host/threads",
    "tuner/host/session": "tuner/backend tuner/measure tuner/verify tuner/host/compile tuner/host/launch",
    "tuner/host": "definition tuner/backend tuner/host/compile tuner/host/launch tuner/host/session",
    "tuner/machine": "definition/text tuner/backend tuner/cuda/ tuner/host/",
    "tuner/worker": "definition/ definition/json definition/text tuner/backend tuner/machine",
    "db/records": "definition/json",
    "db/tables": "definition/ definition/json definition/text db/records",
    "db/derived": "definition/json db/records db/tables",
    "db/store": "definition/text db/derived db/records db/tables",
    "db/exchange": "definition definition/json definition/text db/records db/store",
    "db/ladder": "definition db/records",
    "db/catalog": "definition db/exchange db/ladder db/records db/store",
    "db/header": "definition db/catalog db/ladder db/records db/store",
    "campaign/job": "definition/json definition/text db/records tuner/backend tuner/worker",
    "campaign": "definition db/derived db/exchange db/ladder db/records db/store tuner",
    "runtime/launch": "definition db/ladder tuner/backend tuner/machine tuner/plan",
    "runtime/bundle": "definition db/ladder db/records runtime/launch tuner/backend tuner/machine tuner/plan tuner/worker",
    "runtime/operations": "",
    "runtime": "definition db/catalog db/ladder runtime/bundle runtime/launch tuner/backend tuner/machine tuner/worker",
    "bindings/c": "definition definition/json db/records db/store tuner/backend tuner/machine tuner/worker",
    "tools/input": "definition campaign db tuner tools/print",
    "tools/print": "definition campaign db tuner",
    "tools/help": "definition campaign db tuner tools/input tools/print",
    "tools/show": "definition campaign db tuner tools/input tools/print",
    "tools/results": "definition campaign db runtime tuner tools/input tools/print tools/show",
    "tools/run": "definition campaign db tuner tools/input tools/print tools/results",
    "tools/report": "definition campaign db tuner tools/input tools/print",
    "tools/commands": "definition campaign db runtime tuner tools/help tools/input tools/print "
                      "tools/report tools/results tools/run tools/show",
    "tools": "definition db tools/help tools/input tools/print",
    "bench": "",
    "bench/micro": "definition db runtime tuner",
    "bench/fleet": "bench/micro db",
    "bench/ladder": "bench/micro definition db tools/input tools/print tools/results",
    "bench/study": "definition db tuner tools/input",
    "bench/trust": "definition db tuner tools/input tools/print",
    "bench/peers/cases": "definition tuner",
    "bench/peers/rivals": "definition db tuner tools/input tools/print bench/peers/cases",
    "bench/peers": "definition campaign db tuner tools/input tools/print tools/run bench/peers/cases "
                   "bench/peers/rivals",
}
# A foreign header begins with one of these, and only files below these places may include it.
FOREIGN = {
    "sqlite3.h": "db/tables",
    "toml++/": "definition/toml",
    "boost/context": "tuner/host",
    "boost/program_options": "tools/input",
    "zlib.h": "tuner/foreign",
    "xxhash.h": "definition/text",
    "nlohmann/": "definition tuner/foreign tuner/worker campaign runtime bindings tools bench",
    "benchmark/": "bench",
    "cuda": "tuner/cuda bench",
    "nvrtc": "tuner/cuda",
    "nvml": "tuner/cuda",
    "regex": "nobody",  # std::regex needs stack for each character
}
# Compiled only as part of what the program writes, with the compiler of whoever asked for it.
WRITTEN = {f"tools/show/reproducer_{part}.h" for part in ("check", "cpu", "grid", "harness", "host", "tensor_map")}
MOST_SOURCES = 24
INCLUDE = re.compile(r'^#include ([<"])([^>"]+)[>"]', re.MULTILINE)
TOP = ("include", "definition", "tuner", "db", "campaign", "runtime", "bindings", "tools", "bench")


def allowed_for(folder):
    """Every folder that this one may include."""
    names = ALLOWED[folder].split()
    below = {f for name in names if not name.endswith("/") for f in ALLOWED if f.startswith(name + "/")}
    return below | {name.rstrip("/") for name in names}


def complaints(root):
    """One sentence for each include of a source file that the tables do not allow."""
    for file in sorted(f for top in TOP for f in (root / top).rglob("*")):
        name = file.relative_to(root).as_posix()
        if file.is_dir():
            count = sum(one.suffix in (".hpp", ".cpp") for one in file.iterdir())
            if count > MOST_SOURCES:
                yield f"{name} has {count} sources: more than {MOST_SOURCES} are two rooms"
        if file.suffix not in (".hpp", ".cpp", ".h") or name in WRITTEN:
            continue
        folder = file.parent.relative_to(root).as_posix()
        if folder not in ALLOWED:
            yield f"{name}: the folder {folder} has no line in tests/layers_test.py"
            continue
        for bracket, header in INCLUDE.findall(file.read_text()):
            places = [p for begin, p in FOREIGN.items() if bracket == "<" and header.startswith(begin)]
            if places and not name.startswith(tuple(places[0].split())):
                yield f"{name} includes <{header}>: only {places[0]} may"
            target = pathlib.PurePosixPath(header).parent.as_posix()
            if (root / header).exists() and target not in allowed_for(folder) | {folder}:
                yield f"{name} includes {header}: {folder} may include {ALLOWED[folder] or 'no other folder'}"


def finds_a_wrong_include():
    """Whether a file below the store that includes it, and SQLite's header and a forbidden one, has three complaints."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in (("db/store/store.hpp", ""),
                           ("tuner/space/space.cpp", '#include <sqlite3.h>\n#include <regex>\n#include "db/store/store.hpp"\n')):
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(text)
        return len(list(complaints(root))) == 3


def main():
    root = pathlib.Path(sys.argv[1])
    bad = list(complaints(root))
    if not finds_a_wrong_include():
        bad.append("this test no longer finds a wrong include")
    try:
        list(graphlib.TopologicalSorter({f: allowed_for(f) for f in ALLOWED}).static_order())
    except graphlib.CycleError as error:
        bad.append("a cycle in the table: " + " -> ".join(error.args[1]))
    print("\n".join(bad))
    sys.exit(bool(bad))


main()
