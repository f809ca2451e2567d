#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Writes the pages of the reference from the texts that are the contract: the comments of the public headers, the
docstrings of the Python package, the help of the program, and the tables of docs/manifest*.md.

    tools/reference.py FOLDER PROGRAM    writes cpp.md, c.md, python.md, commands.md and manifest-keys.md; PROGRAM is
                                         tilewright
"""

import pathlib
import re
import subprocess
import sys

import python_reference

TREE = pathlib.Path(__file__).resolve().parents[1]
HEADERS = TREE / "include/tilewright"
# At the outermost level, what a header has besides comments and declarations.
FRAME = re.compile(r'#|/[/*] SPDX| \* SPDX|namespace tilewright {|extern "C" {|}')
NAME = re.compile(r"(?:class|struct|enum(?: class)?|union)\s+(\w+)|\b(?:using|namespace)\s+(\w+)|(\w+|operator\S+)\s*[({=;]")


def parts_of(text):
    """The parts of a header in their order: ("comment", lines), ("code", lines), and ("gap", []) between them. A comment is
    a part of its own if it begins at the outermost level; inside a class it belongs to the code."""
    parts, depth, in_comment = [("gap", [])], 0, False
    for line in text.split("\n"):
        if in_comment or (depth == 0 and line.startswith(("//", "/*")) and not FRAME.match(line)):
            kind = "comment"
            in_comment = (in_comment or line.startswith("/*")) and "*/" not in line
        elif depth == 0 and (FRAME.match(line) or not line.strip()):
            kind = "gap"
        else:
            kind = "code"
            bare = re.sub(r"//.*|/\*.*?\*/|\"[^\"]*\"|'.'", "", line)
            depth += bare.count("{") - bare.count("}")
        if parts[-1][0] != kind:
            parts.append((kind, []))
        parts[-1][1].append(line)
    return parts


def comment_text(lines):
    """The text of a comment. Lines that are indented, but not in a list, are code."""
    text = "\n".join(re.sub(r"^(//|/\*|   ?| \*) ?", "", line.replace("*/", "")).rstrip() for line in lines)
    paragraphs = []
    for paragraph in re.sub(r"^---- ", "", text.strip()).split("\n\n"):
        if not paragraph.startswith("- "):
            paragraph = re.sub(r"((?:^  .*\n?)+)", r"\n```text\n\1```\n", paragraph, flags=re.MULTILINE)
        paragraphs.append(paragraph)
    blocks = re.split(r"(```text\n.*?```)", "\n\n".join(paragraphs), flags=re.DOTALL)
    return "".join(block if block.startswith("```") else escaped(block) for block in blocks)


def name_of(code):
    found = NAME.search(re.sub(r"template <[^>]*>|\[\[\w+\]\]", "", " ".join(code)))
    return next(filter(None, found.groups()), None) if found else None


def header_section(header, language):
    """A heading for the header, then headings for its declarations, with the comment before each as text."""
    text, comments, last = [f"## {header.name}"], [], None
    for kind, lines in parts_of(header.read_text()):
        if kind == "comment":
            comments.append(comment_text(lines))
        elif kind == "gap":  # the comment is about all that follows
            text += comments
            comments = []
        elif (name := name_of(lines)) != "detail":
            heading = [f"### `{name}`"] if name and name != last else []
            text += [*heading, *comments, f"```{language}\n" + "\n".join(lines) + "\n```"]
            comments, last = [], name
    return "\n\n".join(text)


def escaped(text):
    """Text of a comment as Markdown shows it unchanged. What stands between backquotes is code there, too."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if i % 2 else re.sub(r"([\\`*_<>\[\]#|])", r"\\\1", part) for i, part in enumerate(parts))


def headers_page(title, about, suffix, language):
    sections = [header_section(header, language) for header in sorted(HEADERS.glob(f"*{suffix}"))]
    return "\n\n".join([f"# {title}", about, *sections]) + "\n"


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commands_page(program):
    overview = output_of(program, "--help")
    names = re.findall(r"^  (\w+(?: \w+)?)  +[A-Z]", overview, re.MULTILINE)
    about = "The texts of `tilewright --help` and `tilewright COMMAND --help`."
    text = [f"# Commands\n\n{about}\n\n```text\n{overview.rstrip()}\n```"]
    for name in names:
        text.append(f"## `tilewright {name}`\n\n```text\n{output_of(program, *name.split(), '--help').rstrip()}\n```")
    return "\n\n".join(text) + "\n"


def slug(heading):
    """The anchor of a heading, as GitHub and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def manifest_keys():
    """(key, page, section, type, default) for each key in the tables of docs/manifest*.md."""
    for page in sorted((TREE / "docs").glob("manifest*.md")):
        for key, *about in keys_of(page.read_text().split("\n")):
            yield key, page.name, *about


def keys_of(lines):
    section, columns = "", []
    for line in lines:
        if line.startswith("#"):
            section, columns = line.lstrip("# "), []
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and cells[0] == "key":
            columns = cells
        elif not cells:
            columns = []
        elif columns and not set(cells[0]) <= set("-: "):
            row = dict(zip(columns, cells))
            for key in re.findall(r"`([^`]+)`", row["key"]):
                yield key, section, row.get("type", ""), row.get("default", "")


def manifest_page():
    rows = [
        f"| `{key}` | [{section}](../docs/{page}#{slug(section)}) | {type_} | {default} |"
        for key, page, section, type_, default in sorted(manifest_keys(), key=lambda row: (row[0], row[2]))
    ]
    about = "All keys of a manifest, with the section of [its specification](../docs/manifest.md) that has their meaning."
    return "\n".join(["# Keys of a manifest", "", about, "", "| key | in | type | default |", "|---|---|---|---|", *rows]) + "\n"


def write(folder, program):
    cpp = "The public headers of C++, with the comments that are their contract. [docs/runtime.md](../docs/runtime.md) shows them in use."
    c = "The public headers of C, with the comments that are their contract. [docs/c-and-python.md](../docs/c-and-python.md) shows them in use."
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cpp.md").write_text(headers_page("C++", cpp, ".hpp", "cpp"))
    (folder / "c.md").write_text(headers_page("C", c, ".h", "c"))
    (folder / "python.md").write_text(python_reference.page(escaped))
    (folder / "commands.md").write_text(commands_page(program))
    (folder / "manifest-keys.md").write_text(manifest_page())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(pathlib.Path(sys.argv[1]), sys.argv[2])


if __name__ == "__main__":
    main()
