"""The first configuration that satisfies all restrictions: the default of a generated manifest."""

from ..errors import InputError

_MOST_STEPS = 1_000_000


def first_legal(values, rules):
    """`values`: name → its values, in the order of preference; `rules`: see Restriction."""
    order = list(values)
    ready = [[] for _ in order]  # rules whose last name has this place
    for rule in rules:
        places = [order.index(name) for name in rule.names if name in values]
        if places:
            ready[max(places)].append(rule)
        elif not rule.holds({}):
            raise InputError("no configuration satisfies all of them")
    chosen, tries, steps = {}, [iter(values[name]) for name in order], 0
    place = 0
    while 0 <= place < len(order):
        name = order[place]
        for value in tries[place]:
            steps += 1
            chosen[name] = value
            if all(rule.holds(chosen) for rule in ready[place]):
                place += 1
                break
        else:
            chosen.pop(name, None)
            tries[place] = iter(values[name])
            place -= 1
        if steps > _MOST_STEPS:
            raise InputError(
                f"{_MOST_STEPS} combinations were tried and none satisfies all; begin the lists of values "
                "with one that does"
            )
    if place < 0:
        raise InputError("no configuration satisfies all of them")
    return chosen
