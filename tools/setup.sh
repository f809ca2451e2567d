#!/usr/bin/env bash
# Installs what the build of tilewright needs: Debian packages and, if there is no CUDA toolkit, parts of
# one from NVIDIA's Python wheels into build/. Also fetches the charts of `tilewright report`. Safe to run twice.
#   tools/setup.sh [PACKAGE…]   also installs these Debian packages
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ cmake ninja-build clang-format python3 ca-certificates
  libboost-context-dev libboost-program-options-dev libsqlite3-dev libtomlplusplus-dev
  nlohmann-json3-dev libfmt-dev zlib1g-dev
  libxxhash-dev libgtest-dev libbenchmark-dev
)
# All from one release of CUDA 13.0, which needs driver 580 or newer.
wheels=(nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88)
wheel_folder=build/cuda-toolkit
# plotly.js (MIT) draws the charts of `tilewright report`. tools/report/report.hpp names the same release.
plotly_version=4.1.1
plotly_wheel="plotly==7.1.0 --hash=sha256:dbb7fa18afce40d0a8e80d1bf162eceb3faa0ce5a77fe741ad09a74cf78f53f3"
plotly_hash=3b6e15d45dbb7fca5bd2094291e961ddc5472cd887009e6009a56dab668d721f
plotly_folder=build/plotly

say() { echo "tilewright setup: $*" >&2; }

# install_packages NAME...: installs those that are missing.
install_packages() {
  local missing=() sudo=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if (($(id -u) != 0)); then
    if ! command -v sudo >/dev/null; then
      say "as root, run: apt-get install ${missing[*]}"
      return 1
    fi
    sudo=(sudo)
  fi
  say "installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# is_toolkit FOLDER: whether it has the headers of CUDA 12.8 or newer, including NVRTC's.
is_toolkit() {
  local version
  version=$(awk '$2 == "CUDART_VERSION" {print $3; exit}' "$1/include/cuda_runtime_api.h" 2>/dev/null) || return 1
  [[ -e $1/include/nvrtc.h ]] && ((${version:-0} >= 12080))
}

find_toolkit() {
  local folder nvcc
  nvcc=$(command -v nvcc || true)
  for folder in "${CUDAToolkit_ROOT:-}" "${CUDA_HOME:-}" /usr/local/cuda \
    "${nvcc:+$(dirname "$(dirname "$(readlink -f "$nvcc")")")}" "$wheel_folder/nvidia/cu13"; do
    if [[ -n $folder ]] && is_toolkit "$folder"; then
      echo "$folder"
      return 0
    fi
  done
  return 1
}

# The folder gets its name only when it is complete, so an interrupted run leaves no broken toolkit.
fetch_wheels() {
  install_packages python3-pip || return 1
  say "no CUDA toolkit 12.8 or newer; fetching ${wheels[*]} (95 MB) into $wheel_folder"
  rm -rf "$wheel_folder" "$wheel_folder.part"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
    --retries 1 --no-compile --only-binary=:all: --target "$wheel_folder.part" "${wheels[@]}" || return 1
  mv "$wheel_folder.part" "$wheel_folder"
}

has_plotly() {
  echo "$plotly_hash  $plotly_folder/plotly.min.js" | sha256sum --check --quiet --strict >/dev/null 2>&1
}

# Only the library and its licence are kept of the wheel. The folder gets its name when it is complete.
fetch_plotly() {
  local part=$plotly_folder.part
  install_packages python3-pip || return 1
  say "fetching plotly.js $plotly_version for tilewright report (10 MB) into $plotly_folder"
  rm -rf "$plotly_folder" "$part"
  mkdir -p "$part"
  echo "$plotly_wheel" >"$part/requirements.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --retries 1 --only-binary=:all: \
    --require-hashes --requirement "$part/requirements.txt" --dest "$part" &&
    python3 -m zipfile -e "$part"/plotly-*.whl "$part/wheel" &&
    mkdir "$part/kept" &&
    cp "$part/wheel/plotly/package_data/plotly.min.js" "$part"/wheel/plotly-*.dist-info/licenses/LICENSE.txt "$part/kept" &&
    mv "$part/kept" "$plotly_folder"
  local status=$?
  rm -rf "$part"
  return "$status"
}

install_packages "${packages[@]}" "$@"
has_plotly || fetch_plotly && has_plotly ||
  say "plotly.js could not be fetched: tilewright report needs --link, or another run of this script"
if toolkit=$(find_toolkit) || { fetch_wheels && toolkit=$(find_toolkit); }; then
  say "CUDA from $toolkit"
else
  rm -rf "$wheel_folder.part"
  say "no CUDA toolkit 12.8 or newer in CUDAToolkit_ROOT, CUDA_HOME, /usr/local/cuda or beside nvcc," \
    "and NVIDIA's wheels could not be fetched: building without CUDA"
fi
