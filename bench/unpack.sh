#!/usr/bin/env bash
# Unpacks raw output of docs/benchmarks/raw.md into the folder NAME: unpack.sh NAME. Without NAME: checks all checksums.
set -euo pipefail
raw=$(dirname "$0")/../docs/benchmarks/raw
[ $# = 0 ] || exec tar xJf "$raw/$1.tar.xz"
for archive in "$raw"/*.tar.xz; do
  sum=$(sha256sum <"$archive" | cut -c1-16)
  grep -qF "($(basename "$raw")/$(basename "$archive"))" "$raw.md" && grep -qF "| $sum |" "$raw.md" ||
    { echo "unpack.sh: $archive is not the one of raw.md" >&2; exit 1; }
done
