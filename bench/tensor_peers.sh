#!/usr/bin/env bash
# Compares products in the types of tensor cores with cuBLAS, cublasLt, and Triton (docs/benchmarks/peers.md):
#   bench/tensor_peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [REGEX [OPTION…]]
# REGEX chooses cases by their names; by default all that begin with tensor-. Options go to tilewright-peers:
# --libraries DIR. One case after another, each in OUTPUT_FOLDER/CASE:
#   tuning.txt, sweeps.txt               a sweep from an empty database, as by bench/peers.sh
#   peers.md, peers.json, peers.log      its winner and the libraries, operands cold
#   warm.md, warm.json, warm.log         the same, operands warm
# Then OUTPUT_FOLDER/triton.jsonl and triton.log by bench/triton_gemm.py, if python3 has PyTorch and Triton, and
# OUTPUT_FOLDER/table.md, which is also printed. OUTPUT_FOLDER must not have results of a chosen case yet.
# Environment: SWEEP_OPTIONS, such as "--time-limit 8s", go to every sweep. No case begins after SECONDS_TO_BEGIN
# seconds, and Triton stops there too; the rest is listed in not_begun.txt. TRITON=no leaves Triton out. HEAT is the
# time for which both sides run before they are measured (1s).
# The exit status is 1 if a case was not measured under both policies.
set -uo pipefail
usage="usage: tensor_peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [REGEX [OPTION…]]"
output=${1:?"$usage"}
bin=${2:?"$usage"}
regex=${3:-^tensor-}
shift $(($# < 3 ? $# : 3))
here=$(cd "$(dirname "$0")/.." && pwd)
limit=${SECONDS_TO_BEGIN:-86400}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "tensor_peers.sh: $*" >&2
  exit 2
}
[[ $limit =~ ^[0-9]+$ ]] || fail "SECONDS_TO_BEGIN='$limit': give a whole number of seconds"
for program in tilewright tilewright-worker tilewright-peers; do
  [[ -x $bin/$program ]] || fail "$bin has no program $program; build the targets tilewright and tilewright-peers"
done
export TILEWRIGHT_KERNELS=${TILEWRIGHT_KERNELS:-$here/kernel_templates}
"$bin/tilewright-peers" --list-sweeps >"$work/sweeps" || exit
grep '^tensor-' "$work/sweeps" >"$work/tensor"
while IFS=$'\t' read -r name words; do
  [[ ! $name =~ $regex ]] || printf '%s\t%s\n' "$name" "$words"
done <"$work/tensor" >"$work/chosen"
[[ -s $work/chosen ]] || fail "'$regex' matches no case; tilewright-peers --list-sweeps lists them, and only tensor-… count"
while IFS=$'\t' read -r name words; do
  [[ ! -e $output/$name ]] || fail "$output/$name exists; remove it, or name another folder"
done <"$work/chosen"
mkdir -p "$output" || exit
definition=$here/examples/kernel_tuner_convolution/kernel_tuner_convolution.toml
peer_options=(--definition "$definition" --heat "${HEAT:-1s}" "$@")

# compare CASE: its sweep, and both comparisons. Fails if one of these measured nothing.
compare() {
  local name=$1 folder=$output/$1
  local failed=0
  CASES="^$name\$" DATABASE=$work/$name.db SWEEP_OPTIONS="--device cuda:0 ${SWEEP_OPTIONS:-}" \
    "$here/bench/peers.sh" "$folder" "$bin" \
    "${peer_options[@]}" --policy cold --benchmark_filter="^$name/" >&2 || failed=1
  "$bin/tilewright-peers" --db "$work/$name.db" --cache "$work/cache" --json "$folder/warm.json" \
    "${peer_options[@]}" --policy warm --benchmark_filter="^$name/" \
    >"$folder/warm.md" 2>"$folder/warm.log" || failed=1
  rm -f "$work/$name.db"*
  return $failed
}

status=0
rm -f "$output/not_begun.txt"
while IFS=$'\t' read -r name words; do
  if ((SECONDS >= limit)); then
    echo "$name" >>"$output/not_begun.txt"
    continue
  fi
  echo "$name: begun after $SECONDS s" >&2
  compare "$name" </dev/null || status=1
done <"$work/chosen"

if [[ ${TRITON:-yes} != no ]]; then
  python3 "$here/bench/triton_gemm.py" --seconds "$((SECONDS < limit ? limit - SECONDS : 0))" \
    <"$work/chosen" >"$output/triton.jsonl" 2>"$output/triton.log" || tail -n 1 "$output/triton.log" >&2
fi
python3 "$here/docs/benchmarks/tensor_peers.py" "$output" >"$output/table.md" || status=1
cat "$output/table.md"
exit "$status"
