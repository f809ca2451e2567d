#!/usr/bin/env bash
# The raw output behind docs/benchmarks/no-gpu.md, on a machine without a GPU:
#   bench/trust/no_gpu.sh OUTPUT_FOLDER [machine|sweeps|plan|bad_input|host]…     by default all
# Uses the presets release (the program), dev (bad-input tests) and asan (host tests), which must be
# built before. The compile cache and the database are new.
set -euo pipefail
output=$(realpath "${1:?"usage: no_gpu.sh OUTPUT_FOLDER [PART]…"}")
parts=("${@:2}")
((${#parts[@]})) || parts=(machine sweeps plan bad_input host)
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TILEWRIGHT_DB=$work/results.db TILEWRIGHT_CACHE=$work/cache

show() {
  printf '\n$ tilewright %s\n' "$*"
  build/release/bin/tilewright "$@" && status=0 || status=$?
  ((status == 0)) || echo "exit status $status"
}

# sweep_twice NAME PROBLEM…: the second sweep measures everything again, with the code from the cache.
sweep_twice() {
  local name=$1
  shift
  {
    show sweep "$@" --device host --budget 40
    show best "$@" --device host
    show sweep "$@" --device host --budget 40 --fresh --priors none
  } >"$output/$name.txt" 2>&1
}

# tests PRESET LABEL FILE
tests() {
  ctest --preset "$1" -L "$2" 2>&1 | sed "s#$PWD/##" >"$output/$3"
}

machine() {
  {
    grep -m 1 'model name' /proc/cpuinfo
    echo "cores: $(nproc)"
    c++ --version | head -n 1
    build/release/bin/tilewright --version
  } >"$output/machine.txt"
}

sweeps() {
  sweep_twice gemm gemm M=N=K=192
  sweep_twice conv1d conv1d length=262144 taps=9
  sweep_twice conv2d conv2d
  sweep_twice stencil5 examples/stencil5/stencil5.toml
}

plan() {
  {
    show devices
    show plan gemm/tiled M=N=K=4096 --arch sm_90 --compile 40
    show sweep gemm M=N=K=1024 --device cuda:0
    show plan gemm M=N=K=64 --arch sm_42
  } >"$output/plan.txt" 2>&1
}

bad_input() { tests dev bad-input bad-input-tests.txt; }
host() { tests asan host host-tests.txt; }

for part in "${parts[@]}"; do "$part"; done
