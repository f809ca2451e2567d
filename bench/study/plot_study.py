#!/usr/bin/env python3
"""Turns the study's JSON into a Markdown table and two SVG plots.

    tilewright_study --benchmark_out=study.json --benchmark_out_format=json
    bench/study/plot_study.py study.json [FOLDER] > study.md

Writes study_time.svg and study_speedup.svg into FOLDER (by default the current one). Equal input
and library give equal files.
"""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "tilewright", "svg.fonttype": "none", "font.size": 11})

import matplotlib.pyplot as plt  # noqa: E402: the backend is chosen first

# In the order of the legend. Series that are not in the file are left out. Colour-blind readers can
# tell these colours apart (Okabe and Ito).
SERIES = {
    "sequential": ("sequential, one CPU thread", "#000000", "o"),
    "gemm/naive": ("naive kernel", "#E69F00", "s"),
    "gemm/tiled textbook": ("textbook tiled, 16 × 16", "#0072B2", "^"),
    "gemm/tiled textbook 32": ("textbook tiled, 32 × 32", "#56B4E9", "v"),
    "gemm/tiled tuned": ("tuned tiled", "#009E73", "D"),
}


def read(path):
    """The context, {series: {width: row}} of what was measured, and why the others were not."""
    document = json.loads(path.read_text(encoding="utf-8"))
    rows, missing = {name: {} for name in SERIES}, []
    for row in document["benchmarks"]:
        if row.get("run_type", "iteration") != "iteration":
            continue
        series, _, rest = row["name"].partition("/width:")
        if series not in rows:
            raise ValueError(f"{path}: '{row['name']}' is none of the study's rows")
        width = int(rest.split("/")[0])
        if row.get("error_occurred"):
            missing.append((series, width, row.get("error_message", "no reason given")))
        else:
            rows[series][width] = row
    return document["context"], rows, missing


def time_text(us):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3g} {unit}"
    return f"{us:.3g} µs"


def factor_text(factor):
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"


def speedups(rows, over, series):
    """{width: how many times as fast as `over`}."""
    return {width: rows[over][width]["median_us"] / row["median_us"]
            for width, row in sorted(rows[series].items()) if width in rows[over]}


def print_table(context, rows, missing):
    widths = sorted({width for series in rows.values() for width in series})
    print("| width | series | median | quartiles | runs | over sequential | over naive "
          "| worst error ÷ allowed | differs from sequential ÷ allowed, at most |")
    print("|--:|---|--:|--:|--:|--:|--:|--:|--:|")
    for width in widths:
        for name, (title, _, _) in SERIES.items():
            row = rows[name].get(width)
            if row is None:
                continue
            factors = [speedups(rows, over, name).get(width) for over in ("sequential", "gemm/naive")]
            cells = [str(width), title, time_text(row["median_us"]),
                     f"{time_text(row['lower_us'])} to {time_text(row['upper_us'])}",
                     f"{row['runs']:.0f}",
                     *("–" if factor is None else factor_text(factor) + " ×" for factor in factors),
                     f"{row['worst_ratio']:.2f}",
                     f"{row['vs_sequential_at_most']:.2f}" if "vs_sequential_at_most" in row else "–"]
            print("| " + " | ".join(cells) + " |")
    print()
    reasons = {}
    for series, width, why in missing:
        reasons.setdefault(" ".join(why.split()), {}).setdefault(SERIES[series][0], []).append(str(width))
    for why, which in reasons.items():
        names = "; ".join(f"{name}, width {', '.join(at)}" for name, at in which.items())
        print(f"- not measured: {names}: {why}")
    for key in ("gpu", "driver", "cuda_runtime", "kernel_compiler", "cpu_model",
                "sequential_compiler", "sequential_flags", "times", "checks", "command_line"):
        if key in context:
            print(f"- {key.replace('_', ' ')}: {context[key]}")


def plot(path, title, unit, curves, widths, note):
    figure, axes = plt.subplots(figsize=(8, 5.2), layout="constrained")
    for name, values in curves.items():
        label, colour, marker = SERIES[name]
        axes.plot(list(values), list(values.values()), label=label, color=colour, marker=marker,
                  linewidth=1.8, markersize=6)
    axes.set_yscale("log")
    axes.set_xticks(widths, [str(width) for width in widths])
    axes.grid(True, which="major", color="#cccccc", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.set_xlabel("width of the square matrices")
    axes.set_ylabel(unit)
    axes.set_title(f"{title}\n", loc="left", fontsize=13)
    axes.text(0, 1.02, note, transform=axes.transAxes, fontsize=9, color="#444444")
    if curves:
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3,
                      frameon=False)
    figure.savefig(path, format=path.suffix[1:], metadata={"Date": None})
    plt.close(figure)


def main(arguments):
    if not 1 <= len(arguments) <= 2 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    folder = pathlib.Path(arguments[1] if len(arguments) == 2 else ".")
    try:
        context, rows, missing = read(pathlib.Path(arguments[0]))
    except (OSError, ValueError, KeyError) as error:
        print(f"plot_study.py: {arguments[0]} cannot be used: {error}", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    print_table(context, rows, missing)
    widths = sorted({width for series in rows.values() for width in series})
    gpu = context.get("gpu", "")
    note = "; ".join(part for part in ("no GPU" if gpu.startswith("none") else gpu,
                                       context.get("cpu_model", "")) if part)
    times = {name: {width: series[width]["median_us"] / 1e3 for width in sorted(series)}
             for name, series in rows.items() if series}
    plot(folder / "study_time.svg", "Time of one multiplication", "milliseconds, median (log scale)",
         times, widths, note)
    factors = {name: speedups(rows, "sequential", name) for name in rows}
    plot(folder / "study_speedup.svg", "Speed-up over the sequential loop",
         "times as fast (log scale)", {name: values for name, values in factors.items() if values},
         widths, note)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
