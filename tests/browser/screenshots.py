#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes the pictures of `tilewright report` in docs/images, from sweeps that were recorded on an H200.

usage: screenshots.py PROGRAM, from the root of the repository"""
import pathlib
import sys
import tempfile

from browser import Browser
from pages import Pages, open_page
from report_test import choose_sweep, rewrite

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"


def take(browser, name, selector):
    browser.picture(selector, IMAGES / f"{name}.png")


def main():
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = Pages(sys.argv[1], ROOT, folder)
        export = pages.export("c5", "g2048", "c15", "g1000")
        page = pages.write(export)
        rewrite(page, lambda document: document | {"source": "h200.json"})
        for theme in ("light", "dark"):
            with Browser(1200, 1300, dark=theme == "dark") as browser:
                open_page(browser, page)
                choose_sweep(browser, export["sweeps"][0])
                browser.run("window.scrollTo(0, 0)")
                if theme == "light":
                    browser.screenshot(IMAGES / "report-light.png")
                    take(browser, "report-scatter-light", "#chart-scatter")
                else:
                    choose_sweep(browser, export["sweeps"][1])
                    take(browser, "report-roofline-dark", "#chart-roofline")


if __name__ == "__main__":
    main()
