#!/usr/bin/env bash
# The short answer to a change, from the build `dev`: formatting of the changed files, layers, names, and the folder's own
# sources and tests. CI compiles several sources as one; this does not, and so finds a missing include.
#   tools/check.sh [FOLDER…]   of the product or of tests: db/store, tests/cli. Without one: those of the changed files
set -euo pipefail
cd "$(dirname "$0")/.."

changed=$(git diff --name-only --diff-filter=AM HEAD && git ls-files --others --exclude-standard)
folders=("$@")
if ((${#folders[@]} == 0)); then
  mapfile -t folders < <(sed -nE '/[.]([ch]pp|h|c)$/p' <<<"$changed" | xargs -r -n 1 dirname | sort -u)
fi
sed -nE '/[.][ch]pp$/p' <<<"$changed" | xargs -r clang-format --dry-run --Werror
python3 -B tests/layers_test.py .
python3 -B tests/names_test.py .
[[ -e build/dev/build.ninja ]] || cmake --preset dev >/dev/null

# nearest ROOT FOLDER FILE: the innermost folder at or above FOLDER for which ROOT/FOLDER/FILE exists.
nearest() {
  local folder=$2
  while [[ ! -e $1/$folder/$3 && $folder != . ]]; do folder=$(dirname "$folder"); done
  echo "$folder"
}

targets=() unit=() others=()
for folder in "${folders[@]%/}"; do
  if [[ $folder != tests/* ]]; then
    library=$(nearest . "$folder" CMakeLists.txt)
    [[ $library == . ]] || targets+=("$library/all")
    folder=tests/unit/$(nearest tests/unit "$folder" .)
  fi
  # A folder with tests that are no part of unit_test has a CMakeLists.txt.
  if [[ $folder == tests/unit/* && ! -e $folder/CMakeLists.txt ]]; then
    unit+=("$folder")
  elif [[ $folder != tests/unit/. ]]; then
    others+=("$(nearest . "$folder" CMakeLists.txt)")
    [[ $folder != tests/unit/* ]] || targets+=(unit_test)
  fi
done
targets+=("${others[@]/%//all}")
((${#unit[@]} == 0)) || targets+=(unit_test)
((${#targets[@]} == 0)) || cmake --build --preset dev --target "${targets[@]}"
for folder in "${unit[@]}"; do build/dev/bin/unit_test --folder="$folder" --gtest_brief=1; done
for folder in "${others[@]}"; do ctest --test-dir "build/dev/$folder" -j "$(nproc)" --output-on-failure; done
