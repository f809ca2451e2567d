"""Calls of every manifest in tests/definitions, with NumPy's answers, and what launches them."""

import dataclasses
import itertools
import os
import pathlib
import re
import subprocess
import tempfile

import tilewright

try:
    import numpy
except ImportError:
    numpy = None

DEFINITIONS = pathlib.Path(__file__).parents[3] / "definitions"
CACHE = os.environ["TILEWRIGHT_TEST_CACHE"]
PROGRAM = os.environ["TILEWRIGHT_TEST_PROGRAM"]


@dataclasses.dataclass
class Case:
    problem: dict
    given: dict  # by the name of an argument; outputs are not given
    right: dict  # what outputs and inouts hold after the call
    bound: float = 1e-5  # of the absolute and of the relative error


CASES = {}  # name of the manifest: function of a random generator that yields Cases


def of(name):
    def add(function):
        CASES[name] = function
        return function

    return add


def uniform(random, *shape):
    return (2 * random.random(shape) - 1).astype("f4")


def as_type(values, type_):
    """Floats of that type as numbers of 32 bits; bfloat16 cuts the rest off."""
    if type_ == "bfloat16":
        return (values.view("u4") >> 16 << 16).view("f4")
    return values.astype(type_).astype("f4")


def interpolated(data, *places):
    """Between the elements of `data`. `places` has a pair for each of its first axes: where to read,
    0 being the middle of the first element, and a function that turns the numbers of elements into
    numbers inside and weights."""
    total = 0
    for corner in itertools.product((0, 1), repeat=len(places)):
        weights, index = 1, []
        for step, (place, fold) in zip(corner, places):
            whole = numpy.floor(place).astype(int) + step
            inside, weight = fold(whole)
            weights = weights * weight * (1 - abs(place - whole))
            index.append(inside)
        picked = data[tuple(index)]
        vectors = (1,) * (picked.ndim - weights.ndim)
        total = total + picked * weights.reshape(weights.shape + vectors)
    return total


def clamped(count):
    return lambda i: (numpy.clip(i, 0, count - 1), 1)


def wrapped(count):
    return lambda i: (i % count, 1)


def mirrored(count):
    return lambda i: (numpy.minimum(i % (2 * count), 2 * count - 1 - i % (2 * count)), 1)


def zero_beyond(count):
    return lambda i: (numpy.clip(i, 0, count - 1), (i >= 0) & (i < count))


@of("async_copy")
def folds(random):
    x = uniform(random, 3, 12290)
    yield Case({"segment": 12290, "segments": 3}, {"x": x}, {"y": x + x[:, ::-1] / 2})


@of("blend")
def blends(random):
    for type_, bound in (("float16", 1e-3), ("bfloat16", 1e-2), ("float32", 1e-5)):
        x, y = (as_type(uniform(random, 1001), type_) for _ in range(2))
        problem = {"count": 1001, "parts": 7, "type": type_}
        yield Case(problem, {"x": x, "y": y}, {"y": x / 4 + y / 7}, bound)


@of("block_reduce")
def segment_sums(random):
    numbers = uniform(random, 5, 1001)
    for term, terms in (("value", numbers), ("square", numbers**2)):
        problem = {"segments": 5, "length": 1001, "term": term}
        yield Case(problem, {"numbers": numbers}, {"sums": terms.sum(1, "f8")}, 1e-4)


@of("box_store")
def negated_rows(random):
    for type_ in ("float16", "bfloat16"):
        x = as_type(uniform(random, 21, 40), type_)
        right = -numpy.pad(x[1:], ((0, 1), (0, 0)))
        yield Case({"width": 40, "height": 21, "type": type_}, {"x": x}, {"y": right}, 0)


@of("constants")
def filtered_with_gains(random):
    filter_, gains, input_ = uniform(random, 3, 5), uniform(random, 4), uniform(random, 25, 44)
    windows = numpy.lib.stride_tricks.sliding_window_view(input_, filter_.shape)
    right = numpy.einsum("yxji,ji->yx", windows, filter_) * gains[numpy.arange(40) % 4]
    problem = {"width": 40, "height": 23, "filter_width": 5, "filter_height": 3, "gain_count": 4}
    yield Case(problem, {"input": input_, "filter": filter_, "gains": gains}, {"output": right})


@of("cooperative")
def sum_in_one_launch(random):
    x = uniform(random, 30001)
    yield Case({"count": x.size}, {"x": x}, {"result": [x.sum(dtype="f8")]}, 1e-4)


@of("csr")
def sparse_product(random):
    rows, columns, nonzeros = 77, 30, 500
    begins = numpy.sort(random.integers(0, nonzeros, rows + 1))
    begins[0], begins[-1] = 0, nonzeros
    dense = numpy.zeros((rows, columns))
    places, numbers = random.integers(0, columns, nonzeros), uniform(random, nonzeros)
    numpy.add.at(dense, (numpy.repeat(range(rows), numpy.diff(begins)), places), numbers)
    x = uniform(random, columns)
    given = {"begins": begins, "places": places, "numbers": numbers, "x": x}
    given["order"] = random.permutation(rows)
    problem = {"rows": rows, "columns": columns, "nonzeros": nonzeros}
    yield Case(problem, given, {"y": dense @ x}, 1e-4)


@of("iterate")
def spreading_heat(random):
    start = uniform(random, 53, 37)
    for steps in (4, 5):
        states = [start]
        for step in range(steps):
            padded = numpy.pad(states[-1], 1, "edge")
            around = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
            after = states[-1] / 2 + around / 8
            after[:, 0] = 0.001 * step
            states.append(after)
        newest, other = states[-1], states[-2]
        heat, other = (newest, other) if steps % 2 == 0 else (other, newest)
        problem = {"width": 37, "height": 53, "steps": steps}
        yield Case(problem, {"heat": start}, {"heat": heat, "other": other})


@of("large_tile")
def means_of_nine(random):
    inside = uniform(random, 70, 140)
    framed = numpy.pad(inside, 1)
    windows = numpy.lib.stride_tricks.sliding_window_view(framed, (3, 3))
    right = numpy.pad(windows.mean((2, 3)), 1)
    yield Case({"height": 72, "width": 142}, {"in": framed}, {"out": right})


@of("lookup")
def curves(random):
    table = uniform(random, 16, 2)
    x = uniform(random, 1000) * 0.75 + 0.5
    right = interpolated(table, (x * 16.0 - 0.5, clamped(16)))
    yield Case({"count": 1000, "entries": 16}, {"x": x, "table": table}, {"y": right}, 1e-2)


@of("pairs")
def pairs_near_each_other(random):
    t = uniform(random, 1000)
    later = [numpy.append(t[j:], numpy.full(j, 9, "f4")) for j in range(7)]
    right = abs(t - numpy.stack(later)) < numpy.float32(0.1)
    yield Case({"n": 1000, "window": 7}, {"t": t}, {"near_by": right.astype("u1")}, 0)


@of("prepared")
def ring_filters(random):
    x, filter_ = uniform(random, 1001), uniform(random, 8)
    right = sum(tap * numpy.roll(x, -t) for t, tap in enumerate(filter_))
    for preparation in ("prepared", "each_call"):
        problem = {"count": 1001, "taps": 8, "filter": preparation}
        yield Case(problem, {"x": x, "filter": filter_}, {"y": right})


@of("ring")
def row_sums(random):
    x = uniform(random, 21, 100)
    yield Case({"width": 100, "height": 21}, {"x": x}, {"y": x.sum(1, "f8")})


@of("separable2d")
def filtered_rows_and_columns(random):
    image, row, column = uniform(random, 19, 45), uniform(random, 6), uniform(random, 6)
    given = {"image": image, "row_filter": row, "column_filter": column}
    modes = {"zero": "constant", "replicate": "edge", "reflect": "symmetric"}
    modes |= {"mirror": "reflect", "wrap": "wrap"}
    for boundary, mode in modes.items():
        windows = numpy.lib.stride_tricks.sliding_window_view(
            numpy.pad(image, (3, 2), mode), (6, 6)
        )
        right = numpy.einsum("yxji,j,i->yx", windows, column, row)
        problem = {"height": 19, "width": 45, "taps": 6, "boundary": boundary}
        yield Case(problem, given, {"output": right})


@of("slopes")
def sums_of_products(random):
    heights, slopes, y = (uniform(random, 1000) for _ in range(3))
    given = {"heights": heights, "slopes": slopes, "y": y}
    yield Case({"n": 1000}, given, {"y": y + slopes * heights})


@of("layer")
def layer_of_four_filters(random):
    x, filters = uniform(random, 2, 3, 9, 11, 12), uniform(random, 4, 3, 2, 3, 12)
    padded = numpy.pad(x, ((0, 0), (1, 1), (1, 1), (2, 2), (0, 0)))
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 2, 3), (1, 2, 3))
    right = numpy.einsum("nzyxcdhw,kdhwc->nzyxk", windows, filters, dtype="f8")
    problem = {"images": 2, "depth": 3, "height": 9, "width": 11, "channels": 12}
    problem |= {"taps_y": 2, "padding_y": 1, "padding_x": 2}
    yield Case(problem, {"x": x, "filters": filters}, {"out": right}, 1e-4)


@of("split_k")
def product(random):
    a, b = uniform(random, 33, 257), uniform(random, 257, 17)
    yield Case({"M": 33, "N": 17, "K": 257}, {"a": a, "b": b}, {"c": a @ b}, 1e-4)


@of("shrink")
@of("sum")
@of("units")
def sum_in_two_stages(random):
    numbers = uniform(random, 70001)
    right = numbers.sum(dtype="f8")
    yield Case({"count": numbers.size}, {"numbers": numbers}, {"total": [right]}, 1e-4)


@of("tensor_map")
def sums_of_neighbours(random):
    x = uniform(random, 3, 21, 40)
    padded = numpy.pad(x[:, :, :37], ((0, 0), (1, 1), (0, 0)))
    problem = {"width": 37, "height": 21, "pitch": 40, "planes": 3}
    yield Case(problem, {"x": x}, {"y": padded[:, :-2] + padded[:, 2:] / 2})


@of("texture")
def rotated_images(random):
    height, width = 40, 70
    y, x = numpy.mgrid[:height, :width] + 0.5
    across, down = x - width / 2, y - height / 2
    from_x = 0.8 * across - 0.6 * down + width / 2 - 0.5
    from_y = 0.6 * across + 0.8 * down + height / 2 - 0.5
    for type_ in ("float32", "float16"):
        image = as_type(uniform(random, height, 96), type_)
        right = interpolated(image, (from_y, zero_beyond(height)), (from_x, zero_beyond(width)))
        problem = {"width": width, "height": height, "pitch": 96, "type": type_}
        yield Case(problem, {"image": image}, {"rotated": right}, 2e-2)


@of("two_stage")
def sum_of_vectors(random):
    numbers, factor = uniform(random, 3001, 4), uniform(random, 1)
    right = numbers.sum(dtype="f8") * factor
    yield Case({"count": 3001}, {"numbers": numbers, "factor": factor}, {"result": right}, 1e-4)


@of("volume")
def oblique_slice(random):
    depth, height, width = 10, 30, 40
    voxels = random.integers(0, 256, (depth, height, width, 4))
    y, x = numpy.mgrid[:height, :width] + 0.5
    across, down = x / width, y / height
    right = interpolated(
        voxels / 255,
        ((across - 2 * down) * depth - 0.5, mirrored(depth)),
        ((1.25 * down - 0.125) * height - 0.5, clamped(height)),
        ((1.5 * across - 0.75) * width - 0.5, wrapped(width)),
    )
    problem = {"width": width, "height": height, "depth": depth}
    yield Case(problem, {"voxels": voxels}, {"slice": right}, 2e-2)


@of("warps")
def sums_of_warps(random):
    numbers = uniform(random, 7, 32)
    positive, negative = (numbers > 0).sum(1), numpy.signbit(numbers).sum(1)
    right = numbers.sum(1, dtype="f8") + positive + negative**2 + (32 - negative) ** 2
    yield Case({"warps": 7}, {"numbers": numbers.reshape(-1)}, {"sums": right})


def stored(values, type_):
    """As an array with elements of that type; of bfloat16 its bits."""
    values = numpy.asarray(values)
    if type_ == "bfloat16":
        return (values.astype("f4").view("u4") >> 16).astype("u2")
    return values.astype(type_)


def numbers_of(array, type_):
    return (array.astype("u4") << 16).view("f4") if type_ == "bfloat16" else array


def expect_right(kernel, case, library):
    """Launches on arrays of the library and compares what the case says. `library` has
    give(array, type), take(given), which waits, and workspace(bytes)."""
    operands = []
    for argument in kernel.arguments:
        if argument.role == "output":
            size = argument.count * stored([0], argument.type).itemsize
            array = numpy.full(size, 255, "u1").view(stored([0], argument.type).dtype)
        else:
            array = stored(case.given[argument.name], argument.type).ravel()
        is_buffer = argument.kind == "buffer"
        operands.append(library.give(array, argument.type) if is_buffer else array)
    given = [
        kernel.prepare_input(operand) if argument.prepared else operand
        for argument, operand in zip(kernel.arguments, operands)
    ]
    kernel(*given, workspace=library.workspace(kernel.workspace_bytes))
    written = {
        argument.name: numbers_of(library.take(operand), argument.type)
        for argument, operand in zip(kernel.arguments, operands)
        if argument.role != "input"
    }
    assert written.keys() == case.right.keys(), written.keys()
    for name, right in case.right.items():
        bound = {"rtol": case.bound, "atol": case.bound}
        numpy.testing.assert_allclose(written[name].astype("f8"), numpy.ravel(right), **bound)


def implementations_of(manifest):
    text = manifest.read_text()
    (operation,) = re.findall(r'^\[operation\]\nname = "(\w+)"', text, re.M)
    names = re.findall(r'^\[\[implementation\]\]\nname = "(\w+)"', text, re.M)
    assert names, manifest
    return [f"{operation}/{name}" for name in names]


def bundle_of(manifest, implementation, problem, device, folder):
    file = pathlib.Path(folder) / "one.bundle"
    settings = [f"{name}={value}" for name, value in problem.items()]
    command = [PROGRAM, "bundle", f"{manifest}/{implementation}", *settings]
    command += ["--output", file, "--cache", CACHE, "--db", pathlib.Path(folder) / "results.db"]
    command += ["--arch", "host"] if device == "host" else []
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return tilewright.Bundle(file)


def launch_all(test, device, library):
    """Every case from a runtime, and the first of each manifest also from a bundle. Types that the
    library lacks are skipped."""
    names = sorted(file.stem for file in DEFINITIONS.glob("*.toml"))
    test.assertEqual(names, sorted(CASES), "each manifest of tests/definitions needs a case here")
    for name in names:
        manifest = DEFINITIONS / f"{name}.toml"
        cases = list(CASES[name](numpy.random.default_rng(1)))
        for case, implementation in itertools.product(cases, implementations_of(manifest)):
            with test.subTest(implementation, **case.problem):
                launch(test, manifest, implementation, case, device, library)
                if case is cases[0] and not library.refuses(name):
                    launch_bundled(manifest, implementation, case, device, library)


def launch(test, manifest, implementation, case, device, library):
    runtime = tilewright.Runtime(kernels=[], shipped=[], manifests=manifest, cache=CACHE)
    kernel = runtime.kernel(implementation, case.problem, device=device)
    if refusal := library.refuses(manifest.stem):
        with test.assertRaisesRegex(tilewright.MachineError, refusal):
            kernel.prepare()
        return
    if missing := library.lacks([argument.type for argument in kernel.arguments]):
        test.skipTest(missing)
    expect_right(kernel, case, library)


def launch_bundled(manifest, implementation, case, device, library):
    with tempfile.TemporaryDirectory() as folder:
        bundle = bundle_of(manifest, implementation, case.problem, device, folder)
        expect_right(bundle.kernel(implementation, case.problem, device=device), case, library)
