"""What tune_kernel returns and prints."""

import re

from ..errors import InputError
from .evaluated import checked, computed
from .operands import prefixed

# Objectives of which more is better, as Kernel Tuner knows them.
_MORE_IS_BETTER = ("GFLOP/s", "TFLOP/s", "GB/s", "TB/s", "GFLOPS/W", "TFLOPS/W")
_SETTING = "configuration."


def told(kernel, rows):
    """The results, with the final times where there are any, and the failures."""
    names = [parameter.name for parameter in kernel.parameters.values()]
    keyed = [(tuple(row[_SETTING + name] for name in names), row) for row in rows]
    # A duplicate's message names the configuration with the same code. The final measures either.
    twins = {key: _twin(names, row["message"]) for key, row in keyed if row["outcome"] == "duplicate"}
    # Final rows come after those of the screening.
    found = {twins.get(key, key): row for key, row in keyed if row["outcome"] != "duplicate"}
    results, failed = [], []
    for key, own in dict(keyed).items():
        row = found.get(twins.get(key, key), own)
        values = kernel.values(dict(zip(names, key)))
        if row["outcome"] == "measured":
            results.append({**values, "time": row["median_us"] / 1000})
        else:
            failed.append({**values, "outcome": row["outcome"], "message": row["message"]})
    return results, failed


def _twin(names, message):
    settings = dict(re.findall(r"(\w+)=(-?\w+)", message))
    found = [settings.get(name) for name in names]
    return tuple(text if text is None or text[0].isalpha() else int(text) for text in found)


def line(values):
    texts = (f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in values.items())
    return ", ".join(f"{text}ms" if text.startswith("time=") else text for text in texts)


class Printer:
    """Prints each configuration, as Kernel Tuner does."""

    def __init__(self, kernel, goal, quiet, verbose):
        self._kernel, self._goal = kernel, goal
        self._quiet, self._verbose = quiet, verbose

    def __call__(self, progress):
        values = self._kernel.values(progress.configuration)
        if not self._quiet and progress.median_us:
            values["time"] = progress.median_us / 1000
            self._goal.add_metrics(values)
            print(line(values))
        elif self._verbose and progress.outcome not in ("measured", "duplicate"):
            print(f"{line(values)}: {progress.outcome}")


class Goal:
    """Metrics, and which result is the best."""

    def __init__(self, names, metrics, objective, more_is_better):
        self._metrics = dict(metrics or {})
        self._objective = objective or "time"
        self._more = more_is_better
        if self._objective != "time" and self._objective not in self._metrics:
            raise InputError(f"objective '{objective}': give time or the name of a metric")
        if self._more is None:
            self._more = self._objective in _MORE_IS_BETTER
            if self._objective != "time" and not self._more:
                raise InputError(f"objective '{objective}': say objective_higher_is_better")
        for name, metric in self._metrics.items():
            if not callable(metric) and not isinstance(metric, str):
                raise InputError(f"metrics: '{name}' must be an expression or a function")
        known = [*names, "time"]  # a metric may use those before it
        for name, metric in self._metrics.items():
            if isinstance(metric, str):
                prefixed(f"metrics: '{name}'", checked, metric, known)
            known.append(name)

    def add_metrics(self, result):
        for name, metric in self._metrics.items():
            if callable(metric):
                result[name] = metric(dict(result))
            else:
                result[name] = prefixed(f"metrics: '{name}'", computed, metric, result)

    def best(self, results, winner):
        """By time that is the winner of the sweep, which decides ties; else the best metric."""
        won = [r for r in results if all(r[name] == value for name, value in winner.items())]
        if self._objective == "time" and not self._more and won:
            return won[0]
        choose = max if self._more else min
        return choose(results, key=lambda result: result[self._objective])
