#!/usr/bin/env bash
# Measures sub-spaces of gemm/wgmma whole, for `tilewright replay` (docs/benchmarks/large-spaces.md):
#   bench/sweeps/records.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [NAME…]
# Spaces of one type share their compiled code. Writes NAME.json.gz, an export with all trials, and NAME.txt;
# bench/fit/record.py makes a record of the export. The order is random, so what a time limit (LIMIT, 10m by default)
# leaves of a space is a fair sample.
usage="usage: records.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [NAME…]"
source "$(dirname "$0")/begin.sh"

every="MIN_BLOCKS == 1 && DEPENDENT == 'no' && IN_FLIGHT == 2 && RASTER == 'rows' && GROUP != 4 && GROUP != 16"
grouped="(GROUP == 8 || ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N) <= 264)"
spaces="\
square|M=N=K=3000 $bf16|SPLIT_K == 1 && $grouped
wide|M=N=5120 K=1280 $bf16|SPLIT_K == 1 && $grouped
batch|M=N=K=1000 batch=12 $bf16|SPLIT_K == 1
flat|M=N=2500 K=100 $fp16|SPLIT_K == 1 && GROUP == 1 && CLUSTER_M * CLUSTER_N <= 2 && SPANS_K == 1 && STAGES <= 6 && BLOCK_M * BLOCK_N >= 8192
thin|M=64 N=K=8192 transpose_b=yes $bf16|CLUSTER_M * CLUSTER_N <= 2 && SPLIT_K <= 4 && SPLIT_K != 3 && BLOCK_N >= 64 && GROUP == 1 && BLOCK_M >= 56
deep|M=N=512 K=16384 $bf16|SPLIT_K >= 4 && CLUSTER_M * CLUSTER_N <= 2 && SPANS_K == 1 && GROUP == 1 && BLOCK_M % 32 == 0 && BLOCK_N % 32 == 0 && BLOCK_M * BLOCK_N >= 4096"

while IFS='|' read -r name problem where; do
  (($# == 0)) || [[ " $* " == *" $name "* ]] || continue
  read -ra words <<<"$problem"
  command=(sweep gemm/wgmma "${words[@]}" --where "$every && $where" --strategy random --budget all --policy cold --priors none)
  printf '$ tilewright' >"$output/$name.txt"
  printf ' %q' "${command[@]}" >>"$output/$name.txt"
  echo >>"$output/$name.txt"
  "$bin/tilewright" "${command[@]}" --time-limit "${LIMIT:-10m}" --verbose --db "$work/$name.db" --cache "$work/cache" >>"$output/$name.txt" 2>&1
  echo "exit status $?" >>"$output/$name.txt"
  "$bin/tilewright" export --db "$work/$name.db" | gzip -9 >"$output/$name.json.gz"
done <<<"$spaces"
