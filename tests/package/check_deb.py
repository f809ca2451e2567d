#!/usr/bin/env python3
"""Makes the Debian packages of a source tree, unpacks them into a folder and uses them from there, then installs them in a
bare Debian. Needs the network.

    check_deb.py SOURCE WORK
"""

import pathlib
import shutil
import sys

from outside import bare_debian, run


def use_a_folder(source, packages, work):
    """The packages are relocatable: find_package, pkg-config and the program work wherever they are."""
    for package in packages:
        run("dpkg-deb", "--extract", package, work / "root")
    prefix = work / "root/usr"
    (library,) = prefix.glob("lib/*/libtilewright.so")
    build = work / "best_tile"
    run("cmake", "-S", source / "examples/best_tile", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON")
    run("cmake", "--build", build)
    run(build / "best_tile", work / "none.db", "gemm", "M=512", "N=512", "K=512", text="rung 7, default")
    pkgconfig = {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": "",
                 "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1"}
    flags = run("pkg-config", "--cflags", "--libs", "tilewright-c", **pkgconfig).split()
    templates = run("pkg-config", "--variable=kernel_templates", "tilewright-c", **pkgconfig).strip()
    run("cc", source / "examples/c/tuned_gemm.c", "-o", work / "tuned_gemm", *flags, f"-Wl,-rpath,{library.parent}")
    run(work / "tuned_gemm", templates, text="C = 8, expected 8")
    flags = run("pkg-config", "--cflags", "--libs", "tilewright-catalog", **pkgconfig).split()
    run("c++", "-std=c++20", source / "examples/best_tile/best_tile.cpp", "-o", work / "by_pkg_config",
        f'-DKERNEL_TEMPLATES="{templates}"', *flags)
    use_program(prefix / "bin/tilewright", work)
    for text in ("man/man1/tilewright-sweep.1", "bash-completion/completions/tilewright",
                 "zsh/site-functions/_tilewright", "fish/vendor_completions.d/tilewright.fish"):
        if not (prefix / "share" / text).read_text():
            sys.exit(f"{text} is empty")


def use_program(tilewright, work):
    run(tilewright, "--version", text="^tilewright")
    run(tilewright, "best", "gemm", "M=N=K=1024", "--device", "NVIDIA H200", "--db", work / "none.db", text="exact")


def main():
    source, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(source / "tools/package.sh", "deb")
    packages = sorted((source / "build/package/dist").glob("*.deb"))
    use_a_folder(source, packages, work)
    with bare_debian(work / "debian", "bookworm", "ca-certificates") as inside:
        if inside is None:
            return
        for package in packages:
            shutil.copy(package, work / "debian")
        program = [f"/{package.name}" for package in packages if "-dev" not in package.name]
        run(*inside, "apt-get", "update", "-q")
        run(*inside, "apt-get", "install", "-q", "-y", "--no-install-recommends", *program)
        run(*inside, "tilewright", "sweep", "gemm", status=3, text="no NVIDIA driver; and no C")
        run(*inside, "apt-get", "install", "-q", "-y", "--no-install-recommends", "g++")
        run(*inside, "tilewright", "sweep", "gemm", "M=N=K=48", "--device", "host", "--budget", "3", text="gemm")
        run(*inside, "apt-get", "install", "-q", "-y", *(f"/{package.name}" for package in packages))


if __name__ == "__main__":
    main()
