#!/usr/bin/env bash
# Tunes every case of tilewright-peers into one database, and compares the winners with other
# libraries (docs/benchmarks/convolution.md):
#   bench/compare/peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]
# Options go to tilewright-peers: --libraries DIR, --benchmark_filter=REGEX, --policy warm. Writes
#   tuning.txt    wall time of each sweep, its exit status, its name and words
#   sweeps.txt    what the sweeps printed
#   peers.md, peers.json, peers.log
# Environment: CASES is a regular expression; only sweeps with a matching name run. By default these are
# all but those of bench/compare/tensor_peers.sh. SWEEP_OPTIONS, such as "--time-limit 8s", go to every sweep.
# DATABASE keeps the winners; by default it is a new one.
set -uo pipefail
export TILEWRIGHT_LIBRARIES=${TILEWRIGHT_LIBRARIES:-off}  # our kernels alone are compared and recorded
output=${1:?"usage: peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]"}
bin=${2:?"usage: peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]"}
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
database=${DATABASE:-$work/peers.db}
mkdir -p "$output"

"$bin/tilewright-peers" --list-sweeps >"$work/sweeps"
: >"$output/tuning.txt"
{
  "$bin/tilewright" --version
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
  echo "$(nproc) cores"
} >"$output/sweeps.txt"
while IFS=$'\t' read -r name words; do
  [[ $name =~ ${CASES:-^(conv|depthwise|gemm|kernel|separable|stencil)} ]] || continue
  printf '\n$ tilewright sweep %s %s\n' "$words" "${SWEEP_OPTIONS:-}" >>"$output/sweeps.txt"
  start=$EPOCHREALTIME
  # shellcheck disable=SC2086  # both are lists of words
  "$bin/tilewright" sweep $words ${SWEEP_OPTIONS:-} --db "$database" --cache "$work/cache" \
    >>"$output/sweeps.txt" 2>&1 </dev/null
  status=$?
  printf '%.1f s\t%d\t%s\t%s\n' "$(awk "BEGIN {print $EPOCHREALTIME - $start}")" "$status" "$name" \
    "$words" >>"$output/tuning.txt"
done <"$work/sweeps"
"$bin/tilewright-peers" --db "$database" --cache "$work/cache" --json "$output/peers.json" "$@" \
  >"$output/peers.md" 2>"$output/peers.log"
status=$?
tail -n 3 "$output/peers.log"
exit "$status"
