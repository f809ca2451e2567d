# How found.sh and records.sh begin, which have `usage`, OUTPUT_FOLDER and FOLDER_OF_PROGRAMS: makes the output folder with
# machine.txt and a temporary one, $work, and sets the types of tensor cores that both use.
set -uo pipefail
export TILEWRIGHT_LIBRARIES=${TILEWRIGHT_LIBRARIES:-off}  # our kernels alone are compared and recorded
: "${1:?"$usage"}" "${2:?"$usage"}"
output=$(realpath -m -- "$1")
bin=$(realpath -- "$2")
shift 2
here=$(cd "$(dirname "$0")/../.." && pwd)
export TILEWRIGHT_KERNELS=${TILEWRIGHT_KERNELS:-$here/kernel_templates}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"
{
  "$bin/tilewright" --version
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.limit --format=csv,noheader
  echo "$(nproc) cores"
} >"$output/machine.txt" 2>&1

bf16="type_a=bfloat16 type_b=bfloat16 type_c=bfloat16"
fp16="type_a=float16 type_b=float16 type_c=float16"
