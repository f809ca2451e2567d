# SPDX-License-Identifier: MIT
"""The text of NAME.fit.toml. Lines have at most 160 characters."""
WIDTH = 160


def broken(text, room):
    """Lines of at most `room` characters, broken where parentheses are least deep."""
    lines = []
    while len(text) > room:
        depth, ranks = 0, []
        for place, letter in enumerate(text[:room - 1]):
            depth += (letter == "(") - (letter == ")")
            if letter == " ":
                is_good = text[place + 1] in "?:" or text[place - 1] in "&|+-,"
                ranks.append((depth - is_good / 2 + (2 if place < room * 0.4 else 0), -place))
        place = -min(ranks)[1]
        lines.append(text[:place] + " \\")
        text = text[place + 1:]
    return lines + [text]


def string(text, indent, first, end=0):
    """The string behind `first` characters of its line, with `end` characters to follow."""
    if first + len(text) + 2 + end <= WIDTH:
        return f'"{text}"'
    pad = "\n" + " " * (indent + 2)
    return '"""\\' + "".join(pad + line for line in broken(text, WIDTH - indent - 6 - end)) + '"""'


def settings(values):
    return values if isinstance(values, str) else " ".join(f"{name}={value}" for name, value in values.items())


def rows(values, indent):
    pad = " " * indent
    return [f"{pad}{string(settings(one), indent, indent, 1)}," for one in values]


def text_of(name, comment, fitted):
    """Of an implementation's seeds, general configurations and cost, with a comment in the first line."""
    lines = [f"# {comment}", f"[{name}]"]
    if "seeds" in fitted:
        lines += ["seeds = [", *rows(fitted["seeds"], 2), "]"]
    if "general" in fitted:
        lines.append("general = [")
        for group in fitted["general"]:
            lines += ["  [", *rows(group, 4), "  ],"]
        lines.append("]")
    if "cost" in fitted:
        lines += ["", f"[{name}.cost]"]
        for key, value in fitted["cost"].items():
            lines.append(f"{key} = {string(str(value), 0, len(key) + 3)}")
    return "\n".join(lines) + "\n"
