#!/usr/bin/env python3
"""Runs the examples of one page of the documentation from their own text.

usage: run_examples.py PAGE --source FOLDER --tilewright PROGRAM [--library FILE] [--cache FOLDER]
                       [--cc COMPILER] [--cxx COMPILER] [--gpu]

All blocks of a page run in order in one temporary folder with a database of its own. The fence names
the kind of a block: sh (every line is run), console (the lines after `$ ` are run), cpp, c, python, toml,
and cuda, cmake or text, which are not run. C++ is compiled; C and Python are run; `tilewright kernels` reads TOML,
and `plan` an epilogue.
A C, C++ or Python block without main or imports of its own stands in the place of EXAMPLE in fragment.*.

A comment `<!-- example: … -->` above a block says how it differs, one item a line:
  gpu                  it needs a GPU: it runs only with --gpu, whose status is 77 where none of them can run
  needs NAME…          programs or Python modules without which it is skipped
  first COMMAND        what the shell runs before it, hidden from the reader
  replace TEXT by TEXT smaller sizes, so that it runs on any machine
  from FILE            the block is an excerpt of that file, and is not run
  as FILE              the block is stored under that name, for the blocks after it
  within FILE          it stands in the place of EXAMPLE in that file of tests/docs
  continues            the previous block of its kind is part of it
  runs                 C++ that needs no library: it is linked and run
  shows                the lines that are not commands are in the output
  status N             the exit status of its last command
  not run: REASON      why it cannot run"""
import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RUN = ("sh", "console", "cpp", "c", "python", "toml")
ITEMS = ("gpu", "needs", "first", "replace", "from", "as", "within", "continues", "runs", "shows", "status", "not")
MARK = re.compile(r"<!-- example:\s*(.*?)\s*-->\s*$", re.DOTALL)
SKIPPED = 77


class Bad(Exception):
    """An example that fails, or a page that cannot be understood."""


class Block:
    def __init__(self, page, line, kind, text, mark):
        self.place, self.kind, self.text = f"{page}:{line}", kind, text
        self.items = []
        for item in filter(None, (part.strip() for part in (mark or "").split("\n"))):
            key, _, rest = item.partition(" ")
            if key not in ITEMS or (key == "not" and not rest.startswith("run: ")):
                raise Bad(f"{self.place}: unknown item '{item}' in the comment of an example")
            self.items.append((key, rest.strip()))
        if kind not in (*RUN, "cuda", "cmake", "text"):
            raise Bad(f"{self.place}: a block of the unknown kind '{kind}'; run_examples.py lists the kinds")
        if kind in ("cuda", "cmake") and not any(self.has(key) for key in ("not", "from", "as")):
            raise Bad(f"{self.place}: a block of the kind '{kind}' needs 'from', 'as' or 'not run: REASON'")
        for old, _, new in (rest.partition(" by ") for rest in self.all("replace")):
            if old not in text:
                raise Bad(f"{self.place}: nothing to replace: the block has no '{old}'")
            self.text = self.text.replace(old, new)

    def has(self, key):
        return any(k == key for k, _ in self.items)

    def all(self, key):
        return [rest for k, rest in self.items if k == key]

    def one(self, key, default=None):
        return next(iter(self.all(key)), default)


def blocks_of(page):
    """Every fenced block. An indented one is an error, because nothing says of which kind it is."""
    lines = page.read_text().split("\n")
    found, before, i = [], 0, 0
    while i < len(lines):
        fence = re.match(r"```(.*?)\s*$", lines[i])
        if fence:
            end = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip() == "```"), None)
            if end is None:
                raise Bad(f"{page.name}:{i + 1}: the block has no end")
            mark = MARK.search("\n".join(lines[before:i]).rstrip())
            found.append(Block(page.name, i + 1, fence[1], "\n".join(lines[i + 1:end]) + "\n", mark and mark[1]))
            i = before = end + 1
            continue
        if re.match(r" {4,}\S", lines[i]) and i and not lines[i - 1].strip():
            raise Bad(f"{page.name}:{i + 1}: an indented block; put it between ``` and ```, with its kind")
        i += 1
    return found


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder, self.earlier = options, folder, {}
        (folder / "bin").mkdir()
        for program in (options.tilewright, options.tilewright.parent / "tilewright-worker"):
            (folder / "bin" / program.name).symlink_to(program)
        python = folder / "bin" / "python3"  # no link: Python finds its packages beside its own path
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        for name in ("examples", "kernel_templates", "docs", "shipped_results", "bindings", "tests"):
            (folder / name).symlink_to(options.source / name)
        package = folder / "python" / "tilewright"  # as pip installs it
        shutil.copytree(options.source / "bindings" / "python" / "tilewright", package)
        for name in ("kernel_templates", "shipped_results"):
            (package / name).symlink_to(options.source / name)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("TILEWRIGHT_")} | {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}:/usr/local/cuda/bin",
            "TILEWRIGHT_LOCKS": str(folder / "locks"),  # no other page's sweep keeps the device
            "TILEWRIGHT_DB": str(folder / "results.db"),
            "TILEWRIGHT_CACHE": str(options.cache or folder / "cache"),
            "TILEWRIGHT_KERNELS": str(options.source / "kernel_templates"),
            "TILEWRIGHT_LIBRARY": str(options.library or ""),
            "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1",
            "PAGER": "cat"} | ({} if options.gpu else {"CUDA_VISIBLE_DEVICES": ""})

    def call(self, block, command, status=0):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != status:
            shown = " ".join(map(str, command)) if len(command) < 9 else str(command[0])
            raise Bad(f"{block.place}: status {done.returncode}, not {status}, of\n{shown}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def shell(self, block, text, status=0):
        return self.call(block, ["bash", "-euo", "pipefail", "-c", text], status)

    def missing(self, block):
        """What the block needs and this machine has not."""
        names = " ".join(block.all("needs")).split()
        if block.kind in ("c", "python") and not self.options.library:
            return "libtilewright.so"
        return next((name for name in names if not shutil.which(name, path=self.environment["PATH"])
                     and not importlib.util.find_spec(name)), None)

    def whole(self, block):
        """The block as a file that can be compiled or run."""
        text = block.text
        if block.has("continues"):
            text = self.earlier[block.kind] + text
        self.earlier[block.kind] = text
        within = block.one("within")
        if not within and (block.kind == "toml" or re.search(r"\bint main\(", text)):
            return text
        extension = {"python": "py"}.get(block.kind, block.kind)
        frame = (HERE / (within or f"fragment.{extension}")).read_text()
        includes = "".join(line + "\n" for line in text.split("\n") if line.startswith("#include"))
        rest = "\n".join(line for line in text.split("\n") if not line.startswith("#include"))
        indent = re.search(r"^( *)EXAMPLE$", frame, re.MULTILINE)[1]
        return includes + re.sub(r"^ *EXAMPLE$", lambda _: "\n".join(indent + line for line in rest.split("\n")),
                                 frame, flags=re.MULTILINE)

    def run(self, block):
        for command in block.all("first"):
            self.shell(block, command)
        status = int(block.one("status", "0"))
        if block.kind in ("sh", "console"):
            commands = block.text
            if block.kind == "console":
                commands = "\n".join(line[2:] for line in block.text.split("\n") if line.startswith("$ "))
            output = self.shell(block, commands, status)
            shown = [line for line in block.text.split("\n") if not line.startswith("$ ") and line.strip(" …")]
            for line in shown if block.has("shows") else []:
                if line.strip() not in output:
                    raise Bad(f"{block.place}: the output has no line\n{line}\nbut\n{output}")
            return
        whole = self.whole(block)
        file = self.folder / (block.one("as") or f"example.{block.kind}")
        file.write_text(whole)
        include = f"-I{self.options.source / 'include'}"
        if block.kind == "cpp":
            what = ["-o", "example"] if block.has("runs") else ["-fsyntax-only"]
            self.call(block, [self.options.cxx, "-std=c++20", "-Wall", "-I.", include, file, *what])
            if block.has("runs"):
                self.call(block, [self.folder / "example"], status)
        elif block.kind == "c":
            library = self.options.library
            self.call(block, [self.options.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", include, file, library,
                              f"-Wl,-rpath,{library.parent}", "-o", "example"])
            self.call(block, [self.folder / "example"], status)
        elif block.kind == "python":
            self.call(block, [sys.executable, file], status)
        elif "[snippet]" in whole:
            self.call(block, ["tilewright", "plan", "gemm/naive", f"epilogue={file}", "--arch", "sm_90"], status)
        else:
            self.call(block, ["tilewright", "kernels", file], status)

    def account(self, block):
        """Runs the block, and says what became of it."""
        if block.has("from"):
            if block.text.strip("\n") not in (self.options.source / block.one("from")).read_text():
                raise Bad(f"{block.place}: {block.one('from')} has no\n{block.text}")
            return "is in " + block.one("from")
        if block.has("not"):
            return "not " + block.one("not")
        if block.has("gpu") and not self.options.gpu:
            return "skipped: it needs a GPU"
        if missing := self.missing(block):
            return f"skipped: there is no {missing}"
        if block.kind not in RUN:
            if block.has("as"):
                (self.folder / block.one("as")).write_text(block.text)
            return "text"
        begin = time.monotonic()
        self.run(block)
        return f"ran in {time.monotonic() - begin:.1f} s"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    for name in ("source", "tilewright", "library", "cache"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=name in ("source", "tilewright"))
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--gpu", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilewright-docs-") as folder:
        try:
            blocks = blocks_of(options.page)
            runner = Runner(options, pathlib.Path(folder))
            if options.gpu and "cuda:0" not in subprocess.run(
                    [options.tilewright, "devices"], capture_output=True, text=True).stdout:
                print("skipped: there is no GPU")
                return SKIPPED
            ran = False
            for block in blocks:
                result = runner.account(block)
                ran = ran or block.has("gpu") and result.startswith("ran")
                print(f"{block.place} {block.kind}: {result}", flush=True)
            if options.gpu and not ran:
                return SKIPPED
        except Bad as bad:
            print(bad)
            return 1
    return 0


sys.exit(main())
