#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long pages of `tilewright report` take to be written, to open and to filter, in a headless Chromium.

usage: report_times.py PROGRAM [TRIALS…], from the root of the repository; the sweep is
bench/records/g2048.json.gz with its trials repeated (tests/browser/many_trials.py)"""
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/browser"))
from browser import Browser  # noqa: E402
from many_trials import export_of  # noqa: E402

RUNS = 5
# What the page does here, where WebGL has no GPU, and what it could do.
VARIANTS = {
    "as it is: 3000 points, SVG": None,
    "10 000 points, WebGL": "{type: 'scattergl', most: 10000}",
    "all points, WebGL": "{type: 'scattergl', most: 1000000}",
    "10 000 points, SVG": "{type: 'scatter', most: 10000}",
}
POINTS = "hasWebgl() ? {type: 'scattergl', most: 10000} : {type: 'scatter', most: 3000}"
FILTER = """const box = document.querySelector("input[data-filter='parameter BLOCK_N']"); box.click();
            return new Promise((done) => { const poll = () => document.body.dataset.state === 'ready' ?
            requestAnimationFrame(() => done(Number(document.body.dataset.milliseconds))) : setTimeout(poll, 5); poll(); });"""


def write_page(program, count, folder):
    data, page = folder / "many.json", folder / "many.html"
    data.write_text(json.dumps(export_of(str(ROOT / "bench/records/g2048.json.gz"), count)))
    begin = time.monotonic()
    subprocess.run([program, "report", "--from", data, "-o", page], check=True, capture_output=True)
    return page, time.monotonic() - begin


def measure(page):
    """Milliseconds until all charts are drawn, and of each of two filter changes, in a new browser."""
    with Browser() as browser:
        browser.open(page)
        browser.wait("document.body.dataset.opened", 300)
        opened = int(browser.run("return document.body.dataset.opened"))
        return opened, browser.run(FILTER), browser.run(FILTER)


def text_of(values):
    return f"{statistics.median(values) / 1000:.2f} s ({min(values) / 1000:.2f} to {max(values) / 1000:.2f})"


def report(program, count, folder):
    page, seconds = write_page(program, count, folder)
    print(f"{count} trials: written in {seconds:.1f} s, {page.stat().st_size / 1e6:.1f} MB", flush=True)
    for name, points in VARIANTS.items():
        shown = page
        if points:
            shown = folder / "variant.html"
            assert POINTS in page.read_text()
            shown.write_text(page.read_text().replace(POINTS, points))
        opened, filtered = [], []
        for _ in range(RUNS):
            first, *rest = measure(shown)
            opened.append(first)
            filtered += rest
        print(f"  {name}: open {text_of(opened)}, filter {text_of(filtered)}; load {os.getloadavg()[0]:.1f}", flush=True)


def main():
    program, *counts = sys.argv[1:]
    version = subprocess.run(["chromium", "--version"], capture_output=True, text=True, check=True).stdout.split(" built")[0]
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    print(f"{version.strip()}, {model}, {os.cpu_count()} cores, {platform.system()}; medians of {RUNS} (least to most)")
    with tempfile.TemporaryDirectory() as folder:
        for count in map(int, counts or ["10000", "100000"]):
            report(program, count, pathlib.Path(folder))


if __name__ == "__main__":
    main()
