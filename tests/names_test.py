#!/usr/bin/env python3
"""Two types of one name in one namespace of one program are undefined behaviour that neither compiler nor linker reports.

usage: names_test.py SOURCE_FOLDER; one line and status 1 for each name that is defined twice."""
import collections
import pathlib
import re
import sys

SCOPE = re.compile(r"^(inline )?namespace\s*([\w:]*)\s*{|^}  // namespace")
NAME = r"^(?:class|struct|union|enum(?: class)?)\s+([\w:]+(?:<[^{]*>[\w:]*)?)[^;(]*"  # with a specialisation's arguments
TYPE = re.compile(rf"{NAME}$|{NAME}{{.*}};$")
# Linked into every program, so that each test sees their names too.
PRODUCT = ("include", "definition", "tuner", "db", "campaign", "runtime", "bindings", "tools")


def types(file):
    """Qualified names of the types that the file defines outside unnamed namespaces."""
    scopes = []
    for line in file.read_text().splitlines():
        scope = SCOPE.match(line)
        if scope:
            if line.startswith("}"):
                scopes.pop()
            else:
                scopes.append(scope[2])
            continue
        found = TYPE.match(line)
        if found and "" not in scopes:
            yield "::".join([*scopes, found[1] or found[2]])


def sources(folder):
    return sorted(f for f in folder.rglob("*") if f.suffix in (".hpp", ".cpp"))


def main():
    root = pathlib.Path(sys.argv[1])
    bench = root / "bench"
    product = collections.defaultdict(list)
    for part in PRODUCT:
        for file in sources(root / part):
            for name in types(file):
                product[name].append(file)
    groups = [product]
    folders = {f.parent for part in (bench, root / "tests") for f in sources(part)}
    for folder in sorted(folders):
        names = collections.defaultdict(list)
        for file in sources(folder):
            if file.parent == folder:
                for name in types(file):
                    names[name].append(file)
        groups.append({name: product.get(name, []) + files for name, files in names.items()})
    twice = sorted({(name, tuple(files)) for group in groups for name, files in group.items() if len(files) > 1})
    for name, files in twice:
        print(f"{name} is defined in " + " and ".join(str(f.relative_to(root)) for f in files))
    if len(product) < 100:
        print(f"only {len(product)} types found: this test no longer understands the sources")
    sys.exit(bool(twice) or len(product) < 100)


main()
