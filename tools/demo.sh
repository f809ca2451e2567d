#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
# Sets everything up and runs the main job: sweeps on the GPU here, the best of each, an export;
# without a GPU, the plan for one. Safe to run twice: a finished sweep answers from the database.
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

if "$tilewright" devices >/dev/null 2>&1; then
  show sweep gemm M=N=K=1024 --budget 200 --db "$database"
  show best gemm M=N=K=1024 --db "$database"
  show sweep conv1d length=1048576 taps=9 --budget 200 --db "$database"
  show best conv1d length=1048576 taps=9 --db "$database"
  show export --format json --output build/demo.json --db "$database"
elif compiler=$("$tilewright" --version | grep '^NVRTC none'); then
  echo "Skipped, sweep and plan: no GPU and no compiler for one here. $compiler" >&2
  show kernels
else
  echo "No CUDA GPU here; planning for one." >&2
  show plan gemm/tiled M=N=K=4096 --arch sm_90 --compile 40
  show plan conv1d/halo length=16777216 taps=9 --arch sm_90 --compile 40
fi
printf '\nNext: %s --help, %s kernels, docs/manifest.md for a kernel of your own.\n' "$tilewright" "$tilewright"
