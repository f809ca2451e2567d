"""What the checks of the wheel and of the Debian packages share."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time


def run(*command, status=0, text="", **environment):
    """What the command prints; it must end with the status and print what matches."""
    begun = time.monotonic()
    done = subprocess.run(command, env=os.environ | environment, cwd="/", text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    words = " ".join(map(str, command))
    print(f"$ {words}\n{done.stdout}# status {done.returncode}, {time.monotonic() - begun:.1f} s", flush=True)
    if done.returncode != status or not re.search(text, done.stdout):
        sys.exit(f"{words}: status {done.returncode}, expected {status} and the text '{text}'")
    return done.stdout


@contextlib.contextmanager
def bare_debian(root, release, packages):
    """The words that run a command in a new system in the folder `root`, which has only these packages. None where that
    cannot be."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("# not in a bare Debian: that takes root and debootstrap")
        yield None
        return
    run("debootstrap", "--variant=minbase", f"--include={packages}", release, root, text="successfully")
    environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
    yield ["unshare", "--fork", "--pid", f"--mount-proc={root}/proc", "chroot", root, "/usr/bin/env", "-i", *environment]
    shutil.rmtree(root)
