# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""The reference of the Python package, from its source: names, calls and docstrings. The package is not imported, because
that takes the library."""

import ast
import pathlib
import re
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "bindings/python/tilewright"
MODULES = {  # that users import
    "tilewright": "_public.py",
    "tilewright.torch_ops": "torch_ops/__init__.py",
    "tilewright.kernel_tuner": "kernel_tuner/__init__.py",
    "tilewright.evaluator": "evaluator.py",
    "tilewright.triton": "triton.py",
    "tilewright.inductor": "inductor.py",
    "tilewright.vllm": "vllm.py",
    "tilewright.fleet": "fleet.py",
    "tilewright.convert": "convert.py",
}


def docstring_of(node, escaped):
    """The docstring as text, with its indented examples as code."""
    text = ast.get_docstring(node, clean=False)
    if text is None:
        return ""
    indent = " " * node.body[0].col_offset
    lines = [line.removeprefix(indent) for line in text.strip().split("\n")]
    blocks = re.split(r"\n\n(?=    )|\n\n(?=\S)", "\n".join(lines))
    return "\n\n".join(shown(block, escaped) for block in blocks)


def shown(block, escaped):
    if block.startswith("    "):
        return f"```python\n{textwrap.dedent(block).rstrip()}\n```"
    if re.search(r"^\w+  +\S.*\n", block):  # names and what they are, in two columns
        return f"```text\n{block}\n```"
    return escaped(block)


def call_of(function, name):
    """The call as users write it."""
    decorators = [ast.unparse(one) for one in function.decorator_list]
    if "property" in decorators:
        return name
    arguments = function.args
    for given in (arguments.posonlyargs, arguments.args):
        given[:] = [one for one in given if one.arg != "self"]
    return f"{name}({ast.unparse(arguments)})"


def fields_of(node, source):
    """The fields of a data class with the comments beside them."""
    fields = [inner for inner in node.body if isinstance(inner, ast.AnnAssign)]
    if not fields:
        return ""
    lines = source.split("\n")[fields[0].lineno - 1 : fields[-1].end_lineno]
    return "```python\n" + textwrap.dedent("\n".join(lines)) + "\n```"


def section_of(node, source, escaped):
    """A class or a function, with the public members that say what they do."""
    text = [f"### `{node.name}`"]
    if isinstance(node, ast.FunctionDef):
        return "\n\n".join([*text, f"```python\n{call_of(node, node.name)}\n```", docstring_of(node, escaped)])
    members = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
    made = [call_of(inner, node.name) for inner in members if inner.name == "__init__"]
    text += [f"```python\n{call}\n```" for call in made]
    text += [docstring_of(node, escaped), fields_of(node, source)]
    name = node.name[0].lower() + node.name[1:]
    for inner in members:
        if ast.get_docstring(inner) and (inner.name == "__call__" or not inner.name.startswith("_")):
            called = name if inner.name == "__call__" else f"{name}.{inner.name}"
            text += [f"```python\n{call_of(inner, called)}\n```", docstring_of(inner, escaped)]
    return "\n\n".join(filter(None, text))


def imported_whole(file, node):
    """The file of the package of which this one imports all names; None: the node is no such import."""
    if isinstance(node, ast.ImportFrom) and node.level and node.names[0].name == "*":
        return file.parents[node.level - 1] / f"{node.module}.py"
    return None


def defined(file, name):
    """(node, source) of a class or function of the package: in this file, or where the file imports it from."""
    source = file.read_text()
    for node in ast.parse(source).body:
        if getattr(node, "name", None) == name:
            return node, source
        if isinstance(node, ast.ImportFrom) and node.level and name in [one.name for one in node.names]:
            folder = file.parents[node.level - 1]
            place = folder.joinpath(*(node.module or name).split("."))
            return defined(place / "__init__.py" if place.is_dir() else place.with_suffix(".py"), name)
        if (place := imported_whole(file, node)) and name in public_names(place):
            return defined(place, name)
    return None, source


def public_names(module):
    tree = ast.parse(module.read_text())
    imported = [place for node in tree.body if (place := imported_whole(module, node))]
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value) + [name for place in imported for name in public_names(place)]
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]


def page(escaped):
    """The page in Markdown. `escaped` makes text of docstrings such that it is shown unchanged."""
    about = "The package `tilewright`. [docs/c-and-python.md](../docs/c-and-python.md) shows it in use."
    text = ["# Python", about]
    for module, file in MODULES.items():
        text += [f"## {module}", docstring_of(ast.parse((PACKAGE / file).read_text()), escaped)]
        for name in public_names(PACKAGE / file):
            node, source = defined(PACKAGE / file, name)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                text.append(section_of(node, source, escaped))
    return "\n\n".join(text) + "\n"
