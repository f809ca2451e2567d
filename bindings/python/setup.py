# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Builds libtilewright.so, tilewright and tilewright-worker with CMake, and packs them with the definitions and
results that come with tilewright, and with plotly.js if tools/setup.sh has fetched it.

TILEWRIGHT_LIBRARY=FILE packs this library instead, without programs. CMAKE_ARGS is passed to CMake:
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

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # an older setuptools, which can still build, but no wheel
    bdist_wheel = object

TREE = pathlib.Path(__file__).resolve().parents[2]


def version():
    text = (TREE / "include/tilewright/version.hpp").read_text()
    return re.search(r'kVersion = "([^"]+)"', text).group(1)


def build(folder):
    """The library, the programs and the folder of bundles, built in `folder`."""
    options = ["-DTILEWRIGHT_TESTS=OFF", "-DTILEWRIGHT_BENCH=OFF"]
    extra = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    if not shutil.which("ninja"):
        options += ["-G", "Unix Makefiles"]
    command = ["cmake", "--preset", "release", "-S", TREE, "-B", folder, *options, *extra]
    subprocess.run(command, check=True)
    targets = ["tilewright_c", "tilewright", "tilewright-worker", "tilewright_texts", "tilewright_bundles"]
    jobs = ["--parallel", str(os.cpu_count() or 1)]  # make takes a missing number as no limit
    subprocess.run(["cmake", "--build", folder, *jobs, "--target", *targets], check=True)
    made = ("bindings/c/libtilewright.so", "bin/tilewright", "bin/tilewright-worker", "bundles", "share")
    return [folder / name for name in made]


class BuildLibrary(build_ext):
    def run(self):
        package = pathlib.Path("." if self.inplace else self.build_lib) / "tilewright"
        given = os.environ.get("TILEWRIGHT_LIBRARY")
        files = [given] if given else build(pathlib.Path(self.build_temp).resolve())
        package.mkdir(parents=True, exist_ok=True)
        for file, name in zip(files, ["libtilewright.so", "tilewright", "tilewright-worker"]):
            shutil.copy(file, package / name)
        folders = [TREE / name for name in ("kernel_templates", "shipped_results", "build/plotly")]
        for folder in filter(pathlib.Path.is_dir, [*folders, *files[3:]]):
            shutil.copytree(folder, package / folder.name, dirs_exist_ok=True)

    def get_outputs(self):
        package = pathlib.Path(self.build_lib) / "tilewright"
        return [str(file) for file in package.rglob("*") if file.suffix not in (".py", ".pyc")]


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]  # one library for every Python


# The empty extension marks the wheel as specific to one platform.
setup(
    version=version(),
    ext_modules=[Extension("tilewright.libtilewright", sources=[])],
    cmdclass={"build_ext": BuildLibrary, "bdist_wheel": Wheel},
)
