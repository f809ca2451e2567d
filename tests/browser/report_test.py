#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens pages of `tilewright report` in a headless Chromium, as readers would.

usage: report_test.py PROGRAM SOURCE_FOLDER; status 77 if the browser or the chart library is missing"""
import base64
import copy
import hashlib
import json
import re
import sys
import tempfile
import time

from browser import Browser
from pages import (Pages, choose, count, drawn, expect, expect_quiet, notice, open_page, press, set_number, settle,
                   skip_without_browser)

CHARTS = ("trials", "seconds", "scatter", "importance", "values", "heat", "distribution", "parallel", "resources",
          "roofline", "cuts", "portability")
TAB, SPACE, DOWN = "\ue004", " ", "\ue015"
ATTACK = "<img src=x onerror=\"window.pwned=1\"><b>bold</b><a href=\"javascript:window.pwned=2\">x</a></script>" \
         "<script>window.pwned=3</script>%{x}${pwned}{{nonce}}"


def other_device(sweep):
    """A sweep as if of another device: the same configurations with other times, and other ones are fast."""
    other = copy.deepcopy(sweep)
    other["uuid"] = "e" * 32
    other["key"]["device"]["name"] = "Another GPU"
    other["trials"] = [trial for trial in other["trials"] if trial["stage"] == "screen"]
    for i, trial in enumerate(trial for trial in other["trials"] if "timing" in trial):
        factor = 1.5 + 0.001 * (i % 700)
        for key, value in trial["timing"].items():
            if key.endswith("_us"):
                trial["timing"][key] = [v * factor for v in value] if isinstance(value, list) else value * factor
    return other


def bare_sweep(sweep):
    """One without times, a report and resources, and not finished."""
    bare = copy.deepcopy(sweep)
    bare.update(uuid="d" * 32, report="another tuner", finished=0)
    bare["trials"] = [{k: v for k, v in trial.items() if k not in ("timing", "warm_timing", "resources", "verification")} |
                      {"outcome": "compile_failed", "message": "error: x"} for trial in bare["trials"]]
    return bare


def open_recorded(browser, pages):
    """One page for several tests: the H200's sweeps, those of version 0.1, and what stands in for other machines."""
    export = pages.export("c5", "c15", "g2048", "thin", "host")
    export["sweeps"] += [other_device(export["sweeps"][0]), bare_sweep(export["sweeps"][-1])]
    open_page(browser, pages.write(export))
    return export


def choose_sweep(browser, sweep):
    value = browser.run("return [...document.querySelectorAll('#top-controls option')].find((one) => "
                        "one.textContent.endsWith(arguments[0])).value", sweep["uuid"][:8])
    choose(browser, "#top-controls select", value)


def seconds_say_what_is_estimated(browser, pages):
    page = pages.write(pages.export("c5"))
    for estimated, begin in ((None, "No trial says when it ended"), (1, "Without the time at which they ended, and so with estimated seconds: 1 of "), (0, "")):
        if estimated is not None:
            rewrite(page, lambda document: {**document, "sweeps": [{**one, "estimated_ends": estimated} for one in document["sweeps"]]})
        open_page(browser, page)
        said = notice(browser, "seconds")
        assert said.startswith(begin) and bool(said) == bool(begin), said
        expect_quiet(browser)


def every_chart_draws(browser, export):
    """Each chart of each sweep with times on the H200; and those of other sweeps say why they have nothing to draw."""
    for sweep in export["sweeps"]:
        choose_sweep(browser, sweep)
        states = drawn(browser)
        expect("charts", sorted(states), sorted(CHARTS))
        if sweep["key"]["device"]["name"] == "NVIDIA H200":
            expect("charts without marks", [n for n, state in states.items() if state != "yes"], [])
        expect("charts that are not settled", [n for n, state in states.items() if state not in ("yes", "nothing")], [])
        empty = browser.run("return [...document.querySelectorAll('.plot')].filter((plot) => plot.dataset.drawn === 'yes' ? "
                            "!plot.querySelector('.trace, .points, .bars, canvas, image') : "
                            "!plot.parentNode.querySelector('.notice').textContent).map((plot) => plot.id)")
        expect("charts without marks or a reason", empty, [])
    choose_sweep(browser, export["sweeps"][0])
    press(browser, "#theme", SPACE)
    expect("theme", browser.run("return document.documentElement.dataset.theme"), "dark")
    expect("text colour", browser.run("return document.querySelector('#plot-trials .xtick text').style.fill"),
           "rgb(232, 234, 237)")
    press(browser, "#theme", SPACE)
    expect_quiet(browser)


def filters_choose_trials(browser, export):
    sweep = export["sweeps"][2]
    trials = sweep["trials"]
    choose_sweep(browser, sweep)
    expect("at first", count(browser), f"{len(trials)} of {len(trials)} trials chosen")
    browser.run("document.getElementById('filters').open = true")
    box = "input[data-filter='parameter BLOCK_N']"
    press(browser, box, SPACE)
    left = [t for t in trials if t["configuration"]["BLOCK_N"] != 64]
    expect("without BLOCK_N=64", count(browser), f"{len(left)} of {len(trials)} trials chosen")
    screened = sorted(t["timing"]["median_us"] for t in left if t["stage"] == "screen")
    near = sum(us <= 1.05 * screened[0] for us in screened)
    assert f"within 5 % of the best: {near} of {len(screened)} " in notice(browser, "distribution"), notice(browser, "distribution")
    points = browser.run("return document.getElementById('plot-scatter').data.reduce((sum, trace) => "
                         "sum + (trace.name === 'fastest' ? 0 : trace.x.length), 0)")
    expect("points", points, len(left))
    press(browser, box, SPACE)
    set_number(browser, "within", "10")
    best = min(t["timing"]["median_us"] for t in trials if t["stage"] == "screen")
    near = sum(t["timing"]["median_us"] <= 1.1 * best for t in trials)
    expect("within 10 %", count(browser), f"{near} of {len(trials)} trials chosen")
    set_number(browser, "within", "")
    choose(browser, "#filter-list select", "registers")
    set_number(browser, "range-from", "100")
    set_number(browser, "range-to", "128")
    few = sum(100 <= t["resources"]["registers"] <= 128 for t in trials)
    expect("100 to 128 registers", count(browser), f"{few} of {len(trials)} trials chosen")
    press(browser, "#reset", SPACE)
    expect("the focus after a reset", browser.run("return document.activeElement.id"), "reset")
    expect("after a reset", count(browser), f"{len(trials)} of {len(trials)} trials chosen")
    browser.run("document.querySelectorAll(arguments[0]).forEach((one) => one.click())", box)
    settle(browser)
    expect("nothing chosen", count(browser), f"0 of {len(trials)} trials chosen")
    expect_quiet(browser)


def axes_can_be_chosen(browser, export):
    choose_sweep(browser, export["sweeps"][0])
    for control, value, title in ((1, "registers", "xaxis"), (2, "parameter OUTPUTS_X", "yaxis"), (3, "time_us", None)):
        choose(browser, f"#chart-scatter .controls label:nth-child({control}) select", value)
        if title:
            label = browser.run(f"return document.getElementById('plot-scatter').layout.{title}.title.text")
            assert label in ("registers per thread", "OUTPUTS_X"), label
    expect("a colour scale", browser.run("return document.getElementById('plot-scatter').data[0].marker.showscale"), True)
    choose(browser, "#chart-resources select", "occupancy")
    choose(browser, "#chart-heat label:nth-child(1) select", "parameter BLOCK_X")
    choose(browser, "#chart-portability label:nth-child(2) select", "problems")
    choose(browser, "#chart-portability label:nth-child(2) select", "devices")
    expect_quiet(browser)


def choices_do_not_wait_for_charts(browser, export):
    """What is chosen while charts are drawn changes those that it should, and the others are still drawn."""
    choose_sweep(browser, export["sweeps"][0])
    browser.run("chooseSweep(report.sweeps.findIndex((one) => one.id === arguments[0]));"
                "const list = document.querySelector('#chart-scatter select'); list.value = 'registers';"
                "list.dispatchEvent(new Event('change'))", export["sweeps"][1]["uuid"])
    settle(browser)
    label = browser.run("return document.getElementById('plot-scatter').layout.xaxis.title.text")
    expect("axis", label, "registers per thread")
    shown = browser.run("return [currentView().sweep.winners[0].time_us, document.getElementById('plot-trials').data.at(-1).y[0],"
                        "document.getElementById('plot-roofline').data.at(-1).y[0] * currentView().sweep.winners[0].time_us /"
                        "currentView().sweep.gflop / 1e6 * currentView().units.rate.size]")
    assert shown[0] == shown[1] and abs(shown[2] - 1) < 1e-9, shown
    expect_quiet(browser)


def the_keyboard_reaches_every_control(browser, _):
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    total = browser.run("window.wanted = new Set([...document.querySelectorAll('select, input, button, summary, a[href], "
                        "[tabindex]')].filter((one) => one.offsetParent !== null)); return wanted.size")
    browser.run("document.addEventListener('focusin', (event) => wanted.delete(event.target)); document.activeElement.blur()")
    browser.keys(TAB * (total + 5))
    expect("controls without a focus", browser.run("return [...wanted].map((one) => one.outerHTML.slice(0, 100))"), [])


def two_devices_are_compared(browser, export):
    ratios = browser.run("const {z, y} = document.getElementById('plot-portability').data[0]; return z")
    names = browser.run("return document.getElementById('plot-portability').layout.xaxis.ticktext")
    expect("devices", sorted(names), ["AMD EPYC", "Another GPU", "NVIDIA H200"])
    a, b = names.index("NVIDIA H200"), names.index("Another GPU")
    assert ratios[a][a] == 1 and ratios[a][b] > 1 and ratios[b][a] > 1, ratios
    expect("what was not measured", ratios[a][names.index("AMD EPYC")], None)
    winners = browser.run("return document.querySelectorAll('#winners tbody tr').length")
    expect("winners", winners, len(export["sweeps"]) - 1)


def hostile(export):
    """Every text of the export that import accepts would run a script if it were HTML. Of names import accepts none."""
    sweep = export["sweeps"][0]
    sweep["key"].update(where=ATTACK, strategy=ATTACK)
    sweep["key"]["device"]["name"] = ATTACK
    sweep["environment"] = {key: ATTACK for key in sweep["environment"]}
    report = sweep["report"]
    for one in report["implementations"].values():
        one["space"] = [{"rule": ATTACK, "count": 3, "example": ATTACK}]
    report["importance"] = [{"name": ATTACK, "share": 0.5}, {"name": "__proto__", "share": 0.5}]
    report["end"] = ATTACK
    for trial in sweep["trials"]:
        if trial["outcome"] != "measured":
            trial.update(rule=ATTACK, message=ATTACK)
    return export


def poisoned(value, key=""):
    """The document with every text replaced, also names that no import accepts."""
    if isinstance(value, dict):
        return {k: v if k in ("outcome", "stage") else poisoned(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(item, key) for item in value]
    return f"{value}{ATTACK}" if isinstance(value, str) else value


def rewrite(page, change):
    """Changes the document in a page."""
    text = page.read_text()
    begin = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", begin)
    document = change(json.loads(text[begin:end]))
    page.write_text(text[:begin] + json.dumps(document).replace("<", "\\u003c") + text[end:])


def expect_nothing_ran(browser):
    time.sleep(0.3)
    expect("what ran", browser.run("return window.pwned || null"), None)


def expect_only_text(browser):
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for chart, state in drawn(browser).items():
        if state == "yes":
            browser.point_at(f"#plot-{chart}")
    expect_nothing_ran(browser)
    expect("elements of the data", browser.run("return [...document.querySelectorAll('img, iframe, object, main script, b, svg a, "
                                               "main a')].map((one) => one.outerHTML)"), [])
    expect("scripts", browser.run("return document.scripts.length"), 3)
    expect("charts that failed", [n for n, state in drawn(browser).items() if state not in ("yes", "nothing")], [])
    expect_quiet(browser)


def a_hostile_export_runs_nothing(browser, pages):
    page = pages.write(hostile(pages.export("c5")))
    open_page(browser, page)
    expect_only_text(browser)
    assert ATTACK in browser.run("return document.getElementById('facts').textContent")
    rewrite(page, poisoned)
    open_page(browser, page)
    for selector, key in (("#chart-scatter .controls label:nth-child(1) select", "parameter BLOCK_X"),
                          ("#chart-scatter .controls label:nth-child(3) select", "parameter LOADING"),
                          ("#chart-heat select", "parameter LOADING")):
        choose(browser, selector, key + ATTACK)
    expect_only_text(browser)
    shown = browser.run("return [...document.querySelectorAll('#chart-values .ytick text')].map((one) => one.textContent)")
    assert any("<img src=x onerror=" in text for text in shown), shown
    # The policy holds even if a chart put the text into the page as HTML.
    browser.run("document.getElementById('about').innerHTML = arguments[0]", ATTACK)
    expect_nothing_ran(browser)
    browser.log()


def with_metric(document):
    """The first sweep with a metric, the number of each trial, of which more is better."""
    sweep = document["sweeps"][0]
    values = list(range(1, sweep["trials"]["count"] + 1))
    sweep["metrics"] = [{"name": "place", "about": "", "unit": "trials", "better": "higher", "trials": values,
                         "winners": [7.5] * len(sweep["winners"])}]
    return document


def metrics_are_shown_and_sorted_by(browser, pages):
    page = pages.write(pages.export("c5"))
    rewrite(page, with_metric)
    open_page(browser, page)
    heading = "[...document.querySelectorAll(arguments[0] + ' th')].findIndex((one) => one.textContent === 'place in trials')"
    column = f"const i = {heading}; return [...document.querySelectorAll(arguments[0] + ' tbody tr')]" \
             ".map((line) => line.children[i].textContent)"
    assert set(browser.run(column, "#facts")) == {"7.5"}, browser.run(column, "#facts")
    choose(browser, "#chart-scatter .controls label:nth-child(4) select", "metric 0")
    found = [int(text) for text in browser.run(column, "#chart-scatter")]
    expect("the best ten by the metric", found, sorted(found, reverse=True))
    expect("how many", len(found), 10)
    expect("the best", found[0], browser.run("return Math.max(...sortedRows(currentView())) + 1"))
    choose(browser, "#chart-scatter .controls label:nth-child(2) select", "metric 0")
    expect("axis", browser.run("return document.getElementById('plot-scatter').layout.yaxis.title.text"), "place in trials")
    expect_quiet(browser)


def repeated(document, times):
    """Each trial of the first sweep `times` times, a little slower each time."""
    trials = document["sweeps"][0]["trials"]
    for key, column in trials.items():
        if isinstance(column, list) and key != "parameters":
            trials[key] = [v if v is None or key != "time_us" else v * (1 + 0.01 * i) for i in range(times) for v in column]
    columns = [column for column in trials.values() if isinstance(column, dict)] + trials["parameters"]
    for column in columns:
        column["indices"] = column.get("indices", [0] * trials["count"]) * times
    trials["count"] *= times
    return document


def the_fastest_are_never_thinned(browser, pages):
    page = pages.write(pages.export("g2048"))
    rewrite(page, lambda document: repeated(document, 25))
    open_page(browser, page)
    expect("at first", count(browser), "14 300 of 14 300 trials chosen")
    for has_webgl, drawn_points in (("false", "3000"), ("true", "10 000")):  # and with WebGL, as if there were a GPU
        browser.run(f"webgl = {has_webgl}; redrawAll()")
        settle(browser)
        assert notice(browser, "scatter").startswith(f"Thinned: {drawn_points} of "), notice(browser, "scatter")
        missing = browser.run(
            "const view = currentView(); const shown = new Set(document.getElementById('plot-scatter').data.flatMap("
            "(trace) => [...trace.customdata])); return sortedRows(view).slice(0, pointKind().most / 2)"
            ".filter((row) => !shown.has(row + 1)).length")
        expect("fast trials that are not drawn", missing, 0)
        expect("points", browser.run("return document.getElementById('plot-scatter').data.reduce((sum, trace) => "
                                     "sum + trace.x.length, 0)"), int(drawn_points.replace(" ", "")) + 1)
        expect_quiet(browser)


def without_a_network_a_linked_page_says_why(browser, pages):
    browser.open(pages.write(pages.export("c5"), "--link"))
    browser.wait("document.body.dataset.state === 'failed'")
    assert "cdn.plot.ly" in browser.run("return document.getElementById('about').textContent")
    browser.log()


def the_hash_is_the_librarys(browser, pages):
    """What --link names is what set-up fetched."""
    text = (pages.source / "tools/report/report.hpp").read_text()
    library = (pages.source / "build/plotly/plotly.min.js").read_bytes()
    digest = base64.b64encode(hashlib.sha384(library).digest()).decode()
    expect("the hash", re.search('"sha384-(.*)"', text).group(1), digest)
    version = re.search('kPlotlyVersion = "(.*)"', text).group(1)
    assert f"plotly.js v{version}\n" in library[:200].decode() and f"plotly_version={version}\n" in (pages.source / "tools/setup.sh").read_text()


def main():
    program, source = sys.argv[1:3]
    skip_without_browser(source)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        pages = Pages(program, source, folder)
        recorded = open_recorded(browser, pages)
        tests = [(test, recorded) for test in (every_chart_draws, filters_choose_trials, axes_can_be_chosen,
                                               choices_do_not_wait_for_charts,
                                               the_keyboard_reaches_every_control, two_devices_are_compared)]
        tests += [(test, pages) for test in (seconds_say_what_is_estimated, metrics_are_shown_and_sorted_by, a_hostile_export_runs_nothing, the_fastest_are_never_thinned,
                                             without_a_network_a_linked_page_says_why, the_hash_is_the_librarys)]
        for test, subject in tests:
            begin = time.monotonic()
            try:
                test(browser, subject)
                outcome = "ok"
            except (AssertionError, RuntimeError, TimeoutError) as error:
                outcome, failed = f"FAILED: {error}", failed + 1
                browser.log()
            print(f"{test.__name__}: {outcome} ({time.monotonic() - begin:.1f} s)", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
