#!/usr/bin/env python3
"""Records a terminal session as an SVG: terminal.py OUT.svg COLUMNS COMMAND… (needs rich from PyPI).

Each command is one argument. It runs in a terminal of its own with that width, with colours, and what it prints is
drawn as it came.
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

from rich.console import Console
from rich.text import Text


def output_of(command, columns):
    """What the command writes to a terminal of that width. Lines that it rewrites are left out."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    output = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        output += part
    process.wait()
    lines = output.decode().replace("\r\n", "\n").split("\n")
    return "\n".join(line.rsplit("\r\033[K", 1)[-1] for line in lines)


def main():
    file, columns, commands = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    console = Console(record=True, width=columns, file=open(os.devnull, "w"), force_terminal=True)
    for command in commands:
        console.print(Text("$ " + command, style="bold"))
        console.print(Text.from_ansi(output_of(command, columns)))
    console.save_svg(file, title="tilewright")


if __name__ == "__main__":
    main()
