#!/usr/bin/env bash
# Whether the definitions of tests/definitions and the scripts of examples/kernel_tuner work on a GPU:
#   bench/micro/definitions.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS
# Sweeps each definition with a small budget, three of them also with compiler = "nvcc" where there is an nvcc, and
# runs the scripts. Prints one line each, and writes them to summary.txt: the name, ok or the exit status, seconds, and
# the winners or what went wrong. NAME.json or NAME.txt has the results, NAME.log the messages. The exit status is 1 if
# anything failed. Sweeps run in parallel with each other and with the scripts on one GPU, to end soon. So their times
# are no benchmark.
# Environment: DEVICE (cuda:0); JOBS, how many sweeps at once (4); BUDGET of each (4); CASES, a regular expression of
# names; PYTHON (python3), which needs NumPy; TILEWRIGHT_LIBRARY, the library for Python, by default that of the build.
set -uo pipefail
output=$(realpath -m "${1:?"usage: definitions.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS"}")
bin=$(realpath "${2:?"usage: definitions.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS"}")
root=$(cd "$(dirname "$0")/../.." && pwd)
device=${DEVICE:-cuda:0} budget=${BUDGET:-4} python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"
: >"$output/summary.txt"
export PATH=$bin:$PATH PYTHONPATH=$root/bindings/python PYTHONDONTWRITEBYTECODE=1
export TILEWRIGHT_LIBRARY=${TILEWRIGHT_LIBRARY:-$(dirname "$bin")/bindings/c/libtilewright.so}
export root output work device budget python

# report NAME STATUS SECONDS TEXT
report() {
  local state=ok
  ((${2} == 0)) || state="status $2"
  printf '%-26s %-10s %5.1f s  %s\n' "$1" "$state" "$3" "$4" | tee -a "$output/summary.txt"
}

# seconds_since START
seconds_since() { "$python" -c "print($EPOCHREALTIME - $1)"; }

# Prints the winners of a sweep's JSON. Fails if not every configuration that was tried has been measured.
cat >"$work/winners.py" <<'END'
import json, sys
sweep = json.load(open(sys.argv[1]))
report = sweep["report"]
texts = [w["implementation"] + "".join(f" {n}={v}" for n, v in w["configuration"].items()) for w in sweep["winners"]]
outcomes = {name: count for name, count in report["outcomes"].items() if name != "pruned"}
print("; ".join(texts), outcomes)
sys.exit(not texts or set(outcomes) - {"measured", "duplicate"} != set())
END

# sweep NAME MANIFEST
sweep() {
  local name=$1 start=$EPOCHREALTIME status=0 text
  TILEWRIGHT_LOCKS=$work/locks-$name timeout 110 tilewright sweep "$2" --device "$device" --budget "$budget" --strict \
    --json --db "$work/$name.db" --cache "$work/cache" >"$output/$name.json" 2>"$output/$name.log" </dev/null || status=$?
  if ((status == 0)); then
    text=$("$python" "$work/winners.py" "$output/$name.json") || status=1
  else
    text=$(grep -m 1 '^tilewright: ' "$output/$name.log")
  fi
  report "$name" "$status" "$(seconds_since "$start")" "$text"
}

# script FILE
script() {
  local name start=$EPOCHREALTIME status=0
  name=kernel_tuner-$(basename "$1" .py)
  local printed=$output/$name.txt messages=$output/$name.log
  timeout 110 "$python" "$1" "$device" >"$printed" 2>"$messages" </dev/null || status=$?
  ((status == 0)) || printed=$messages
  report "$name" "$status" "$(seconds_since "$start")" "$(tail -n 1 "$printed" | cut -c 1-200)"
}
export -f report seconds_since sweep script

# chosen NAME
chosen() { [[ $1 =~ ${CASES:-.} ]]; }

for file in "$root"/tests/definitions/*.toml; do
  printf '%s\t%s\n' "$(basename "$file" .toml)" "$file"
done >"$work/sweeps"
nvcc=$(PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin command -v nvcc) || true
for name in blend constants csr; do
  if [[ -z $nvcc ]]; then
    chosen "nvcc-$name" && printf '%-26s skipped: there is no nvcc\n' "nvcc-$name" | tee -a "$output/summary.txt"
    continue
  fi
  mkdir -p "$work/nvcc"
  cp "$root/tests/definitions/$name"* "$work/nvcc"
  sed -i '/^\[\[implementation\]\]$/a compiler = "nvcc"' "$work/nvcc/$name.toml"
  printf 'nvcc-%s\t%s\n' "$name" "$work/nvcc/$name.toml" >>"$work/sweeps"
done

for file in "$root"/examples/kernel_tuner/*.py; do
  ! chosen "kernel_tuner-$(basename "$file" .py)" || script "$file"
done &
# shellcheck disable=SC2016  # xargs starts shells that know $1 and $2
while IFS=$'\t' read -r name file; do
  ! chosen "$name" || printf '%s\0%s\0' "$name" "$file"
done <"$work/sweeps" | xargs -0 -r -n 2 -P "${JOBS:-4}" bash -c 'sweep "$1" "$2"' _
wait
! grep -q ' status ' "$output/summary.txt"
