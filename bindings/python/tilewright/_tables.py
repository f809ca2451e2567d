"""Which results may stand in the tables of other frameworks, and what is said about them."""

import sys

from .errors import TilewrightError

LEAST = 1.01


def part(row, name):
    """The values of "name.…" in a row of Runtime.results."""
    return {one.removeprefix(name + "."): value for one, value in row.items() if one.startswith(name + ".")}


def why_not_proved(row, version):
    """None if the row, one of Runtime.results(what="best"), has times by tilewright of the framework's version, beside
    the default in the final. Else the reason."""
    if f"version={version}" not in row["strategy"].split():
        return f"was not measured with {version}"
    if row["policy"].endswith("author"):
        return "was not timed by tilewright"
    if row["stage"] != "final" or not row["default_us"]:
        return "has no final with the default"
    return None


def why_not_faster(row):
    """None if it is at least 1 % faster than the default. Else the reason."""
    if row["default_us"] >= LEAST * row["median_us"]:
        return None
    return f"is at {row['default_us'] / row['median_us']:.3f} of the default's speed, less than {LEAST}"


def about(row, name, version):
    """What was measured, and with what."""
    told = ("device", "driver", "policy", "sweep", "finished", "median_us", "default_us")
    versions = f"{version}_tilewright_{row['tool']}"
    return {"key": name, "versions": versions} | {each: row[each] for each in told}


def run(main, usage):
    """Calls main with the two words of the command line. A failure is told in a sentence."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: {usage}")
    try:
        main(*sys.argv[1:])
    except (TilewrightError, ImportError, OSError) as error:
        sys.exit(f"tilewright: {error}")
