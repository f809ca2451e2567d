#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether pages stay short, and whether their links lead somewhere and the tests that they name exist.

usage: pages_test.py SOURCE_FOLDER; one line and status 1 for each page, row or link that is not as it should be. A page
of docs/benchmarks has under 1200 words (as wc counts them) and at most 20 rows. If tables has files NAME*.csv for it,
all figures of its rows are in them."""
import pathlib
import re
import sys
import tempfile

WORDS, ROWS, FILES = 1200, 20, 200
LONG = {"raw.md"}  # the list of archives
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?(?:\s\"[^\"]*\")?\)")
FIGURE = re.compile(r"\d+(?:\.\d+)?")


def rows_of(text):
    """Rows of tables, without the names of columns and the line below them."""
    lines = text.split("\n")
    rules = {i for i, line in enumerate(lines) if re.fullmatch(r"\|[-:|]+\|", line)}
    return [line for i, line in enumerate(lines) if line.startswith("|") and i not in rules and i + 1 not in rules]


def too_long(page):
    text = page.read_text()
    words, rows = len(text.split()), rows_of(text)
    if words >= WORDS:
        yield f"{page.name} has {words} words; under {WORDS} are allowed"
    if len(rows) > ROWS:
        yield f"{page.name} has {len(rows)} rows; {ROWS} are allowed, and all may be in tables/{page.stem}.csv"
    tables = list((page.parent / "tables").glob(f"{page.stem}*.csv"))
    known = {figure for table in tables for figure in FIGURE.findall(table.read_text())}
    for row in rows if tables else []:
        if missing := [f for f in FIGURE.findall(re.sub(r"\]\([^)]*\)", "", row)) if f not in known]:
            yield f"{page.name}: no file of tables has {', '.join(missing)} of the row {row}"


def anchors_of(page):
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in plain}


def dead_links(page):
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
    for place, anchor in LINK.findall(text):
        if "://" in place or place.startswith("mailto:"):
            continue
        target = page.parent / place if place else page
        if not target.exists():
            yield f"{page.name}: there is no {place}"
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            yield f"{page.name}: {target.name} has no section #{anchor}"


def missing_tests(root):
    """Of those that docs/security.md names as Suite.Test or Suite.*."""
    page, defined = root / "docs/security.md", set()
    for file in (root / "tests").rglob("*_test.cpp"):
        for suite, name in re.findall(r"^TEST\w*\((\w+), (\w+)\)", file.read_text(), re.M):
            defined |= {f"{suite}.{name}", f"{suite}.*"}
    for name in re.findall(r"`([A-Z]\w+\.(?:[A-Z]\w+|\*))`", page.read_text()) if page.exists() else []:
        if name not in defined:
            yield f"{page.name}: there is no test {name}"


def complaints(root):
    docs = root / "docs"
    yield from missing_tests(root)
    for page in sorted((docs / "benchmarks").glob("*.md")):
        yield from too_long(page) if page.name not in LONG else ()
    for page in [*root.glob("*.md"), *docs.rglob("*.md")]:
        yield from dead_links(page)
    if (files := sum(f.is_file() for f in docs.rglob("*"))) > FILES:
        yield f"docs has {files} files; {FILES} are allowed"


def finds_what_is_wrong():
    """Whether pages with too many words and rows, a figure of nowhere, two dead links and no test have six complaints."""
    with tempfile.TemporaryDirectory() as folder:
        benchmarks = pathlib.Path(folder) / "docs/benchmarks"
        (benchmarks / "tables").mkdir(parents=True)
        (benchmarks / "tables/a.csv").write_text("a,row,1\n")
        table = "| a |\n|---|\n" + "| 1 |\n" * ROWS + "| 2 |\n"
        links = "[no file](b.md) [no section](a.md#b) [one](#a)\n"
        (benchmarks / "a.md").write_text(f"# A\n\n{table}\n{links}" + "word " * WORDS)
        (benchmarks.parent / "security.md").write_text("`Suite.Test`")
        return len(list(complaints(pathlib.Path(folder)))) == 6


def main():
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print(*found, sep="\n")
    return 1 if found or not finds_what_is_wrong() else 0


sys.exit(main())
