#!/usr/bin/env bash
# Sets everything up and runs the tests: formatting, clang-tidy on what the last commit changed, and all tests of a build
# with warnings as errors and the address and undefined-behaviour sanitizers. Then it runs, with the programs that users get,
# the documentation's examples, the benchmarks and the other tests that cannot run with sanitizers or take too long with them.
# Safe to run twice. docs/tests.md lists what runs where; tools/check.sh is the short form for one folder.
set -euo pipefail
cd "$(dirname "$0")/.."

# run_tests PRESET [OPTION…]: as many at once as there are cores and one, because some wait. Times go to build/PRESET/tests.xml.
run_tests() {
  local folder=build/$1
  ctest --preset "$1" -j "$(($(nproc) + 1))" --output-junit tests.xml "${@:2}" && return
  printf '\nWhat the failed tests printed, again:\n'
  awk -F '[ :]' 'NR == FNR {failed[$1] = 1; next}
                 /^[0-9]+\/[0-9]+ Testing: / {split($1, number, "/"); shown = number[1] in failed}
                 shown' "$folder"/Testing/Temporary/LastTestsFailed.log "$folder"/Testing/Temporary/LastTest.log
  return 1
}

tools/setup.sh clang-tidy ccache
tools/setup.sh chromium chromium-driver || echo "tilewright test: without Chromium, the pages of the report are not tested" >&2
tools/setup.sh python3-numpy || echo "tilewright test: without NumPy, the examples for Kernel Tuner are not tested" >&2
git ls-files -z '*.cpp' '*.hpp' | xargs -0 -n 50 -P "$(nproc)" clang-format --dry-run --Werror
tools/lint.sh
cmake --preset asan >/dev/null
cmake --build --preset asan
run_tests asan
cmake --preset release >/dev/null
cmake --build --preset release --target tests_without_sanitizers
run_tests release -L without-sanitizers --no-tests=error
printf '\nNext: tools/demo.sh runs the main job.\n'
