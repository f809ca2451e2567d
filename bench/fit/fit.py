#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what stands beside a manifest, NAME.fit.toml, from measurements.

    bench/fit/fit.py kernel_templates/gemm/blocked/blocked.toml MEASUREMENTS… [--seeds N] [--general N] [--cost]

MEASUREMENTS are what `tilewright export OPERATION --output FILE` writes, files of winners, or tables such as those of
docs/benchmarks/raw/general.tar.xz (bench/unpack.sh). Each option replaces one part of the file:

--seeds N     the N configurations, or fewer, of which each problem has one that is nearly the best
--general N   likewise, for problems that nobody measured
--cost        other numbers in the formulas, by least squares of the logarithms of the times; then changed at random, as long
              as less is lost by the choice. The formulas themselves are written by hand, with guesses. Numbers above 2 that
              are added or multiplied are fitted; those in conditions, divisors and calls stay.

Then, or without any of them, it says how good the formulas are: how much longer the configuration with the least
expected cycles takes than the best one, among all that were measured and among the general ones.
Needs Python 3.11.
"""
import argparse
import collections
import math
import pathlib
import random
import statistics

import fitted_file
import measurements
from definitions import FITTED, NEVER, Definition, compiled, cycles, with_numbers

NEAR = 1.03  # times that differ by less are as good
UNMEASURED = 4.0  # how many times as long as the best one a configuration is expected to take
MOST_ROWS = 2500  # in a fit

Measured = collections.namedtuple("Measured", "of_problem rows")
Timed = collections.namedtuple("Timed", "names configuration time_us")


def problems_of(definition, rows):
    """The measured configurations of each problem and device."""
    found = {}
    for row in rows:
        key = (tuple(sorted(row.problem.items())), row.device["name"])
        if key not in found:
            found[key] = Measured(definition.of_problem(row.problem, row.device), [])
        of_problem = found[key].of_problem
        found[key].rows.append(Timed(definition.names(of_problem, row.configuration), row.configuration, row.time_us))
    return list(found.values())


def as_chosen(definition, of_problem, configuration):
    """The configuration without what it has anyhow: defaults, and what follows the problem."""
    left_out = {}
    for name in definition.defaults:
        if name not in configuration:
            continue
        less = {key: value for key, value in configuration.items() if key != name and key not in left_out}
        if definition.settled(of_problem, less, less).get(name) == configuration[name]:
            left_out[name] = configuration[name]
    return tuple((name, configuration[name]) for name in definition.defaults
                 if name in configuration and name not in left_out)


def best_cover(tables, count):
    """At most `count` keys of the tables of times, so that little is lost if each problem has the best of them."""
    best = [min(table.values()) for table in tables]
    lost = [UNMEASURED] * len(tables)
    chosen = []
    candidates = sorted({key for table in tables for key in table})
    while len(chosen) < count and any(loss > NEAR for loss in lost):

        def after(key):
            return [min(loss, table.get(key, math.inf) / least) for loss, table, least in zip(lost, tables, best)]

        key = min(candidates, key=lambda one: sum(math.log(max(loss, NEAR)) for loss in after(one)))
        if after(key) == lost:
            break
        chosen.append(key)
        lost = after(key)
    return chosen


def solved(matrix, right):
    """Of a system of linear equations, by elimination."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(rows[row][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for below in rows[i + 1:]:
            factor = below[i] / rows[i][i]
            for j in range(i, size + 1):
                below[j] -= factor * rows[i][j]
    result = [0.0] * size
    for i in reversed(range(size)):
        known = sum(rows[i][j] * result[j] for j in range(i + 1, size))
        result[i] = (rows[i][size] - known) / rows[i][i]
    return result


def least_squares(residuals, start, rounds=30):
    """Parameters with a small sum of squares. After: Marquardt, An algorithm for least-squares estimation, 1963."""
    def total(values):
        return sum(value * value for value in values)

    parameters, damping, step = list(start), 1e-2, 0.02
    current = residuals(parameters)
    for _ in range(rounds):
        columns = []
        for i in range(len(parameters)):
            moved = residuals(parameters[:i] + [parameters[i] + step] + parameters[i + 1:])
            columns.append([(one - other) / step for one, other in zip(moved, current)])
        normal = [[sum(a * b for a, b in zip(one, other)) for other in columns] for one in columns]
        right = [-sum(a * b for a, b in zip(column, current)) for column in columns]
        before = total(current)
        while damping < 1e6:
            damped = [[value * (1 + damping) + damping * 1e-3 if i == j else value for j, value in enumerate(row)]
                      for i, row in enumerate(normal)]
            candidate = [one + change for one, change in zip(parameters, solved(damped, right))]
            values = residuals(candidate)
            if total(values) < before:
                parameters, current, damping = candidate, values, damping / 4
                break
            damping *= 4
        if before - total(current) < 1e-6 * before:
            break
    return parameters


def lost_by_choice(problems, formulas, numbers):
    """The mean of the logarithms of how much longer the least expected cycles take than the best time."""
    lost = []
    for problem in problems:
        expected = [(cycles(formulas, row.names, numbers), row.time_us) for row in problem.rows]
        least = min(cost for cost, _ in expected)
        chosen = statistics.fmean(math.log(time) for cost, time in expected if cost == least)
        lost.append(chosen - math.log(min(time for _, time in expected)))
    return statistics.fmean(lost)


def changed_at_random(problems, formulas, numbers, rounds):
    """An error that all configurations share changes no choice, so now only the choice counts."""
    generator = random.Random(2)
    least = lost_by_choice(problems, formulas, numbers)
    for _ in range(rounds):
        other = list(numbers)
        place = generator.randrange(len(other))
        other[place] = max(1, round(other[place] * math.exp(generator.gauss(0, 0.3))))
        lost = lost_by_choice(problems, formulas, other)
        if lost < least:
            least, numbers = lost, other
    return least, numbers


def fitted_cost(definition, problems, mhz, rounds):
    """The formulas with other numbers, or with the same if less is lost by them."""
    written = {key: str(text) for key, text in definition.cost().items()}
    start = []
    formulas = {key: compiled(text, start if key in FITTED else None) for key, text in written.items()}
    weighted = []  # the best times count most
    for problem in problems:
        least = min(row.time_us for row in problem.rows)
        weighted += [(row.names, row.time_us, least / row.time_us) for row in problem.rows]
    random.Random(1).shuffle(weighted)
    weighted = weighted[:MOST_ROWS]

    def residuals(logarithms):
        numbers = [math.exp(value) for value in logarithms]
        return [weight * math.log(max(cycles(formulas, names, numbers), 1) / mhz / time)
                for names, time, weight in weighted]

    logarithms = least_squares(residuals, [math.log(value) for value in start])
    found = [max(1, round(math.exp(value))) for value in logarithms]
    _, numbers = min((changed_at_random(problems, formulas, one, rounds) for one in (found, start)), key=lambda one: one[0])
    left = list(numbers)
    replaced = {key: with_numbers(text, left) for key, text in written.items() if key in FITTED}
    return {key: replaced.get(key, text) for key, text in definition.fitted["cost"].items()}


def report(definition, problems, mhz):
    """How much is lost by the formulas' choice."""
    numbers = []
    formulas = {key: compiled(text, numbers) for key, text in definition.cost().items()}
    general = definition.general()
    everything, among_general, errors = [], [], []
    for problem in problems:
        expected = [(cycles(formulas, row.names, numbers), row) for row in problem.rows]
        settled = [definition.settled(problem.of_problem, one) for one in general]
        kept = [(cost, row) for cost, row in expected  # tables leave out parameters that change no time
                if any(all(row.configuration.get(*item) == item[1] for item in one.items()) for one in settled)]
        errors += [math.log(cost / mhz / row.time_us) for cost, row in expected if cost < NEVER]
        for some, losses in ((expected, everything), (kept, among_general)):
            if len(some) > 2:
                least = min(cost for cost, _ in some)
                chosen = statistics.geometric_mean(row.time_us for cost, row in some if cost == least)
                losses.append(chosen / min(row.time_us for _, row in some))
    for what, losses in (("all measured", everything), ("general", among_general)):
        if losses:
            tenth = sorted(losses)[len(losses) * 9 // 10]
            mean = statistics.geometric_mean(losses)
            print(f"{what:12} {len(losses):4} problems  loss {mean:.3f}, 90th percentile {tenth:.2f}")
    if errors:
        print(f"error of the logarithms {math.sqrt(statistics.fmean(one * one for one in errors)):.2f}, {len(errors)} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("measurements", type=pathlib.Path, nargs="+")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--general", type=int)
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--mhz", type=float, default=1980, help="clock of the device while it was measured")
    parser.add_argument("--rounds", type=int, default=100, help="random changes of the numbers")
    options = parser.parse_args()
    definition = Definition(options.manifest)
    problems = problems_of(definition, [row for file in options.measurements for row in measurements.read(file, definition)])
    if not problems:
        raise SystemExit(f"no measurement is of {definition.name}")
    if options.seeds or options.general:
        tables = []
        for problem in problems:
            tables.append({})
            for row in problem.rows:
                key = as_chosen(definition, problem.of_problem, row.configuration)
                tables[-1][key] = min(row.time_us, tables[-1].get(key, math.inf))
        if options.seeds:
            definition.fitted["seeds"] = [dict(one) for one in best_cover(tables, options.seeds)]
        if options.general:
            definition.fitted["general"] = [[dict(one) for one in best_cover(tables, options.general)]]
    if options.cost:
        definition.fitted["cost"] = fitted_cost(definition, problems, options.mhz, options.rounds)
    if options.seeds or options.general or options.cost:
        times = sum(len(problem.rows) for problem in problems)
        parts = " ".join(f"--{name}" for name in ("seeds", "general", "cost") if getattr(options, name))
        comment = f"By bench/fit/fit.py {parts} from {times} times of {len(problems)} problems."
        definition.fitted_file.write_text(fitted_file.text_of(definition.name, comment, definition.fitted))
    if "cost" in definition.fitted:
        report(definition, problems, options.mhz)


if __name__ == "__main__":
    main()
