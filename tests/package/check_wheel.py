#!/usr/bin/env python3
"""Makes the wheel twice, from copies of the source in two folders, and uses it as users do: in new environments, without
and with NVIDIA's wheels. Needs the network.

    check_wheel.py SOURCE WORK
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

from outside import bare_debian, run

PLAN = ["plan", "gemm", "M=N=K=512", "--arch", "sm_90", "--compile", "4"]
# What NVRTC must be, for what pip is asked to install beside the wheel.
COMPILERS = {
    "[cuda13]": "NVRTC 13",
    "[cuda12]": "NVRTC 12",
    " nvidia-cuda-nvrtc-cu12==12.8.93 nvidia-cuda-runtime-cu12==12.8.90 nvidia-cuda-cccl-cu12==12.8.90": "NVRTC 12.8",
}
HEADERS = """
schema = 1
[operation]
name = "sums"
[[operation.dimension]]
name = "N"
default = 256
[[operation.argument]]
name = "out"
role = "output"
count = "N"
[[implementation]]
name = "cub"
source = "sums.cu"
[[implementation.parameter]]
name = "WIDTH"
values = [64, 128]
default = 64
[[implementation.launch]]
entry = "sums"
grid = ["1"]
block = ["WIDTH"]
arguments = ["out"]
"""
SUMS = """
#include <cub/block/block_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/array>
extern "C" __global__ void sums(float* out) {
  using Reduce = cub::BlockReduce<float, WIDTH>;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(__half2float(__float2half(1.0F * threadIdx.x)));
  cuda::std::array<__nv_bfloat16, 1> last = {__float2bfloat16(sum)};
  if (threadIdx.x == 0) out[0] = __bfloat162float(last[0]);
}
"""


def copy(source, folder):
    """What git knows of the source, with what was fetched for it before."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=source, text=True, check=True,
                           stdout=subprocess.PIPE).stdout.split("\n")
    for name in filter(None, files):
        if (source / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, folder / name)
    for name in ("cuda-12", "glibc-2.31", "plotly"):
        if (source / "build" / name).is_dir():
            shutil.copytree(source / "build" / name, folder / "build" / name, symlinks=True)


def make(folder):
    run(folder / "tools/package.sh", "wheel", SOURCE_DATE_EPOCH="1700000000")
    (wheel,) = (folder / "build/package/dist").glob("*.whl")
    return wheel


def install(work, name, what):
    python = work / name / "bin/python"
    venv.create(work / name, with_pip=True)
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what.split())
    return work / name / "bin/tilewright"


def no_path_of_this_machine(wheel, work):
    shutil.unpack_archive(wheel, work / "unpacked", "zip")
    for file in (work / "unpacked").rglob("*"):
        if file.is_file() and re.search(rb"/(first|second)/|/home/|/root/", file.read_bytes()):
            sys.exit(f"{file} has a path of this machine")


def without_cuda(tilewright, database):
    run(tilewright, "--version", text="^tilewright [0-9.]+\nSQLite")
    if not os.path.exists("/dev/nvidiactl"):
        problem = ["sweep", "gemm", "M=N=K=48", "--db", database]
        run(tilewright, *problem, "--device", "cuda", status=3, text="no GPU to measure on: no NVIDIA driver; --device host")
        run(tilewright, *problem, status=3, text="no NVIDIA driver; and no C\\+\\+ compiler", PATH="/nowhere")
    run(tilewright, "sweep", "gemm", "M=N=K=48", "--device", "host", "--budget", "3", "--db", database, text="gemm")
    run(tilewright, "best", "gemm", "M=N=K=48", "--device", "host", "--db", database, text="exact")
    use = "import tilewright; print(tilewright.Runtime().best('gemm', M=48, N=48, K=48, device='NVIDIA H200').implementation)"
    run(tilewright.parent / "python", "-c", use, text="gemm/")
    report = database.with_suffix(".html")
    run(tilewright, "report", "--db", database, "-o", report)


def on_a_bare_debian(release, wheels, work):
    """What pip installs was downloaded before. pip refuses a Python before 3.10, for which only the package is too new,
    not the program."""
    with bare_debian(work / release, release, "python3,python3-pip,python3-venv") as inside:
        if inside is None:
            return
        shutil.copytree(wheels, work / release / "wheels")
        run(*inside, "python3", "-m", "venv", "/venv")
        pip = ["/venv/bin/pip", "install", "--quiet", "--no-index", "--find-links", "/wheels", "--ignore-requires-python"]
        tilewright = "/venv/bin/tilewright"
        run(*inside, *pip, "tilewright")
        run(*inside, tilewright, "sweep", "gemm", status=3, text="no NVIDIA driver; and no C\\+\\+ compiler")
        run(*inside, tilewright, *PLAN, status=3, text="pip install 'tilewright\\[cuda13\\]'")
        run(*inside, tilewright, "best", "gemm", "M=N=K=1024", "--device", "NVIDIA H200", text="exact")
        run(*inside, *pip, "tilewright[cuda13]")
        run(*inside, tilewright, *PLAN, text="[1-4] of 4 can run")


def with_cuda(tilewright, version, folder):
    cache = ["--cache", folder / version.replace(" ", "-")]
    run(tilewright, "--version", text=re.escape(version))
    run(tilewright, *PLAN, *cache, text="[1-4] of 4 can run")
    run(tilewright, "plan", folder / "sums.toml", "N=256", "--arch", "sm_90", "--compile", "2", *cache, text="2 of 2 can run")


def main():
    source, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name in ("first", "second"):
        copy(source, work / name)
    wheel = make(work / "first")
    if make(work / "second").read_bytes() != wheel.read_bytes():
        sys.exit("two wheels of the same source differ")
    no_path_of_this_machine(wheel, work)
    (work / "sums.toml").write_text(HEADERS)
    (work / "sums.cu").write_text(SUMS)
    version = wheel.name.split("-")[1]
    run(source / "tools/release.py", source / "CHANGELOG.md", version, wheel.parent)
    index = f"--no-cache-dir --index-url file://{wheel.parent}/simple"
    without_cuda(install(work, "plain", f"{index} tilewright=={version}"), work / "results.db")
    for index, (extra, version) in enumerate(COMPILERS.items()):
        with_cuda(install(work, f"cuda{index}", f"{wheel}{extra}"), version, work)
    run(sys.executable, "-m", "pip", "download", "--quiet", "--dest", work / "wheels", f"{wheel}[cuda13]")
    for release in ("bullseye", "bookworm"):
        on_a_bare_debian(release, work / "wheels", work)


if __name__ == "__main__":
    main()
