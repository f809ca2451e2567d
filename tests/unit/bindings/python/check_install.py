"""Packs or installs the package, and uses what came of it, outside the source tree.

check_install.py pack SOURCE WORK     the library of TILEWRIGHT_LIBRARY, by setuptools alone
check_install.py install SOURCE WORK  as users do: pip fetches setuptools, and builds the library
                                      with CMake (minutes)
"""

import os
import pathlib
import shutil
import subprocess
import sys
import venv

SKIPPED = 77

USE = """
import array, pathlib, sys
import tilewright

package = pathlib.Path(tilewright.__file__).parent
assert str(package).startswith(sys.argv[1]), package
assert (package / "libtilewright.so").is_file()
assert (package / "tilewright-worker").is_file() == (sys.argv[2] == "install")
assert tilewright.kernel_templates() and tilewright.shipped_results()
assert bool(tilewright.general_bundles()) == (sys.argv[2] == "install")
assert (package / "torch_ops/__init__.py").is_file()
assert tilewright.tune_kernel and tilewright.run_kernel
runtime = tilewright.Runtime()
kernel = runtime.kernel("gemm/naive", M=1, N=2, K=1, device="host")
c = array.array("f", [0, 0])
kernel(array.array("f", [3]), array.array("f", [5, 7]), c, 1.0, 0.0)
assert list(c) == [15, 21], c
"""


def run(*command, **environment):
    subprocess.run(command, check=True, env=os.environ | environment, cwd="/")


def pack(source, work):
    try:
        import setuptools  # noqa: F401
    except ImportError:
        print("there is no setuptools")
        sys.exit(SKIPPED)
    # A copy: setuptools writes beside setup.py.
    tree = work / "tree"
    shutil.copytree(source / "bindings/python", tree / "bindings/python")
    for folder in ("kernel_templates", "shipped_results", "include"):
        (tree / folder).symlink_to(source / folder)
    script = "import runpy, os, sys; os.chdir(sys.argv[1]); sys.argv[:2] = ['setup.py']; "
    script += "runpy.run_path('setup.py', run_name='__main__')"
    options = ["build", "--build-base", work / "base", "--build-lib", work / "lib"]
    run(sys.executable, "-c", script, tree / "bindings/python", *options)
    library = {"PYTHONPATH": str(work / "lib"), "TILEWRIGHT_LIBRARY": ""}
    run(sys.executable, "-c", USE, work, "pack", **library)


def install(source, work):
    venv.create(work / "venv", with_pip=True)
    python = work / "venv/bin/python"
    package = source / "bindings/python"
    bundles = "-DTILEWRIGHT_BUNDLES=host -DTILEWRIGHT_BUNDLE_PROBLEMS=1"
    command = [python, "-m", "pip", "install", "--quiet", package]
    run(*command, TILEWRIGHT_LIBRARY="", CMAKE_ARGS=bundles)
    run(python, "-c", USE, work, "install", TILEWRIGHT_LIBRARY="", PYTHONPATH="")


def main():
    how, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    {"pack": pack, "install": install}[how](source, work)


if __name__ == "__main__":
    main()
