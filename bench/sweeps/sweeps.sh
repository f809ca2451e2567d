#!/usr/bin/env bash
# The sweeps behind docs/benchmarks/first-sweeps.md and docs/your-kernel.md, each into its own text file:
#   bench/sweeps/sweeps.sh OUTPUT_FOLDER [PATH_TO_TILEWRIGHT]
# The compile cache and the database are new, so every configuration is compiled, checked and timed.
set -uo pipefail
export TILEWRIGHT_LIBRARIES=${TILEWRIGHT_LIBRARIES:-off}  # our kernels alone are compared and recorded
output=${1:?"usage: sweeps.sh OUTPUT_FOLDER [PATH_TO_TILEWRIGHT]"}
tilewright=${2:-build/release/bin/tilewright}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

show() {
  printf '\n$ tilewright %s\n' "$*"
  "$tilewright" "$@"
}

# sweep_and_best NAME BUDGET PROBLEM…: each has its own cache, so that none uses another's compiles.
sweep_and_best() {
  local name=$1 budget=$2
  shift 2
  {
    "$tilewright" --version
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
    echo "$(nproc) cores"
    time show sweep "$@" --strategy random --budget "$budget" --db "$work/sweeps.db" --cache "$work/$name"
    show best "$@" --db "$work/sweeps.db"
  } >"$output/$name.txt" 2>&1
}

sweep_and_best gemm-1024 500 gemm M=N=K=1024
sweep_and_best gemm-2000 500 gemm M=N=K=2000
sweep_and_best gemm-4096 500 gemm M=N=K=4096
sweep_and_best gemm-33x4097x1023 500 gemm M=33 N=4097 K=1023
sweep_and_best conv1d-9 500 conv1d length=16777216 taps=9
sweep_and_best conv1d-129 500 conv1d length=16777216 taps=129
sweep_and_best stencil5 500 examples/stencil5/stencil5.toml height=4096 width=4096
sweep_and_best gemm-tiled-1024-cold-cache 1000 gemm/tiled M=N=K=1024
"$tilewright" export --format csv --db "$work/sweeps.db" >"$output/best.csv"
"$tilewright" export --format header --db "$work/sweeps.db" >"$output/best-header.txt"
"$tilewright" results --db "$work/sweeps.db" >"$output/results.txt"
