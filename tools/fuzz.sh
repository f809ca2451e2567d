#!/usr/bin/env bash
# Fuzzes what reads files from elsewhere, under AddressSanitizer and UndefinedBehaviorSanitizer, with clang's libFuzzer.
#   tools/fuzz.sh MINUTES [TARGET…]   MINUTES for each target, as many targets at once as there are cores
# Ends with status 1 if there is a finding. The inputs are then in build/fuzz/findings/.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:?give the minutes for each target}
shift
tools/setup.sh clang libclang-rt-14-dev
cmake --preset fuzz >/dev/null
targets=("$@")
if ((${#targets[@]} == 0)); then
  for program in $(sed -n 's/^tilewright_fuzz(\([a-z_]*\).*/\1/p' tests/fuzz/CMakeLists.txt); do targets+=("$program"); done
fi
cmake --build --preset fuzz --target fuzz_corpus "${targets[@]/#/fuzz_}"
mkdir -p build/fuzz/findings

fuzz() {
  local target=$1 grown=build/fuzz/corpus/$1 seeds=(build/fuzz/tests/fuzz/corpus/$1)
  mkdir -p "$grown"
  if [[ $target == manifest ]]; then seeds+=(kernel_templates examples); fi
  if ! build/fuzz/bin/"fuzz_$target" -max_total_time=$((minutes * 60)) -rss_limit_mb=2048 -timeout=10 -max_len=65536 \
    -artifact_prefix=build/fuzz/findings/"$target"- "$grown" "${seeds[@]}" >build/fuzz/"$target.log" 2>&1; then
    echo "fuzz: $target found something: build/fuzz/$target.log" >&2
    return 1
  fi
  echo "fuzz: $target: $(grep -oE 'Done [0-9]+ runs in [0-9]+ second' build/fuzz/"$target.log")s, no finding"
}
export -f fuzz
export minutes
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
