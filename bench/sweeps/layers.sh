#!/usr/bin/env bash
# Default sweeps of the layers of bench/compare/layers.txt, one after another, into one database (docs/benchmarks/layers.md):
#   bench/sweeps/layers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS <problems
# Problems are what `bench/compare/layers.py --problems` prints, or some lines of it. Writes sweeps.txt, what the sweeps printed,
# tuning.tsv, the seconds, the exit status and the problem of each, and layers.json.gz, an export with all trials. DATABASE
# keeps the winners; by default it is a new one. No sweep begins after SECONDS_TO_BEGIN seconds.
usage="usage: layers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS <problems"
source "$(dirname "$0")/begin.sh"

database=${DATABASE:-$work/layers.db}
while read -ra words; do
  ((SECONDS < ${SECONDS_TO_BEGIN:-86400})) || break
  printf '\n$ tilewright sweep %s\n' "${words[*]}" >>"$output/sweeps.txt"
  begin=$EPOCHREALTIME
  "$bin/tilewright" sweep "${words[@]}" --priors none --shipped none --verbose --db "$database" --cache "$work/cache" \
    >>"$output/sweeps.txt" 2>&1 </dev/null
  status=$?
  printf '%.1f\t%d\t%s\n' "$(awk "BEGIN {print $EPOCHREALTIME - $begin}")" "$status" "${words[*]}" >>"$output/tuning.tsv"
done
"$bin/tilewright" export --db "$database" | gzip -9 >"$output/layers.json.gz"
