#!/usr/bin/env bash
# Compares products in the types of tensor cores with cuBLAS, cublasLt, and Triton (docs/benchmarks/peers.md):
#   bench/compare/tensor_peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [REGEX [OPTION…]]
# REGEX chooses cases by their names; by default all that begin with tensor-. Options go to tilewright-peers:
# --libraries DIR. All GPUs of the machine take cases in turn, each with its share of the processor's cores. Each case
# writes OUTPUT_FOLDER/CASE.txt, which has commands and what they printed: a sweep of gemm/wgmma, with at most 4 rows
# one of gemm/thin, too, and the winner and the libraries, operands cold, and warm. CASE.db is the sweeps' database.
# Cases of 2^34 operations or more are compared a third time, cold, where each side runs alone for 150 ms before each
# of its samples. Then triton.jsonl and triton.log by bench/compare/triton_gemm.py, if python3 has PyTorch and Triton, and
# table.md by bench/tables/tensor_peers.py, which is also printed. OUTPUT_FOLDER must not have results of a chosen
# case yet.
# Environment: KERNEL is swept in place of gemm/wgmma. WHERE is the rule for its sweeps, DEPENDENT=='no' by default.
# SWEEP_OPTIONS, such as "--time-limit 8s", go to every sweep. No case begins after SECONDS_TO_BEGIN seconds, and Triton
# stops there too; the rest is listed in not_begun.txt. TRITON=no leaves Triton out. HEAT is the time for which both
# sides run before they are measured (1s).
# The exit status is 1 if a case was not measured under both policies.
set -uo pipefail
export TILEWRIGHT_LIBRARIES=${TILEWRIGHT_LIBRARIES:-off}  # our kernels alone are compared and recorded
usage="usage: tensor_peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [REGEX [OPTION…]]"
output=${1:?"$usage"}
output=$(realpath -m -- "$output")
bin=${2:?"$usage"}
regex=${3:-^tensor-}
shift $(($# < 3 ? $# : 3))
here=$(cd "$(dirname "$0")/../.." && pwd)
limit=${SECONDS_TO_BEGIN:-86400}
kernel=${KERNEL:-gemm/wgmma}
where=${WHERE-DEPENDENT==\'no\'}
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
  for old in "$output/$name".{txt,db}; do
    [[ ! -e $old ]] || fail "$old exists; remove it, or name another folder"
  done
done <"$work/chosen"
mapfile -t gpus < <(nvidia-smi --query-gpu=uuid --format=csv,noheader)
((${#gpus[@]})) || fail "nvidia-smi lists no GPU"
mkdir -p "$output" || exit
rm -f "$output/not_begun.txt"
definition=$here/examples/kernel_tuner_convolution/kernel_tuner_convolution.toml
peer_options=(--definition "$definition" --heat "${HEAT:-1s}" "$@")

# without_folders: its input without this machine's folders.
without_folders() {
  sed "s#$output#OUTPUT#g; s#$work#WORK#g; s#$here/##g; s#$bin/##g"
}

# show PROGRAM WORD…: the command, and what it prints.
show() {
  echo "\$ $1 ${*:2}" | without_folders
  "$bin/$1" "${@:2}" "${places[@]}" 2>&1 </dev/null | without_folders
  return "${PIPESTATUS[0]}"
}

# tune NAME WORD…: sweeps of a product.
tune() {
  local name=$1
  local options=()
  read -r -a options <<<"${SWEEP_OPTIONS:-}"
  show tilewright sweep "$kernel" "${@:2}" ${where:+--where "$where"} "${options[@]}"
  [[ ! $name =~ -[1-4]x ]] || show tilewright sweep gemm/thin "${@:2}" "${options[@]}"
}

# is_large NAME: whether a call is of at least 2^34 operations, so that it reaches the power limit.
is_large() {
  [[ $1 =~ -([0-9]+)x([0-9]+)x([0-9]+)(-b([0-9]+))? ]] &&
    ((2 * BASH_REMATCH[1] * BASH_REMATCH[2] * BASH_REMATCH[3] * ${BASH_REMATCH[5]:-1} >= 1 << 34))
}

# compare NAME WORD…: sweeps of a product, and its comparisons. Fails if one of the first two measured nothing.
compare() {
  local name=$1 failed=0
  local places=(--db "$output/$name.db" --cache "$work/cache-$gpu")
  echo "[$(date -u +%FT%TZ)] $name on $(nvidia-smi -i "$gpu" --query-gpu=name,power.limit --format=csv,noheader)"
  tune "$@"
  for policy in cold warm; do
    show tilewright-peers "${peer_options[@]}" --policy $policy "--benchmark_filter=^$name/" || failed=1
  done
  ! is_large "$name" ||
    show tilewright-peers "${peer_options[@]}" --policy cold --lead-in 0.15s "--benchmark_filter=^$name/"
  return $failed
}

# serve GPU CORES: takes cases for one GPU until none is left.
serve() {
  local gpu=$1 name words
  export CUDA_VISIBLE_DEVICES=$gpu
  taskset -cp "$2" "$BASHPID" >"$work/taskset" 2>&1
  while IFS=$'\t' read -r name words; do
    mkdir "$work/$name" 2>/dev/null || continue  # another GPU has it
    if ((SECONDS >= limit)); then
      echo "$name" >>"$output/not_begun.txt"
      touch "$work/$name/settled"
      continue
    fi
    echo "$name: begun after $SECONDS s on $gpu" >&2
    # shellcheck disable=SC2086  # a list of words
    compare "$name" ${words#gemm } >"$output/$name.txt" && touch "$work/$name/settled"
  done <"$work/chosen"
}

cores=$(($(nproc) / ${#gpus[@]}))
for i in "${!gpus[@]}"; do
  serve "${gpus[i]}" "$((i * cores))-$(((i + 1) * cores - 1))" &
done
wait
status=0
while IFS=$'\t' read -r name words; do  # whatever became of the process that had it
  [[ -e $work/$name/settled ]] || status=1
done <"$work/chosen"

# run_triton I: every case whose turn it is on GPU I, into files of its own.
run_triton() {
  awk -v i="$1" -v n="${#gpus[@]}" 'NR % n == i' "$work/chosen" |
    CUDA_VISIBLE_DEVICES=${gpus[$1]} python3 "$here/bench/compare/triton_gemm.py" \
      --seconds "$((SECONDS < limit ? limit - SECONDS : 0))" >"$work/$1.jsonl" 2>"$work/$1.log" ||
    tail -n 1 "$work/$1.log" >&2
}

if [[ ${TRITON:-yes} != no ]]; then
  for i in "${!gpus[@]}"; do run_triton "$i" & done
  wait
  cat "$work"/*.jsonl >"$output/triton.jsonl"
  cat "$work"/*.log >"$output/triton.log"
fi
python3 "$here/bench/tables/tensor_peers.py" "$output" >"$output/table.md" || status=1
cat "$output/table.md"
exit "$status"
