#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes pictures of pages with one trial, with wrong answers alone and with 5000 trials, on a phone and a desk, light and
dark, and checks what can be measured of them.

usage: looks_test.py PROGRAM SOURCE_FOLDER PICTURES_FOLDER; status 77 if the browser or the chart library is missing"""
import copy
import pathlib
import sys
import tempfile

from browser import Browser
from many_trials import copies
from pages import Pages, expect, expect_quiet, open_page, settle, skip_without_browser

PHONE, DESK = 400, 1280
WRONG = "c[{}] is {}.5; expected {} ± 0.0012 ({} of 4096 compared are wrong)"
FAILURES = [("compile_failed", "", "kernel.cu(12): error: no instance of function template matches the argument list"),
            ("compile_failed", "", "kernel.cu(40): error: identifier \"lanes\" is undefined"),
            ("launch_failed", "", "the driver refused the launch: too many resources requested for launch"),
            ("faulted", "", "illegal address in block 3, thread 17"),
            ("timed_out", "", "ran longer than 5 s")]
UNTIMED = ("timing", "warm_timing", "verification")


def failed(trial, outcome, rule, message):
    return {key: value for key, value in trial.items() if key not in UNTIMED} | {
        "outcome": outcome, "rule": rule, "message": message}


def wrong(trial, i):
    return failed(trial, "wrong_answer", "", WRONG.format(i, i, i + 1, i % 4096 + 1))


def of_trials(sweep, trials):
    """A sweep of these trials alone. Its report has no more than the rules of the space."""
    space = {name: one | {"legal": len(trials)} for name, one in sweep["report"]["implementations"].items()}
    return sweep | {"uuid": "f" * 32, "trials": trials,
                    "report": {"candidates": len(trials), "end": "finished", "implementations": space}}


def slower(trial, factor):
    timing = {key: value * factor if key.endswith("_us") and key != "samples_us" else value
              for key, value in trial["timing"].items()}
    return trial | {"timing": timing | {"samples_us": [timing["median_us"]]}}


def second_implementation(sweep):
    """Every third trial as if of another implementation, which lacks two parameters and has one of its own."""
    own = sweep["key"]["implementations"][0]
    other = copy.deepcopy(own) | {"name": own["name"].split("/")[0] + "/other"}
    sweep["key"]["implementations"].append(other)
    for i, trial in enumerate(sweep["trials"]):
        if i % 3 == 0:
            kept = dict(list(trial["configuration"].items())[2:])
            trial.update(implementation=other["name"], configuration=kept | {"STAGES": 1 + i // 3 % 4})


def states(pages):
    """The exports whose pages are looked at, by name."""
    export = pages.export("g2048")
    sweep = export["sweeps"][0]
    screened = [trial for trial in sweep["trials"] if trial["stage"] == "screen"]
    many = of_trials(sweep, [slower(trial, 40) for trial in copies(screened, 5000)])  # ms, not µs
    for i, trial in enumerate(many["trials"]):
        if i % 9 == 0:
            many["trials"][i] = failed(trial, *FAILURES[i // 9 % len(FAILURES)])
        elif i % 50 == 1:
            many["trials"][i] = wrong(trial, i)
    second_implementation(many)
    bad = [wrong(trial, i) for i, trial in enumerate(screened[:120])]
    bad[7::40] = [failed(trial, *FAILURES[0]) for trial in bad[7::40]]
    return {name: export | {"sweeps": [copy.deepcopy(one)]} for name, one in
            (("one-trial", of_trials(sweep, screened[:1])), ("all-wrong", of_trials(sweep, bad)), ("5000-trials", many))}


def lies_within_the_window(browser, width):
    expect("the page's width", browser.run("return document.documentElement.scrollWidth"), width)
    beyond = browser.run("return [...document.querySelectorAll('.controls > *, .plot .xtitle, .plot .ytitle, .plot .legend')]"
                         ".map((one) => [one, one.getBoundingClientRect(), one.closest('section, .facts, header').getBoundingClientRect()])"
                         ".filter(([, a, b]) => a.width && (a.left < b.left || a.right > b.right))"
                         ".map(([one]) => one.textContent.slice(0, 40))")
    expect("what is cut off", beyond, [])


def charts_have_room(browser, _):
    """Of each chart: the width of what lies between its axes, and whether its legend is above that."""
    charts = browser.run("return [...document.querySelectorAll('.js-plotly-plot')].filter((one) => one.dataset.drawn === 'yes')"
                         ".map((one) => { const {t, w} = one._fullLayout._size; const legend = one.querySelector('.legend');"
                         "const top = one.getBoundingClientRect().top; return [one.id, w / one.clientWidth,"
                         "legend ? t - (legend.getBoundingClientRect().bottom - top) : 0] })")
    expect("charts without room", [chart for chart in charts if chart[1] < 0.3], [])
    expect("legends on their charts", [chart for chart in charts if chart[2] < 0], [])


def bars_are_linear(browser, _):
    bars = browser.run("return [...document.querySelectorAll('ul.bars')].map((list) => [...list.querySelectorAll('li')].map((one) =>"
                       "[Number(one.querySelector('strong').textContent.replaceAll(' ', '')), one.querySelector('.bar').offsetWidth,"
                       "one.clientWidth]))")
    assert bars, "no bars"
    for one in bars:
        for count, length, room in one:
            wanted = max(3, room * count / one[0][0])
            assert abs(length - wanted) <= 1, f"a bar of {length} px for {count}, not {wanted}"


def counts_agree_with_their_nouns(browser, state):
    text = browser.run("return document.body.innerText")
    plurals = [noun for noun in ("trials", "configurations", "sweeps", "choices") if f" 1 {noun}" in text]
    expect("plurals of one", plurals, [])
    one = {"one-trial": ["1 of 1 legal configuration (1 measured)", "1 of 1 trial chosen", "The fastest chosen trial"],
           "all-wrong": ["120 of 120 legal configurations (117 wrong_answer, 3 compile_failed)"],
           "5000-trials": ["(4063 measured, 169 compile_failed,"]}
    expect("missing", [words for words in one[state] if words not in text], [])


def failures_come_first(browser, state):
    """Before any chart. Messages that differ in numbers alone are one reason."""
    shown = browser.run("const list = document.querySelector('#facts .bars'); return list && [...list.children].map((one) => "
                        "one.firstChild.textContent + one.childNodes[1].textContent)")
    wanted = {"one-trial": None, "all-wrong": ["117 wrong_answer", "3 compile_failed"],
              "5000-trials": ["88 compile_failed", "88 launch_failed", "86 wrong_answer", "86 faulted", "81 compile_failed",
                              "77 timed_out"]}
    expect("failures", shown, wanted[state])
    first = "document.querySelector('#facts').compareDocumentPosition(document.querySelector('.plot')) === 4"
    assert browser.run("return " + first), "a chart comes before the facts"


def units_are_alike(browser, state):
    if state != "5000-trials":
        return
    text = browser.run("return document.getElementById('main').innerText")
    expect("other units", [unit for unit in ("µs", "GFLOP/s") if unit in text], [])
    titles = browser.run("return ['trials', 'scatter', 'roofline'].map((name) => "
                         "document.getElementById('plot-' + name).layout.yaxis.title.text)")
    expect("titles", titles, ["best time so far in ms", "time in ms", "TFLOP/s"])


def lines_of_the_best_are_whole(browser, state):
    """Also those of an implementation that lacks a parameter."""
    if state != "5000-trials":
        return
    axes, ys, labels = browser.run("const {data, layout} = document.getElementById('plot-parallel'); return [layout.xaxis.tickvals"
                                   ".length, data.flatMap((one) => one.y), layout.annotations.map((one) => one.text)]")
    broken = [i for i, y in enumerate(ys) if (y is None) != (i % (axes + 1) == axes)]
    expect("gaps in lines", broken, [])
    if axes > 5:
        assert "none" in labels, labels


CHECKS = (lines_of_the_best_are_whole, units_are_alike, failures_come_first, counts_agree_with_their_nouns)
CHECKS_OF_WIDTH = (lies_within_the_window, charts_have_room, bars_are_linear)


def failed_checks(browser, state, width):
    calls = [(check, width) for check in CHECKS_OF_WIDTH] + [(check, state) for check in CHECKS]
    for check, argument in calls:
        try:
            check(browser, argument)
        except AssertionError as error:
            yield f"{state} at {width} px: {check.__name__}: {error}"


def look_at(browser, page, state, folder):
    """Takes the pictures of a page; its failed checks."""
    for width in (PHONE, DESK):
        browser.set_width(width)
        open_page(browser, page)
        for theme in ("light", "dark"):
            browser.run("setTheme(arguments[0]); redrawAll()", theme)
            settle(browser)
            browser.whole_page(folder / f"{state}-{width}-{theme}")
        yield from failed_checks(browser, state, width)
        expect_quiet(browser)


def main():
    program, source, pictures = sys.argv[1:4]
    skip_without_browser(source)
    folder = pathlib.Path(pictures)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, Browser() as browser:
        pages = Pages(program, source, scratch)
        failures = [failure for state, export in states(pages).items()
                    for failure in look_at(browser, pages.write(export), state, folder)]
    print("pictures:", folder, *failures, sep="\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
