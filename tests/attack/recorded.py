"""What a program made in file systems, as strace recorded it."""
import os
import pathlib
import re

STRACE = ["strace", "-ff", "-qq", "-y", "-e", "trace=%file,%process,bind", "-e", "signal=none"]  # and -o FOLDER/of
CALL = re.compile(r"(\w+)\((.*)\) += (?:0|(\d+)(?:<(.+)>)?)(?:\(deleted\))?")  # one that worked
STARTS = re.compile("clone3?|v?fork")
PATH = re.compile(r'(?:<([^<>"]*)>, )?"((?:[^"\\]|\\.)*)"')


def made(folder, cwd):
    """(program, name, how) of all that the first process, in `cwd`, and its children made."""
    records = {int(file.suffix[1:]): [seen.groups() for seen in map(CALL.fullmatch, file.read_text(errors="replace").splitlines()) if seen]
               for file in folder.iterdir()}
    started = {int(number or 0) for calls in records.values() for call, _, number, _ in calls if STARTS.fullmatch(call)}

    def follow(process, program, cwd):
        for call, words, number, opened in records.pop(process):
            paths = [os.path.normpath(os.path.join(cwd, place, name)) for place, name in PATH.findall(words)]
            if call == "execve":
                program = pathlib.Path(paths[0]).name
            elif call == "chdir":
                cwd = paths[0]
            elif STARTS.fullmatch(call) and int(number or 0) in records:
                yield from follow(int(number), program, cwd)
            elif opened and re.search("O_CREAT|O_TMPFILE", words):
                flags = sorted(set(re.findall("O_(?:CREAT|EXCL|NOFOLLOW|TRUNC|TMPFILE)", words)))
                yield program, opened, f"`{' '.join(flags)}` {words[-4:]}"
            elif re.match("mkdir|mknod", call):
                yield program, paths[-1], f"`{call[:5]}` {words[-4:]}"
            elif re.match("rename|link|symlink", call) or 'sun_path="' in words:
                yield program, paths[-1], f"`{re.sub('at2?$', '', call)}`"

    yield from follow(min(set(records) - started), "", cwd)  # ids begin anew some day
    if records:
        raise RuntimeError(f"who started the processes {sorted(records)}?")
