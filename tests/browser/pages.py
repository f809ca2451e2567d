# SPDX-License-Identifier: MIT
"""Pages of `tilewright report`, and what a reader does with them in a browser."""
import gzip
import json
import pathlib
import subprocess
import sys

from browser import why_no_browser

SKIPPED = 77


class Pages:
    """Writes pages into a folder."""

    def __init__(self, program, source, folder):
        self.program, self.source, self.folder = program, pathlib.Path(source), pathlib.Path(folder)

    def export(self, *names):
        """The sweeps of these recorded exports of the H200, or of a host device."""
        sweeps = []
        for name in names:
            file = self.source / (f"bench/records/{name}.json.gz" if name != "host"
                                  else "tests/kept/0.1/host.json.gz")
            sweeps += json.loads(gzip.decompress(file.read_bytes()))["sweeps"]
        return {"format": "tilewright", "version": 2, "sweeps": sweeps}

    def write(self, export, *options):
        data, page = self.folder / "export.json", self.folder / "report.html"
        data.write_text(json.dumps(export))
        done = subprocess.run([self.program, "report", "--from", data, "-o", page, *options], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return page


def skip_without_browser(source):
    """Ends the test with the reason if the browser or the chart library is missing."""
    why = why_no_browser()
    if not why and not (pathlib.Path(source) / "build/plotly/plotly.min.js").exists():
        why = "there is no build/plotly/plotly.min.js; run tools/setup.sh"
    if why:
        print("skipped:", why)
        sys.exit(SKIPPED)


def expect(what, found, wanted):
    assert found == wanted, f"{what}: {found!r}, not {wanted!r}"


def open_page(browser, page):
    browser.open(page)
    browser.wait("document.body.dataset.opened")
    expect_quiet(browser)


def expect_quiet(browser):
    expect("the console", browser.log(), [])


def drawn(browser):
    return browser.run("return Object.fromEntries([...document.querySelectorAll('.plot')].map("
                       "(plot) => [plot.id.slice(5), plot.dataset.drawn]))")


def notice(browser, chart):
    return browser.run(f"return document.querySelector('#chart-{chart} .notice').textContent")


def choose(browser, selector, value):
    """Chooses in a list as a reader does, and waits for the charts."""
    browser.run("const list = document.querySelector(arguments[0]); list.value = arguments[1];"
                "if (list.value !== arguments[1]) throw Error('no such choice: ' + arguments[1]);"
                "list.dispatchEvent(new Event('change'))", selector, value)
    settle(browser)


def settle(browser):
    browser.wait("document.body.dataset.state === 'ready'")


def count(browser):
    return browser.run("return document.getElementById('count').textContent")


def set_number(browser, name, text):
    browser.run("const box = document.getElementById(arguments[0]); box.value = arguments[1];"
                "box.dispatchEvent(new Event('change'))", name, text)
    settle(browser)


def press(browser, selector, key):
    browser.run(f"document.querySelector({json.dumps(selector)}).focus()")
    browser.keys(key)
    settle(browser)
