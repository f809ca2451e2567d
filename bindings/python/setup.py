# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Builds libtilewright.so and tilewright-worker with CMake, and packs them with the definitions and
results that come with tilewright.

TILEWRIGHT_LIBRARY=FILE packs this library instead, without a worker. CMAKE_ARGS is passed to CMake:
with -DTILEWRIGHT_BUNDLES=sm_90 the package has compiled kernels for such GPUs.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

TREE = pathlib.Path(__file__).resolve().parents[2]


def version():
    text = (TREE / "include/tilewright/version.hpp").read_text()
    return re.search(r'kVersion = "([^"]+)"', text).group(1)


def build(folder):
    """The library, the worker and the folder of bundles, built in `folder`."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DTILEWRIGHT_TESTS=OFF", "-DTILEWRIGHT_BENCH=OFF"]
    extra = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    subprocess.run(["cmake", "-S", TREE, "-B", folder, *generator, *options, *extra], check=True)
    targets = ["tilewright_c", "tilewright-worker", "tilewright_bundles"]
    jobs = ["--parallel", str(os.cpu_count() or 1)]  # make takes a missing number as no limit
    subprocess.run(["cmake", "--build", folder, *jobs, "--target", *targets], check=True)
    return [
        folder / "bindings/c/libtilewright.so",
        folder / "bin/tilewright-worker",
        folder / "bundles",
    ]


class BuildLibrary(build_ext):
    def run(self):
        package = pathlib.Path("." if self.inplace else self.build_lib) / "tilewright"
        given = os.environ.get("TILEWRIGHT_LIBRARY")
        files = [given] if given else build(pathlib.Path(self.build_temp).resolve())
        package.mkdir(parents=True, exist_ok=True)
        for file, name in zip(files, ["libtilewright.so", "tilewright-worker"]):
            shutil.copy(file, package / name)
        for folder in [TREE / "kernel_templates", TREE / "shipped_results", *files[2:]]:
            shutil.copytree(folder, package / folder.name, dirs_exist_ok=True)

    def get_outputs(self):
        package = pathlib.Path(self.build_lib) / "tilewright"
        return [str(file) for file in package.rglob("*") if file.suffix not in (".py", ".pyc")]


# The empty extension marks the wheel as specific to one platform.
setup(
    version=version(),
    ext_modules=[Extension("tilewright.libtilewright", sources=[])],
    cmdclass={"build_ext": BuildLibrary},
)
