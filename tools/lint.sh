#!/usr/bin/env bash
# Runs clang-tidy with the profile of .clang-tidy, which stays clean.
#   tools/lint.sh [COMMIT]   the source files that differ from COMMIT, by default the commit before HEAD
#   tools/lint.sh all        every source file of the product; takes about half an hour of one core
set -euo pipefail
cd "$(dirname "$0")/.."

product=(definition tuner db campaign runtime bindings tools)
if [[ ${1:-} == all ]]; then
  files=$(git ls-files "${product[@]/%//*.cpp}")
elif git rev-parse --quiet --verify "${1:-HEAD~1}" >/dev/null; then
  files=$(git diff --name-only --diff-filter=AM "${1:-HEAD~1}" -- "${product[@]/%//*.cpp}")
else
  echo "tilewright lint: there is no commit ${1:-HEAD~1} to compare with; nothing is checked" >&2
  exit 0
fi
[[ -n $files ]] || exit 0
# Unity builds have no command for a single file.
cmake --preset dev >/dev/null
# GCC has warnings that Clang does not know.
echo "$files" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/dev --extra-arg=-Wno-unknown-warning-option
