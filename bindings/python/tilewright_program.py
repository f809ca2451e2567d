# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""The command `tilewright`: the program that the package contains. It is beside the package, so that it starts without
loading the library."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).resolve().parent / "tilewright" / "tilewright"
    os.execv(program, ["tilewright", *sys.argv[1:]])
