#!/usr/bin/env python3
"""Describes the files of a release: SHA256SUMS, NOTES.md (its part of CHANGELOG.md), and an index for
`pip install --index-url file://FOLDER/simple tilewright`. tools/package.sh release calls it.

    release.py CHANGELOG VERSION FOLDER
"""

import hashlib
import pathlib
import re
import sys


def notes(changelog, version):
    part = re.search(rf"^## {re.escape(version)}\n+(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    if not part or not part[1].strip():
        sys.exit(f"tilewright release: CHANGELOG.md has no part '## {version}'")
    return f"# tilewright {version}\n\n{part[1].strip()}\n"


def describe(changelog, version, folder):
    text = notes(changelog, version)
    files = sorted([*folder.glob("*.whl"), *folder.glob("*.deb")])
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    links = [f'<a href="../../{name}#sha256={hashes[name]}">{name}</a><br>\n' for name in hashes if name.endswith(".whl")]
    index = folder / "simple/tilewright/index.html"
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_text("<!DOCTYPE html>\n" + "".join(links))
    (folder / "NOTES.md").write_text(text)
    (folder / "SHA256SUMS").write_text("".join(f"{hashes[name]}  {name}\n" for name in hashes))


if __name__ == "__main__":
    describe(pathlib.Path(sys.argv[1]).read_text(), sys.argv[2], pathlib.Path(sys.argv[3]))
