#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
# Sets everything up and runs the tests: formatting, then all tests of one build with warnings as
# errors and the address and undefined-behaviour sanitizers. Safe to run twice.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
find include definition tuner db campaign runtime bindings tools bench tests examples \
  \( -name '*.cpp' -o -name '*.hpp' \) -print0 | xargs -0 clang-format --dry-run --Werror
cmake --preset asan >/dev/null
cmake --build --preset asan
ctest --preset asan -j "$(nproc)"
# Tests of address-space limits, which do not work in a build with sanitizers.
cmake --preset dev >/dev/null
cmake --build --preset dev --target worker_test
ctest --preset dev -R 'Memory(LimitHolds|ThanItsLimit)' --no-tests=error
printf '\nNext: tools/demo.sh runs the main job.\n'
