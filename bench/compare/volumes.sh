#!/usr/bin/env bash
# Tunes filters and stencils of volumes, and compares the winners on a GPU:
#   bench/compare/volumes.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]
# Options go to tilewright-peers: --libraries DIR. Writes what bench/compare/peers.sh writes, with cuDNN, the plain kernels, and
# for fused steps the winner among single steps; then volumes.txt and volumes.json of bench/compare/volumes.py, with PyTorch,
# CuPy and Triton, if Python has PyTorch. Environment: PYTHON, by default python3; TILEWRIGHT_LIBRARY, the library for
# Python, by default that of the build
set -uo pipefail
output=${1:?"usage: volumes.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]"}
bin=${2:?"usage: volumes.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS [OPTION…]"}
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
mkdir -p "$output"
DATABASE=${DATABASE:-$output/volumes.db}
export DATABASE

CASES='^(conv3d|stencil3d)-' "$root/bench/compare/peers.sh" "$output" "$bin" --benchmark_filter='^(conv3d|stencil3d)-' "$@"
status=$?
"$python" -c 'import torch' 2>/dev/null || {
  echo "volumes.py was not run: $python has no PyTorch" >&2
  exit "$status"
}
"$python" "$root/bench/compare/volumes.py" --problems | while read -r words; do
  # shellcheck disable=SC2086  # a list of words
  "$bin/tilewright" sweep $words --db "$DATABASE" </dev/null >>"$output/sweeps.txt" 2>&1
done
PYTHONPATH=$root/bindings/python TILEWRIGHT_LIBRARY=${TILEWRIGHT_LIBRARY:-$bin/../bindings/c/libtilewright.so} \
  "$python" "$root/bench/compare/volumes.py" "$root/kernel_templates" --database "$DATABASE" --json "$output/volumes.json" \
  >"$output/volumes.txt" 2>"$output/volumes.log" || status=$?
exit "$status"
