#!/usr/bin/env bash
# Prints what each command prints, for people to read: transcripts.sh PROGRAM > FILE. Sweeps on the host device.
set -uo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TILEWRIGHT_DB=$scratch/results.db TILEWRIGHT_KERNELS=$PWD/kernel_templates LC_ALL=C.UTF-8

say() {
  printf '\n$ tilewright %s\n' "$*"
  "$program" "$@" 2>&1
  local status=$?
  [ "$status" = 0 ] || echo "(status $status)"
}

for record in g1000 c5; do
  zcat "bench/records/$record.json.gz" > "$scratch/$record.json"
  "$program" import "$scratch/$record.json" > /dev/null
done
say devices
say kernels
say kernels gemm/tiled
say plan gemm/tiled M=N=K=1024 --arch sm_90
say sweep gemm/tiled M=N=K=64 --device host --budget 20
say sweep tests/cli/blur/blur.toml --device host
blur=$("$program" results blur --json | grep -o '"sweep": "[^"]*' | head -1 | cut -d'"' -f4)
say sweep examples/stencil5/stencil5.toml --device host --budget 40
say best examples/stencil5/stencil5.toml --device host
say results
say results --sweep f6e1 --limit 2
say results --sweep "${blur:-0}" --limit 3
say best gemm M=N=K=1000 --device H200
say best gemm M=N=K=1234 --device H200
say best gemm/tiled M=N=K=77 --device host --shipped none --format defines
say best gemm/tiled M=N=K=1000 --device H200 --format header
say explain gemm/blocked M=N=K=1000 STAGES=3 --device H200
say explain tests/cli/blur/blur.toml VECTOR=4 --device host
say portfolio gemm --device H200
say diff "$scratch/g1000.json" "$TILEWRIGHT_DB"
say recheck gemm/tiled --device host
