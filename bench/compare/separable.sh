#!/usr/bin/env bash
# Measures separable filters (docs/benchmarks/peers.md):
#   bench/compare/separable.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]
# Options go to tilewright-peers: --libraries DIR. Writes what bench/compare/peers.sh writes for the cases separable-…, and for
# those of 4096² in float32
#   implementations.txt   what a sweep of each implementation by itself prints
#   defaults.txt          the same of the one configuration that serves without any sweep
# Then python.jsonl and python.log by bench/compare/python_filters.py, if python3 has PyTorch, and the tables of
# bench/tables/peers.py, which are printed.
# Environment: CASES is a regular expression of cases, by default all. SWEEP_OPTIONS, such as "--time-limit 30s", go
# to every sweep. DEVICE is the device of the sweeps (cuda:0).
set -uo pipefail
usage="usage: separable.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]"
output=${1:?"$usage"}
bin=${2:?"$usage"}
shift 2
here=$(cd "$(dirname "$0")/../.." && pwd)
cases=${CASES:-^separable-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TILEWRIGHT_KERNELS=${TILEWRIGHT_KERNELS:-$here/kernel_templates}

"$bin/tilewright-peers" --list-sweeps >"$work/sweeps" || exit
while IFS=$'\t' read -r name words; do
  [[ $name == separable-* && $name =~ $cases ]] && printf '%s\t%s\n' "$name" "$words"
done <"$work/sweeps" >"$work/chosen"
[[ -s $work/chosen ]] || {
  echo "separable.sh: '$cases' matches no case; tilewright-peers --list-sweeps lists them" >&2
  exit 2
}
mkdir -p "$output" || exit
chosen=$(cut -f 1 "$work/chosen" | paste -sd "|")
CASES="^($chosen)\$" "$here/bench/compare/peers.sh" "$output" "$bin" --benchmark_filter="^($chosen)/" "$@"
status=$?

# sweep FILE DATABASE WORD…: appends what a sweep prints.
sweep() {
  local file=$1 database=$2
  shift 2
  printf '\n$ tilewright sweep %s\n' "$*" >>"$file"
  # shellcheck disable=SC2086  # a list of words
  "$bin/tilewright" sweep "$@" ${SWEEP_OPTIONS:-} --device "$device" --db "$database" --cache "$work/cache" \
    >>"$file" 2>&1 </dev/null || status=1
}

device=${DEVICE:-cuda:0}
where='import json, sys
answer = json.load(sys.stdin)
print(answer["implementation"])
print(" && ".join(f"{name} == {value!r}" for name, value in answer["configuration"].items()))'
: >"$output/implementations.txt"
: >"$output/defaults.txt"
while IFS=$'\t' read -r name words; do
  [[ $name =~ ^separable-4096x4096-r[0-9]+$ ]] || continue
  read -ra problem <<<"${words#conv2d_separable }"
  for implementation in fused march two_pass; do
    sweep "$output/implementations.txt" "$work/apart.db" "conv2d_separable/$implementation" "${problem[@]}"
  done
  # Its database is empty, and no shipped result counts.
  "$bin/tilewright" best conv2d_separable "${problem[@]}" --device "$device" --db "$work/none.db" --shipped none \
    --format json 2>/dev/null | python3 -c "$where" >"$work/default" || status=1
  mapfile -t default <"$work/default"
  sweep "$output/defaults.txt" "$work/defaults.db" "${default[0]}" "${problem[@]}" --where "${default[1]}"
done <"$work/chosen"

python3 "$here/bench/compare/python_filters.py" <"$work/chosen" >"$output/python.jsonl" 2>"$output/python.log" ||
  tail -n 1 "$output/python.log" >&2
[[ ! -e $output/peers.json ]] || python3 "$here/bench/tables/peers.py" "$output" separable || status=1
exit "$status"
