#!/usr/bin/env python3
"""Writes the slowest tests of `ctest --output-junit` into docs/tests.md, as tools/test.sh leaves them:

    tests/times.py build/asan/tests.xml build/release/tests.xml
"""
import pathlib
import re
import sys
import xml.etree.ElementTree

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs/tests.md"
SLOWEST = 30


def cases(file):
    suite = xml.etree.ElementTree.parse(file).getroot()
    build = pathlib.Path(file).resolve().parent.name
    return [(float(case.get("time")), case.get("name"), build) for case in suite.iter("testcase") if case.get("status") == "run"]


def table(every):
    lines = [f"{len(every)} tests, {sum(time for time, _, _ in every) / 60:.1f} minutes one after the other.\n",
             "| test | build | s |", "|---|---|---|"]
    lines += [f"| `{name}` | {build} | {time:.1f} |" for time, name, build in sorted(every, reverse=True)[:SLOWEST]]
    return "\n".join(lines)


def main():
    every = [case for file in sys.argv[1:] for case in cases(file)]
    page = PAGE.read_text()
    PAGE.write_text(re.sub(r"(<!-- times -->\n).*?(?=<!-- end -->)", lambda found: found[1] + table(every) + "\n", page, flags=re.DOTALL))


if __name__ == "__main__":
    main()
