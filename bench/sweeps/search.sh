#!/usr/bin/env bash
# How good sweeps of 200 trials are on a GPU, and what takes their time: the raw output behind docs/benchmarks/search.md.
#   bench/sweeps/search.sh OUTPUT_FOLDER [PATH_TO_TILEWRIGHT]
# Each sweep has its own database and compile cache, and no priors. Exceptions: the long sweeps use the compiles of
# the others, and the last one begins with their results. Takes about four minutes on an H200.
set -uo pipefail
export TILEWRIGHT_LIBRARIES=${TILEWRIGHT_LIBRARIES:-off}  # our kernels alone are compared and recorded
output=${1:?"usage: search.sh OUTPUT_FOLDER [PATH_TO_TILEWRIGHT]"}
tilewright=${2:-build/release/bin/tilewright}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"

# run NAME STORE WORD…: writes the answer to NAME.json and the messages to NAME.txt.
run() {
  local name=$1 store=$2
  shift 2
  echo "\$ tilewright sweep $*" >"$output/$name.txt"
  timeout 120 "$tilewright" sweep "$@" --json --db "$work/$store.db" --cache "$work/$store" \
    >"$output/$name.json" 2>>"$output/$name.txt"
  echo "exit status $?" >>"$output/$name.txt"
}

{
  "$tilewright" --version
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
  echo "$(nproc) cores"
} >"$output/machine.txt" 2>&1
for width in 5 17; do
  for seed in 1 2 3 4 5; do
    run "k$width-seed$seed" "k$width-$seed" conv2d filter_width=$width --budget 200 --seed $seed --priors none
  done
done
example=$here/examples/kernel_tuner_convolution/kernel_tuner_convolution.toml
run kernel-tuner-90 example "$example" filter_width=5 --strategy random --budget 90
run kernel-tuner-target example-target "$example" filter_width=5 --target 76.2us --priors none
mkdir "$work/long"
for found in "$work"/k5-? "$work"/k17-?; do cp -r "$found/." "$work/long"; done
run k5-long long conv2d filter_width=5 --budget 3000 --time-limit 40s --priors none
run k17-long long conv2d filter_width=17 --budget 3000 --time-limit 60s --priors none
run k15-default long conv2d filter_width=15
exit 0
