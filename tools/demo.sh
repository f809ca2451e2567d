#!/usr/bin/env bash
# Sets everything up and runs the main job on the best device of this machine: sweeps, their best
# configurations, and an export. Without a GPU that device is the CPU, and a plan for a GPU follows.
# Safe to run twice, because a finished sweep answers from the database.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release --target tilewright tilewright-worker
tilewright=build/release/bin/tilewright
database=build/demo.db

show() {
  printf '\n$ tilewright %s\n' "$*"
  "$tilewright" "$@"
}

if "$tilewright" devices 2>/dev/null | grep -q '^cuda:'; then
  gemm=(gemm M=N=K=1024)
  conv1d=(conv1d length=1048576 taps=9)
  budget=200
else
  echo "No CUDA GPU here: measuring on the CPU, on smaller problems." >&2
  gemm=(gemm M=N=K=192)
  conv1d=(conv1d length=262144 taps=9)
  budget=40
fi
show sweep "${gemm[@]}" --budget "$budget" --db "$database"
show best "${gemm[@]}" --db "$database"
show sweep "${conv1d[@]}" --budget "$budget" --db "$database"
show best "${conv1d[@]}" --db "$database"
show export --format json --output build/demo.json --db "$database"
if compiler=$("$tilewright" --version | grep '^NVRTC none'); then
  echo "Skipped the plan for a GPU: $compiler" >&2
elif [ "$budget" = 40 ]; then
  show plan gemm/tiled M=N=K=4096 --arch sm_90 --compile 20
fi
printf '\nNext: %s --help, %s kernels, docs/manifest.md for a kernel of your own.\n' "$tilewright" "$tilewright"
