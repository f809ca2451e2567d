#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Builds the documentation as a site, with MkDocs and its theme Material. A link that leads nowhere is an error.

    tools/site.py FOLDER [PROGRAM]    writes the pages into FOLDER/site; PROGRAM is tilewright, by default of build/release

The pages are README.md, docs and their neighbours, unchanged, with all files of the repository that they link to. Links to
folders lead to a page that lists them. tools/reference.py writes further pages.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import venv

import reference

TREE = pathlib.Path(__file__).resolve().parents[1]
TOOLS = ["mkdocs==1.6.1", "mkdocs-material==9.8.2"]
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *(f"docs/{place}/*.md" for place in (".", "benchmarks"))]
LINK = re.compile(r"""(\]\()([^)\s#]*)((?:#[^)\s]*)?(?:\s"[^"]*")?\))""")
CONFIGURATION = """
site_name: tilewright
docs_dir: source
site_dir: site
theme: {name: material, font: false}
plugins: [search]
markdown_extensions:
  - tables
  - fenced_code
  - toc: {slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
validation:
  nav: {omitted_files: ignore}
  links: {not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: warn}
nav:
  - Overview: README.md
  - Start:
      - Installing: docs/install.md
      - Tutorial: docs/tutorial.md
      - Your kernel: docs/your-kernel.md
      - CUDA C++: docs/cuda-cpp.md
      - C and Python: docs/c-and-python.md
      - PyTorch, CuPy, JAX: docs/pytorch.md
      - From Kernel Tuner: docs/kernel-tuner.md
      - Many problems and machines: docs/fleet.md
  - In a program:
      - Looking up: docs/catalog.md
      - Launching: docs/runtime.md
      - Tuning: docs/tune.md
      - Epilogues: docs/hooks.md
      - Shipping results: docs/shipping.md
  - Reference:
      - Commands: reference/commands.md
      - Manifests: docs/manifest.md
      - "Manifests: operations": docs/manifest-operation.md
      - "Manifests: implementations": docs/manifest-implementation.md
      - "Manifests: launches": docs/manifest-launch.md
      - Evaluators: docs/evaluator.md
      - "Manifests: sources": docs/manifest-source.md
      - Keys of manifests: reference/manifest-keys.md
      - C++: reference/cpp.md
      - C: reference/c.md
      - Python: reference/python.md
      - Database: docs/database.md
      - Search: docs/search.md
      - Measurement: docs/measurement.md
      - Report: docs/report.md
      - Reproducing: docs/reproduce.md
      - Compatibility: docs/compatibility.md
      - Security: docs/security.md
      - Glossary: docs/glossary.md
  - The project:
      - Architecture: docs/ARCHITECTURE.md
      - Contributing: CONTRIBUTING.md
      - Changelog: CHANGELOG.md
"""


def listing(folder):
    """A page that links to the files of a folder."""
    names = sorted(f.name + "/" * f.is_dir() for f in folder.iterdir())
    return f"# {folder.relative_to(TREE)}\n\n" + "".join(f"- `{name}`\n" for name in names)


def bring(target, source):
    """Puts what a page links to into the source of the site. Returns whether it is a folder, which gets a page."""
    place = source / target.relative_to(TREE)
    if target.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        (place / "index.md").write_text(listing(target))
        return True
    if target.is_file() and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".md":
            add_page(target, source)
        else:
            shutil.copy(target, place)
    return False


def add_page(page, source):
    place = source / page.relative_to(TREE)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("")  # it is on its way: pages link to each other

    def followed(link):
        begin, path, end = link.groups()
        target = (page.parent / path).resolve()
        if not path or "://" in path or not target.is_relative_to(TREE):
            return link[0]
        return f"{begin}{path.rstrip('/')}/index.md{end}" if bring(target, source) else link[0]

    place.write_text(LINK.sub(followed, page.read_text()))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else TREE / "build/release/bin/tilewright")
    if not program.exists():
        sys.exit(f"site.py: there is no {program}; build the target tilewright, or name the program")
    folder = pathlib.Path(sys.argv[1]).resolve()
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    for pattern in PAGES:
        for page in sorted(TREE.glob(pattern)):
            add_page(page, source)
    reference.write(source / "reference", program)
    (folder / "mkdocs.yml").write_text(CONFIGURATION)
    if not (folder / "tools/bin/mkdocs").exists():
        venv.create(folder / "tools", with_pip=True)
        pip = [folder / "tools/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *TOOLS], check=True)
    mkdocs = [folder / "tools/bin/mkdocs", "build", "--strict", "--config-file", folder / "mkdocs.yml"]
    return subprocess.run(mkdocs).returncode


if __name__ == "__main__":
    sys.exit(main())
