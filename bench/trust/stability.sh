#!/usr/bin/env bash
# Ten sweeps of each problem and ten naive timings of them. All have the same random configurations,
# so that only the measurements differ. Writes one NAME.json.gz for each problem, which
# bench/tables/trust.py reads:
#   bench/trust/stability.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [SWEEPS [DEVICE]]
set -euo pipefail
export TILEWRIGHT_LIBRARIES=${TILEWRIGHT_LIBRARIES:-off}  # our kernels alone are compared and recorded
output=${1:?"usage: stability.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [SWEEPS [DEVICE]]"}
programs=${2:?"give the folder of tilewright and tilewright-trust"}
sweeps=${3:-10}
device=${4:-cuda:0}
budget=${BUDGET:-200}
problems=${PROBLEMS:-"gemm-1024 gemm-256 conv1d-pow24 conv1d-pow16"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"

words_of() {
  case $1 in
    gemm-*) echo "gemm/tiled M=N=K=${1#gemm-}" ;;
    conv1d-pow*) echo "conv1d length=$((1 << ${1#conv1d-pow})) taps=9" ;;
    *) echo "no problem '$1'" >&2 && exit 2 ;;
  esac
}

for name in $problems; do
  read -ra words <<<"$(words_of "$name")"
  database=$work/$name.db
  common=(--device "$device" --cache "$work/cache")
  for ((i = 0; i < sweeps; ++i)); do
    "$programs/tilewright" sweep "${words[@]}" "${common[@]}" --db "$database" \
      --strategy random --budget "$budget" --fresh --json >"$work/sweep-$i.json"
  done
  "$programs/tilewright" export "${words[0]}" --format json --db "$database" >"$work/export.json"
  "$programs/tilewright-trust" naive "${words[@]}" "${common[@]}" \
    --configurations "$work/export.json" --repeats "$sweeps" --json "$work/naive.json"
  {
    printf '{"name": "%s",\n"sweeps": [' "$name"
    for ((i = 0; i < sweeps; ++i)); do
      ((i == 0)) || printf ','
      cat "$work/sweep-$i.json"
    done
    printf '],\n"export": '
    cat "$work/export.json"
    printf ',\n"naive": '
    cat "$work/naive.json"
    printf '}\n'
  } | gzip -9 >"$output/$name.json.gz"
done
ls -l "$output"
