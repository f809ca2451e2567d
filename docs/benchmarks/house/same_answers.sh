#!/usr/bin/env bash
# Byte-equal answers before and after a change that is not to change any: OLD and NEW are folders with the program and
# its worker. A database is made by OLD on this CPU; then both answer from it.
#   docs/benchmarks/house/same_answers.sh OLD_BIN NEW_BIN FOLDER [replay file…]
set -euo pipefail
old=$(realpath "$1") new=$(realpath "$2") work=$(realpath -m "$3")
shift 3
root=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$work"
export TILEWRIGHT_CACHE=$work/cache TILEWRIGHT_KERNELS=$root/kernel_templates
unset TILEWRIGHT_DB
base=$work/base.db
if [[ ! -e $base ]]; then
  sweep() { "$old/tilewright" sweep "$@" --device host --db "$base" --jobs 1 >/dev/null 2>&1; }
  sweep gemm/tiled M=N=K=64 --strategy random --seed 3 --budget 12
  sweep gemm M=48 N=40 K=32 --strategy random --seed 4 --budget 12
  sweep conv1d length=4096 taps=9 --strategy random --seed 5 --budget 10
  sweep conv2d width=64 height=48 filter_width=3 filter_height=3 --strategy random --seed 6 --budget 8
  sweep "$root/examples/stencil5/stencil5.toml" width=256 height=64 --strategy random --seed 7 --budget 6 || true
  "$old/tilewright" import "$root"/shipped_results/NVIDIA_H200/conv1d.json --db "$base" >/dev/null 2>&1 || true
fi
sweep_id=$("$old/tilewright" results gemm/tiled --db "$base" --json | python3 -c 'import json,sys; d=json.load(sys.stdin); s=d["sweeps"] if isinstance(d,dict) else d; print((s[0].get("uuid") or s[0].get("sweep"))[:8])')
same=0 different=0
# both NAME COMMAND…: what each prints, and its status; %o is a file to write.
both() {
  local name=$1 which status
  shift
  for which in old new; do
    cp "$base" "$work/$which.db"
    mkdir -p "$work/$which"
    status=0
    ${!which}/tilewright "${@//%o/$work/$which/$name.file}" --db "$work/$which.db" >"$work/$which/$name" 2>"$work/$which/$name.err" || status=$?
    echo "status $status" >>"$work/$which/$name"
    sed -i "s#$work/$which#FOLDER#g" "$work/$which/$name" "$work/$which/$name.err"
  done
  compare "$name"
}
# only NAME COMMAND…: the same for commands without a database.
only() {
  local name=$1 which status
  shift
  for which in old new; do
    mkdir -p "$work/$which"
    status=0
    ${!which}/tilewright "$@" >"$work/$which/$name" 2>"$work/$which/$name.err" || status=$?
    echo "status $status" >>"$work/$which/$name"
  done
  compare "$name"
}
# What a run of the machine decides: times, and what the cache held.
without_times() {
  sed -E '/"(seconds|compiles_per_second|from_cache|compiled|best_of_seconds|took)": /d' "$1"
}
compare() {
  local part
  for part in "" .err .file; do
    [[ -e $work/old/$1$part || -e $work/new/$1$part ]] || continue
    if cmp -s <(without_times "$work/old/$1$part") <(without_times "$work/new/$1$part"); then
      same=$((same + 1))
    else
      different=$((different + 1))
      echo "DIFFERS: $1$part"
    fi
  done
}
both export-json export --format json
both export-csv export --format csv
both export-header export --format header
both export-header-gemm export gemm --format header --shipped none
both export-winners export --format winners --about test
both export-defines export gemm M=N=K=64 --format defines
for problem in "gemm/tiled M=N=K=64" "gemm M=N=K=1024" "gemm M=50 N=40 K=32" "gemm M=777 N=999 K=1234" \
  "conv1d length=4096 taps=9" "conv1d length=5000 taps=9" "conv2d width=4096 height=4096 filter_width=7 filter_height=7" \
  "conv2d width=64 height=48 filter_width=3 filter_height=3"; do
  name=${problem//[ \/]/_}
  for device in host H200; do
    for format in json defines; do
      # shellcheck disable=SC2086
      both "best-$device-$format-$name" best $problem --device $device --format $format
    done
  done
  # shellcheck disable=SC2086
  both "show-reproducer-$name" show $problem --device H200 --reproducer
  # shellcheck disable=SC2086
  both "show-source-$name" show $problem --device host --source
done
both results-json results --json --all
both results-sweep results --sweep "$sweep_id" --json --all --samples
both portfolio portfolio gemm --device host --json --within 50%
both bundle-host bundle gemm M=N=K=64 --arch host --output %o
both bundle-portfolio bundle gemm --portfolio --arch host --output %o
both bundle-sm90 bundle conv1d length=16777216 taps=9 --arch sm_90 --output %o
only diff diff "$base" "$root/shipped_results/NVIDIA_H200/conv1d.json" --json
only plan-gemm plan gemm M=N=K=1024 --arch sm_90 --compile 6 --json --seed 3 2>/dev/null
only plan-conv2d plan conv2d width=4096 height=4096 filter_width=7 filter_height=7 --arch sm_90 --compile 4 --json
only kernels kernels
only kernels-blocked kernels gemm/blocked
only help --help
for command in devices kernels plan best results export import diff merge show portfolio bundle recheck; do
  only "help-$command" $command --help
done
for file in "$@"; do
  only "replay-$(basename "$file")" replay "$file" --strategy random,model --budget 100 --seeds 2 --jobs 1 --json
done
# The order of trials: the same seed, a sweep of each program on a database of its own. The first run fills the cache.
for which in old old new; do
  rm -f "$work/order-$which.db"
  ${!which}/tilewright sweep gemm/tiled M=N=K=32 --device host --strategy random --seed 9 --budget 30 --jobs 1 \
    --db "$work/order-$which.db" >/dev/null 2>&1
  ${!which}/tilewright export --format json --db "$work/order-$which.db" | python3 -c '
import json, sys
data = json.load(sys.stdin)
for sweep in data["sweeps"]:
    for trial in sweep["trials"]:
        print(trial.get("stage"), trial.get("implementation"), json.dumps(trial.get("configuration"), sort_keys=True))' |
    grep -v '^final' >"$work/$which/order"
done
compare order
echo "$same equal, $different different"
