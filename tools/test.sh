#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
# Sets everything up and passes the tests: formatting, then warnings as errors, then the address
# and undefined-behaviour sanitizers. Safe to run twice.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
sources=()
for folder in include tuner db tools tests examples; do
  if [[ -d $folder ]]; then sources+=("$folder"); fi
done
find "${sources[@]}" \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
  xargs -0 clang-format --dry-run --Werror
for preset in dev asan; do
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset" -j "$(nproc)"
done
printf '\nNext: tools/demo.sh runs the main job.\n'
