#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
# Installs what tilewright is built with from Debian's packages. Safe to run twice.
set -euo pipefail

packages=(
  g++ cmake ninja-build git clang-format python3
  libboost-context-dev libboost-program-options-dev libsqlite3-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev
  libxxhash-dev libgtest-dev libbenchmark-dev
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  sudo=()
  if (($(id -u) != 0)); then sudo=(sudo); fi
  echo "installing ${missing[*]}" >&2
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

for folder in "${CUDAToolkit_ROOT:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
  if [[ -n $folder && -e $folder/include/nvrtc.h ]]; then
    echo "CUDA toolkit: $folder" >&2
    exit 0
  fi
done
echo "no CUDA toolkit 12.8 or newer in CUDAToolkit_ROOT, CUDA_HOME or /usr/local/cuda" >&2
