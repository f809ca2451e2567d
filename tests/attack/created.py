#!/usr/bin/env python3
"""Lists what the program makes outside its user's own folders: tests/attack/created.py PROGRAM LIBRARY

Runs each command, the Python package and a program in C under strace, in a /tmp, /mnt and /run of their own, and prints the
names that they made as the table of docs/security.md. Ends with status 1 if a name is not in KNOWN or was made in another way,
if nothing made a name of ours, or if the page says something else; with status 77, and why, where strace or a folder is missing."""
import os
import pathlib
import re
import shutil
import sqlite3
import sys

from names import HOMES, LOCKS, TMP, enter, first_sweep, require, run, skip
from recorded import STRACE, made

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOME, HERE, RECORD, OWN_TMP = HOMES / "home", HOMES / "here", HOMES / "record", TMP / "T"
OWN_RUN = pathlib.Path(f"/run/user/{os.geteuid()}")
OURS = re.compile(r"tilewright(-worker)?|python3[.\d]*|tuned_gemm")
LOCK_FOLDER, JOB = r"/(tmp|run/user/\d+)/tilewright-locks(-\d+)?", r"/tmp/T/tilewright-job-[0-9a-f]{12}-\d+"
SCRATCH, PRIVATE = r"/tmp/(T/)?tilewright-scratch-\w{6}", r"/tmp/T/tilewright-\w{6,8}"
IN_THESE = f"({JOB}|{SCRATCH}|{PRIVATE})/.*"
NEW, OF_SQLITE = "`O_CREAT O_EXCL O_NOFOLLOW`", "`O_CREAT O_NOFOLLOW` 0644"
COMPILERS, SQLITE = "nvcc, the C++ compiler and what they run", "SQLite in ours"
# The first that fits counts: which names; how the page shows them; who makes them; how. The page says why that is safe.
KNOWN = [
    ("/tmp/tilewright-locks", "`/tmp/tilewright-locks`", "ours", "`mkdir` 1777"),
    (r"/run/user/\d+/tilewright-locks", "`/run/user/UID/tilewright-locks`, if that cannot be used", "ours", "`mkdir` 1777"),
    (LOCK_FOLDER, "`/tmp/tilewright-locks-UID`, if neither can", "ours", "`mkdir` 1777"),
    (LOCK_FOLDER + "/host", "`DEVICE` in these", "ours", f"{NEW} 0444"),
    (JOB, "`TMPDIR/tilewright-job-ID-UID`", "ours", "`mkdir` 0700"),
    (SCRATCH, "`TMPDIR/tilewright-scratch-RANDOM`", "ours", "`mkdtemp` 0700"),
    (PRIVATE, "`TMPDIR/tilewright-RANDOM`", "ours", "`mkdtemp` 0700"),
    (IN_THESE + r"(\.db|-journal)", "databases in these three", SQLITE, f"{OF_SQLITE}, `rename`"),
    (IN_THESE, "other files in these three", "ours", f"`O_CREAT O_TRUNC` 0666, `O_CREAT O_NOFOLLOW` 0600, {NEW} 0666, `rename`"),
    (f"{SCRATCH}/.*", "files in `scratch-RANDOM`", COMPILERS, "`O_CREAT O_EXCL` 0600, `O_CREAT O_TRUNC` 0666"),
    (r"/tmp/T/[a-z0-9_]{8}", "`TMPDIR/RANDOM`", "Python's `tempfile` in ours", f"{NEW} 0600"),
    (r"/tmp/T/etilqs_\w+", "`TMPDIR/etilqs_RANDOM`", SQLITE, f"{NEW} 0600"),
    (r"/tmp/T/.*\.db\.rescue-[0-9a-f]{8}\.json", "`TMPDIR/DATABASE.rescue-RANDOM.json`", "ours", "`rename`"),
    (r".*\.[0-9a-f]{16}\.tmp", "`FILE.RANDOM.tmp`, then renamed to FILE", "ours", f"{NEW} 0666, {NEW} 0600"),
    (rf"{HERE}/.*\.new-[0-9a-f]{{8}}(/.*)?", "`JOB.new-RANDOM`, then renamed to JOB", "ours", "`mkdir` 0777, `rename`"),
    (rf"{HERE}/.*\.db-journal", "`DATABASE-journal`", SQLITE, OF_SQLITE),
]
makers, complaints = {"any": [], **{row[1]: [] for row in KNOWN}}, []
GEMM, HOST = "gemm/naive M=N=K=16", "gemm/naive M=N=K=16 --device host --db own.db"
SWEEP = f"sweep {HOST} --budget 2"
FIRST = f"""kernels|devices|plan {GEMM}|{SWEEP}|best {HOST} --format header --output best.hpp|results --db own.db
explain {HOST} BLOCK_X=8 BLOCK_Y=4|show {HOST} --source|show {HOST} --reproducer --output one.cpp
export --db own.db --output all.json|export --db own.db --format winners --output winners.json|report --db own.db --output all.html --link
report --from all.json --output all.html --link|fingerprint --db own.db|bundle {HOST} --output one.bundle|recheck {HOST}
import all.json --db other.db|merge own.db all.json --into merged.db|diff own.db all.json|replay all.json --seeds 1
portfolio gemm/naive --device host --db own.db --measure|cover gemm/naive M=N=16 --device host --db own.db --problems 1 --time-limit 1s
job create job gemm/naive N=K=16 --shapes M=16,24 --budget 1|job run job --device host|job merge job --into all.db"""
ON_GPU = f"""plan {GEMM} --arch sm_90 --compile 1|plan nvcc.toml --arch sm_90 --compile 1|show {GEMM} --arch sm_90 --ptx
job create ahead gemm/naive N=K=16 --shapes M=16 --budget 1 --compile 1"""  # need compilers that may be missing
LIBRARY_USE = """import array, ctypes, sys, tilewright
runtime = tilewright.Runtime("own.db", manifests="stencil5.toml")
runtime.tune("stencil5", width=16, height=16, device="host", budget=1, worker=sys.argv[1])
runtime.best("stencil5", width=17, height=16, device="host")
runtime.store_wanted("own.db")
kernel = "__global__ void twice(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= block_size_x / 16; }"
arguments = [array.array("f", [1] * 32), ctypes.c_int(32)]
tilewright.tune_kernel("twice", kernel, 32, arguments, {"block_size_x": [32]}, device="host", worker=sys.argv[1], database="own.db")"""


def trace(command, words, status=0, otherwise=sys.exit, **more):
    for folder in (RECORD, LOCKS):
        shutil.rmtree(folder, ignore_errors=True)
    RECORD.mkdir()
    done, messages = run([*STRACE, "-o", RECORD / "of", *words], **more)
    if done != status:
        otherwise(f"{command}: status {done}: {messages}")
    makers["any"].append(command)
    for program, name, how in made(RECORD, HERE):
        is_ours = OURS.fullmatch(program) is not None
        rows = [row for row in KNOWN if re.fullmatch(row[0], name) and is_ours == (row[2] != COMPILERS)]
        if rows and how in rows[0][3].replace("mkdtemp", "mkdir"):
            makers[rows[0][1]].append(command)
        elif rows or not f"{name}/".startswith((f"{HOME}/", *(f"{HERE / word}/" for word in words))):
            complaints.append(f"{command}: {program} makes {name} by {how}")


def change(file, new, part, changed):
    pathlib.Path(new).write_text(pathlib.Path(file).read_text().replace(part, changed))


def run_all(program, library):
    def commands(lines, **more):
        for words in re.split(r"[|\n]", lines):
            trace(re.match(r"(job )?\S+", words)[0], [program, *words.split()], **more)

    for file in [*SOURCE.glob("examples/stencil5/*"), *SOURCE.glob("examples/kernel_tuner/convolution.*")]:
        shutil.copy(file, HERE)
    change("stencil5.toml", "nvcc.toml", '"stencil5.cu"\n', '"stencil5.cu"\ncompiler = "nvcc"\n')
    commands(FIRST)
    commands(ON_GPU, otherwise=print)
    python = [sys.executable, "-m", "tilewright.convert", "convolution.json", "-o", "convolution.toml"]
    trace("`tilewright.convert`", python)
    trace("Python's `tune()` and `tune_kernel()`", [python[0], "-c", LIBRARY_USE, f"{program}-worker", "own.db"])
    source = SOURCE / "examples/c/tuned_gemm.c"
    run(["cc", source, f"-I{SOURCE}/include", library, f"-Wl,-rpath,{library.parent}", "-o", "tuned_gemm"])
    trace("a launch in C", [HERE / "tuned_gemm", SOURCE / "kernel_templates", "own.db", "16"])
    change("all.json", "large.json", '"message": "', '"message": "' + "x" * 4_000_000)
    LOCKS.touch()
    commands(f"wanted --db own.db|{SWEEP} --fresh|import large.json --db large.db|results --db large.db")
    shutil.rmtree(OWN_RUN)
    commands(f"{SWEEP} --fresh")
    writer = sqlite3.connect("own.db")
    writer.executescript("PRAGMA cache_size = 1; BEGIN; CREATE TABLE large AS SELECT randomblob(4000000)")
    for end in ("", "-journal"):  # as if it were killed
        shutil.copy(f"own.db{end}", f"killed.db{end}")
    commands("results --db killed.db")
    lost = f"sweep {GEMM} --device host --budget all --db lost/lost.db"
    commands(lost, status=3, during=lambda: first_sweep("lost/lost.db") and shutil.rmtree("lost"))
    shutil.copy(next(OWN_TMP.glob("lost.db.rescue-*.json")), "lost.json")
    commands("recover lost.json --db recovered.db")
    listed = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +[A-Z]", os.popen(f"{program} help").read(), re.M)
    complaints.extend(f"{command} was not run" for command in listed if command not in makers["any"])


def main():
    program, library = (pathlib.Path(file).resolve() for file in sys.argv[-2:])
    if sys.argv[1] != "--inside":
        require("strace", "cc")
        if run(["strace", "-o", "/dev/null", "true"])[0] != 0:
            skip("strace may not follow programs here")
        sys.exit(enter((TMP, HOMES, "/run"), __file__, program, library))
    for folder in (OWN_TMP, HOME, HERE / "lost", OWN_RUN):
        folder.mkdir(parents=True)
    os.chdir(HERE)
    own = {"PATH": os.environ["PATH"], "HOME": str(HOME), "TMPDIR": str(OWN_TMP), "TILEWRIGHT_LIBRARY": str(library),
           "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(SOURCE / "bindings/python"), "LC_ALL": "C.UTF-8"}
    os.environ.clear()
    os.environ.update(own)
    run_all(program, library)
    lines = (line[2:-2].split(" | ") for line in (SOURCE / "docs/security.md").read_text().splitlines() if line.startswith("| "))
    page = {cells[0]: cells for cells in lines if len(cells) == 5}
    for _, name, *rest in KNOWN:
        seen, told = sorted({*makers[name]}), page.get(name, [name, "", "", "", ""])
        print("|", " | ".join([name, ", ".join(seen), *rest, told[4]]), "|")
        if not seen and rest[0] != COMPILERS:
            complaints.append(f"nothing made {name}")
        if told[2:4] != rest or not {*seen} <= {*told[1].split(", ")}:
            complaints.append(f"docs/security.md does not have this line: {name}")
    sys.exit("\n".join(complaints) or None)


if __name__ == "__main__":
    main()
