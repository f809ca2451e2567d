#!/usr/bin/env bash
# Filters of 5 × 5 to 111 × 111 taps and long signals, by default sweeps of all implementations (docs/benchmarks/fourier.md):
#   bench/sweeps/fourier.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS
# Writes sweeps.txt, what the sweeps and look-ups without results printed, fourier.json.gz, an export with all trials, and
# fourier.csv: for each problem the best of each implementation in µs, cold and warm, its largest error, and how many
# configurations it tried. DATABASE keeps the winners; by default it is a new one. With it, the libraries take part:
#   DATABASE=FILE CASES='^$' bench/compare/peers.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS \
#       --benchmark_filter='^conv2d-4096x4096-k(5x5|7x7|9x9|11x11|15x15|17x17|21x21|31x31|45x45|63x63)/|^conv2d-.*k31x31|^conv1d-10000000'
usage="usage: fourier.sh OUTPUT_FOLDER FOLDER_OF_PROGRAMS"
source "$(dirname "$0")/begin.sh"

database=${DATABASE:-$work/fourier.db}
problems=()
for taps in 5 7 9 11 15 17 21 31 45 63 111; do problems+=("conv2d filter_width=$taps"); done
problems+=("conv2d width=1920 height=1080 filter_width=31" "conv2d width=height=1024 batch=8 filter_width=31"
  "conv2d width=height=8192 filter_width=31" "conv1d length=10000000 taps=500" "conv1d length=10000000 taps=1025"
  "conv2d filter_width=31 filter=prepared" "conv1d length=10000000 taps=500 filter=prepared")
for problem in "${problems[@]}"; do
  read -ra words <<<"$problem"
  {
    printf '\n$ tilewright sweep %s\n' "$problem"
    time "$bin/tilewright" sweep "${words[@]}" --priors none --shipped none --db "$database" --cache "$work/cache"
    printf '\n$ tilewright best %s\n' "$problem"
    "$bin/tilewright" best "${words[@]}" --db "$work/no-results.db" --shipped none
  } >>"$output/sweeps.txt" 2>&1
done
"$bin/tilewright" export --db "$database" >"$work/fourier.json"
gzip -9 <"$work/fourier.json" >"$output/fourier.json.gz"
python3 - "$work/fourier.json" >"$output/fourier.csv" <<'END'
import collections, json, sys

print("problem,implementation,tried,cold_us,warm_us,error,ratio,configuration")
for sweep in json.load(open(sys.argv[1]))["sweeps"]:
    trials = collections.defaultdict(list)
    for trial in sweep["trials"]:
        trials[trial["implementation"]].append(trial)
    sizes = ("width", "height", "batch", "filter_width", "length", "taps", "filter")
    values = sweep["key"]["problem"]["values"]
    problem = " ".join(f"{name}={values[name]}" for name in sizes if name in values)
    for name, tried in sorted(trials.items()):
        timed = [one for one in tried if one.get("timing")]
        finals = [one for one in timed if one.get("stage") == "final"]
        if not timed:
            continue
        best = min(finals or timed, key=lambda one: one["timing"]["median_us"])
        settings = " ".join(f"{key}={value}" for key, value in best["configuration"].items())
        check = best["verification"]
        warm = best.get("warm_timing") or best["timing"]
        configurations = {json.dumps(one["configuration"]) for one in tried}
        print(problem, name, len(configurations), f"{best['timing']['median_us']:.4g}", f"{warm['median_us']:.4g}", f"{check['worst_error']:.2e}",
              f"{check['worst_ratio']:.2f}", settings, sep=",")
END
