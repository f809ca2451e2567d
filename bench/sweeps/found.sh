#!/usr/bin/env bash
# Default sweeps of 12 products of tensor cores, drawn at random but for two, from empty databases (docs/benchmarks/large-spaces.md):
#   bench/sweeps/found.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS SEED…
# Writes SHAPE-SEED.json, the answer, SHAPE-SEED.txt, all messages, and SHAPE-SEED.json.gz, an export with all trials, for every shape
# and seed, the seeds one after another. No sweep
# begins after SECONDS_TO_BEGIN seconds. A sweep takes about 20 seconds on an H200 with 16 cores. LIMIT=120s is the
# --time-limit of all; ONLY='fp8-.*' leaves the other shapes out.
usage="usage: found.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS SEED…"
source "$(dirname "$0")/begin.sh"

fp8="type_a=float8_e4m3 type_b=float8_e4m3 type_c=bfloat16"
shapes="\
bf16-3000|M=N=K=3000 $bf16
bf16-1075x1328x2753|M=1075 N=1328 K=2753 transpose_a=yes transpose_b=yes $bf16
bf16-640x2176x768|M=640 N=2176 K=768 transpose_a=yes $bf16
bf16-792x616x200|M=792 N=616 K=200 $bf16
fp16-2500x2500x100|M=N=2500 K=100 $fp16
fp16-2385x548x330|M=2385 N=548 K=330 transpose_a=yes transpose_b=yes $fp16
fp16-5632x1664x2304|M=5632 N=1664 K=2304 transpose_b=yes $fp16
fp16-832x440x208|M=832 N=440 K=208 transpose_a=yes transpose_b=yes $fp16
fp8-366x980x1858|M=366 N=980 K=1858 transpose_a=yes $fp8
fp8-256x640x384|M=256 N=640 K=384 transpose_a=yes transpose_b=yes $fp8
fp8-840x776x176|M=840 N=776 K=176 transpose_a=yes transpose_b=yes $fp8
fp8-283x2063x1428|M=283 N=2063 K=1428 transpose_a=yes $fp8"

for seed in "$@"; do
  while IFS='|' read -r name problem; do
    ((SECONDS < ${SECONDS_TO_BEGIN:-86400})) && [[ $name =~ ^(${ONLY:-.*})$ ]] || continue
    one=$output/$name-$seed
    read -ra words <<<"$problem"
    limit=(${LIMIT:+--time-limit "$LIMIT" --strategy model --budget all})
    echo "\$ tilewright sweep gemm ${words[*]} --seed $seed ${limit[*]}" >"$one.txt"
    begin=$SECONDS
    "$bin/tilewright" sweep gemm "${words[@]}" --seed "$seed" "${limit[@]}" --verbose --json --db "$work/one.db" --cache "$work/cache" \
      >"$one.json" 2>>"$one.txt"
    echo "exit status $?, $((SECONDS - begin)) s" >>"$one.txt"
    "$bin/tilewright" export --db "$work/one.db" | gzip -9 >"$one.json.gz"
    rm -rf "$work"/one.db* "$work/cache"
  done <<<"$shapes"
done
