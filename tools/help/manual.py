#!/usr/bin/env python3
"""Writes the manual pages, which have the texts of `tilewright --help`, and copies the scripts for shells.

usage: manual.py PROGRAM FOLDER, where FOLDER gets man/man1 and the folders in which shells look for completion"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

SCRIPTS = {"bash": "bash-completion/completions/tilewright", "zsh": "zsh/site-functions/_tilewright",
           "fish": "fish/vendor_completions.d/tilewright.fish"}


def roff(text):
    """A dash is one that can be copied, and no line begins with a request."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.MULTILINE)


def page(table, name, about, usage, sections, example):
    return (f'.TH "{roff(name)}" 1 "" "tilewright {table["version"]}"\n.SH NAME\n{roff(name)} \\- {roff(about)}\n'
            f".SH SYNOPSIS\n.B tilewright\n{roff(usage)}\n{sections}"
            f".SH EXAMPLES\n.nf\n{roff(example)}.fi\n.SH EXIT STATUS\n{roff(table['exit_status'])}\n")


def option_text(option):
    letter = option["letter"] and f"\\fB\\-{option['letter']}\\fR, "
    value = option["value"] and f" \\fI{roff(option['value'])}\\fR"
    return f".TP\n{letter}\\fB\\-\\-{roff(option['name'])}\\fR{value}\n{roff(option['about'])}\n"


def file_name(command):
    return "tilewright-" + command["name"].replace(" ", "-")


def command_page(table, command):
    options = ".SH OPTIONS\n" + "".join(map(option_text, command["options"]))
    text = page(table, file_name(command), command["about"], f"{command['name']} {command['usage']}", options,
                command["example"])
    return text + ".SH SEE ALSO\n\\fBtilewright\\fR(1)\n"


def program_page(table):
    text, purpose = "", ""
    for command in table["commands"]:
        if command["purpose"] != purpose:
            purpose = command["purpose"]
            text += f".SS {roff(purpose)}\n"
        text += (f".TP\n\\fB{roff(command['name'])}\\fR\n{roff(command['about'])}\n"
                 f"See \\fB{roff(file_name(command))}\\fR(1).\n")
    return page(table, "tilewright", table["about"], "COMMAND …", ".SH COMMANDS\n" + text, table["example"])


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    table = json.loads(subprocess.run([program, "--table"], check=True, capture_output=True).stdout)
    manuals = folder / "man/man1"
    shutil.rmtree(manuals, ignore_errors=True)  # of commands that are no longer there
    manuals.mkdir(parents=True)
    (manuals / "tilewright.1").write_text(program_page(table), encoding="utf-8")
    for command in table["commands"]:
        (manuals / f"{file_name(command)}.1").write_text(command_page(table, command), encoding="utf-8")
    for shell, place in SCRIPTS.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(pathlib.Path(__file__).with_name(f"completion.{shell}"), folder / place)


main()
