#!/usr/bin/env bash
# What several GPUs of one machine are worth: 24 problems (12 products, 12 convolutions) of equal numbers of
# trials on one GPU and on the first 2, 4, … of them. Needs tilewright and tilewright-worker in one folder, the
# kernel templates where they find them, and as many GPUs of one kind. Writes everything into OUTPUT_FOLDER:
#   bench/fleet/node.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [GPUS…]          by default 1 and 2 GPUs
# Then `bench/fleet/node.py OUTPUT_FOLDER` prints the tables. BUDGET (30) is the number of trials of a problem, PROBLEMS
# (12) the number of problems of each operation, DEVICE (cuda) the kind of device; host only tries the script out.
# Searches are random with one seed and without priors, so all runs try the same configurations:
#   cold-N   with an empty cache of code, on the most GPUs: what compilers cost
#   warm-N   with all code in the cache: what GPUs are worth, and what busy neighbours do to times
#   pairs    winners that differ between 1 GPU and N, measured again side by side on one GPU
set -euo pipefail
output=${1:?"usage: node.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [GPUS…]"}
programs=${2:?"give the folder of tilewright and tilewright-worker"}
shift 2
counts=("$@")
((${#counts[@]})) || counts=(1 2)
kind=${DEVICE:-cuda}
budget=${BUDGET:-30}
here=$(cd "$(dirname "$0")" && pwd)
tilewright=$(cd "$programs" && pwd)/tilewright
mkdir -p "$output"
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT

if [[ $kind == host ]]; then
  gemm=gemm/naive convolution=conv1d
  for ((i = 0; i < 12; ++i)); do echo "M=$((32 - i)) N=K=16"; done >"$output/gemm.txt"
  for ((i = 0; i < 12; ++i)); do echo "length=$((4096 - i)) taps=5"; done >"$output/convolution.txt"
else
  gemm=gemm/tiled convolution=conv2d/halo
  for m in 4096 3072 2048; do for n in 4096 2048; do for k in 4096 1024; do echo "M=$m N=$n K=$k"; done; done; done >"$output/gemm.txt"
  for size in 8192 6144 4096 3072; do for taps in 7 5 3; do echo "width=height=$size filter_width=filter_height=$taps"; done; done >"$output/convolution.txt"
fi

for operation in gemm convolution; do sed -i "$((${PROBLEMS:-12} + 1)),\$d" "$output/$operation.txt"; done

# devices N: "cuda:0,1,…"
devices() { seq -s, 0 $(($1 - 1)) | sed "s/^/$kind:/"; }

# run NAME GPUS: both operations, one after the other.
run() {
  local name=$1 gpus=$2 operation
  rm -f "$output/$name.db"
  for operation in gemm convolution; do
    date +%s.%N >"$output/$name-$operation.begin"
    "$tilewright" sweep "${!operation}" --shapes "$output/$operation.txt" --device "$(devices "$gpus")" \
      --strategy random --seed 1 --priors none --budget "$budget" --db "$output/$name.db" --cache "$cache" \
      --json >"$output/$name-$operation.json" 2>"$output/$name-$operation.log" || echo "$name $operation: status $?" >&2
    date +%s.%N >"$output/$name-$operation.end"
  done
  "$tilewright" export --db "$output/$name.db" | gzip -9 >"$output/$name.export.json.gz"
  rm -f "$output/$name.db"
}

{
  "$tilewright" --version
  "$tilewright" devices 2>&1
  nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader 2>&1 || true
  echo "$(nproc) cores; BUDGET=$budget; runs on ${counts[*]} devices of $kind"
} >"$output/machine.txt"
most=$(printf '%s\n' "${counts[@]}" | sort -n | tail -1)
run "cold-$most" "$most"
for count in "${counts[@]}"; do run "warm-$count" "$count"; done

# pair NAME OPERATION WHERE WORD…: both winners in one final on one device.
pair() {
  local name=$1 operation=$2 where=$3
  shift 3
  "$tilewright" sweep "$operation" "$@" --where "$where" --strategy exhaustive --budget all --device "$(devices 1)" \
    --db "$output/pairs.db" --cache "$cache" --fresh --json >"$output/pair-$name.json" 2>>"$output/pairs.log" || true
}
if python3 "$here/node.py" "$output" --pairs >"$output/pairs.sh"; then
  # shellcheck disable=SC1091
  source "$output/pairs.sh"
  rm -f "$output/pairs.db"
  python3 "$here/node.py" "$output" | tee "$output/report.md"
else
  echo "python3 is missing here, so no winners were measured side by side; run bench/fleet/node.py elsewhere" >&2
fi
