"""Writes files as the program does."""

import os
import pathlib
import secrets
import stat


def _takes_after(file, old):
    """Gives it owner, group and mode; False if this user may not."""
    try:
        own = os.fstat(file)
        if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
            os.fchown(file, old.st_uid, old.st_gid)
        os.fchmod(file, stat.S_IMODE(old.st_mode))
        return True
    except PermissionError:
        return False


def write(text, output):
    """As write_file() of the program (definition/text/text_file.hpp): whole or not at all, where that is a file. A
    link stays, and so do owner, group and mode; where they cannot, and what is no file, is written directly."""
    old = output.stat() if output.exists() else None
    if old and not output.is_file():
        output.write_text(text, encoding="utf-8")
        return
    target = pathlib.Path(os.path.realpath(output))
    temporary = target.with_name(f"{target.name}.{secrets.token_hex(8)}.tmp")
    mode = 0o600 if old else 0o666
    try:
        with open(temporary, "x", encoding="utf-8", opener=lambda name, how: os.open(name, how | os.O_NOFOLLOW, mode)) as stream:
            if old and not _takes_after(stream.fileno(), old):
                target.write_text(text, encoding="utf-8")
                return
            stream.write(text)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
