#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is static in a library has no destructor: threads of a program may be in the library until the program is gone.

usage: statics_test.py NM LIBRARY…; one line and status 1 for each object that has destructors run at the end of a program.
`static const auto& all = *new const std::vector<int>{…};` has none."""
import subprocess
import sys

REGISTERS = "__cxa_atexit"


def registering(nm, library):
    """The objects of a static library that register a destructor."""
    lines = subprocess.run([nm, "-A", "-u", library], check=True, capture_output=True, text=True).stdout.splitlines()
    if not lines:
        sys.exit(f"{nm} finds nothing in {library}")
    return sorted({line.rsplit(":", 1)[0] for line in lines if line.split()[-1] == REGISTERS})


def main(nm, *libraries):
    found = [name for library in libraries for name in registering(nm, library)]
    for name in found:
        print(f"{name}: a static object has a destructor")
    return 1 if found or not libraries else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
