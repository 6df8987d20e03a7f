"""Slow, obvious versions: the fast ones must agree with them."""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from fractions import Fraction
from functools import cache
from importlib.abc import MetaPathFinder
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
import tallylearn.kernels as package
from tallylearn.kernels import (
    boosting,
    class_counts,
    distinct_hashes,
    evidence_sums,
    exact_sums,
    exact_weighted_sums,
    kd_tree_build,
    kd_tree_query,
    long_integers,
    perceptron_updates,
    quantile_sketch,
    row_distances,
    sgd,
    tokenizer,
    top_k,
    trees,
)
from tallylearn.models.neighbors import kd_tree
from tallylearn.tables import Codes
from tallylearn.tallies import Moments
from tallylearn.tallies.documents import FOLD
from tallylearn.tallies.moments import _sum_weighted_block
from tallylearn.tallies.weights import round_weights, scale_to_integers

KERNELS = "tallylearn.kernels."
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SMALL = st.floats(-1e6, 1e6)


class Plain(MetaPathFinder):
    """Finds kernels as the plain Python files that they are."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith(KERNELS):
            return None
        file = Path(package.__file__).parent.joinpath(*name.removeprefix(KERNELS).split("."))
        return importlib.util.spec_from_file_location(name, file.with_suffix(".py"))


@cache
def interpreted(name: str) -> ModuleType:
    """A kernel as the plain Python file that it is; so are those that it imports."""
    compiled = {name: sys.modules.pop(name) for name in [*sys.modules] if is_kernel(name)}
    sys.meta_path.insert(0, finder := Plain())
    try:
        return importlib.import_module(KERNELS + name)
    finally:
        sys.meta_path.remove(finder)
        for loaded in [name for name in sys.modules if is_kernel(name)]:
            parent, _, last = loaded.rpartition(".")
            delattr(sys.modules[parent], last)
            del sys.modules[loaded]
        for before, module in compiled.items():
            parent, _, last = before.rpartition(".")
            setattr(sys.modules[parent], last, module)
            sys.modules[before] = module


def is_kernel(name: str) -> bool:
    return name.startswith(KERNELS) and name not in (trees.__name__, boosting.__name__)


def uncompiled(patch: pytest.MonkeyPatch, *users: ModuleType) -> None:
    """Let some modules use all their kernels as plain Python files."""
    for user in users:
        for name, value in [*vars(user).items()]:
            if isinstance(value, ModuleType) and value.__name__.startswith(KERNELS):
                patch.setattr(user, name, interpreted(value.__name__.removeprefix(KERNELS)))


@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), NUMBERS, st.floats(1e-9, 1e9)), min_size=1),
)
def test_moments_equal_fractions(rows: list[tuple[str, float, float]]) -> None:
    weight = np.array([row[2] for row in rows])
    codes = Codes.of([row[0] for row in rows])
    tally = Moments.of(np.array([[row[1]] for row in rows]), codes, ("x",), weight)
    exact = round_weights(weight)
    for at, key in enumerate(tally.keys):
        mine = [
            (Fraction(w), Fraction(x)) for (c, x, _), w in zip(rows, exact, strict=True) if c == key
        ]
        sums, power = tally.sums.to_integers()
        squares, power2 = tally.squares.to_integers()
        assert sums[at, 0] * Fraction(2) ** power == sum(w * x for w, x in mine)
        assert squares[at, 0] * Fraction(2) ** power2 == sum(w * x * x for w, x in mine)


@given(x=st.lists(SMALL, min_size=1, max_size=30))
def test_mean_and_variance_are_rounded_once(x: list[float]) -> None:
    codes = Codes(("a",), np.zeros(len(x), dtype=np.int32))
    tally = Moments.of(np.array(x)[:, None], codes, ("x",))
    exact = [Fraction(v) for v in x]
    mean = sum(exact) / len(x)
    assert tally.mean[0, 0] == float(mean)
    assert tally.variance[0, 0] == float(sum((v - mean) ** 2 for v in exact) / len(x))


def test_whole_weights_are_exact_and_fractions_keep_32_bits() -> None:
    whole = np.array([1.0, 3.0, 2.0**40 + 1, 2.0**53])
    assert np.array_equal(round_weights(whole), whole)
    third = np.array([1 / 3])
    assert abs(round_weights(third)[0] - third[0]) <= third[0] * 2**-32


@given(
    st.lists(
        st.tuples(NUMBERS, st.floats(1e-6, 1e6) | st.integers(0, 2**31).map(float)),
        min_size=1, max_size=20,
    )
)  # fmt: skip
def test_fractions_are_weighed_in_one_pass_as_digit_by_digit(
    rows: list[tuple[float, float]],
) -> None:
    x, weight = np.array(rows).T
    weight = np.append(weight, 0.5)  # never whole numbers alone
    x = np.append(x, np.nan)[:, None]
    codes = Codes(("a", "b"), (np.arange(len(x)) % 2).astype(np.int32))
    found = np.zeros(4, dtype=np.int64)
    exact_sums.survey(x.view(np.int64), found)
    parts = scale_to_integers(weight)
    assert parts is not None
    count, sums, squares = _sum_weighted_block(x.view(np.int64), codes, *parts, found)
    exact = [Fraction(w) for w in round_weights(weight)]
    for power, group in product(range(3), range(2)):
        part = (count, sums, squares)[power]
        got, low = part.limbs[group, 0], part.low
        value = sum(int(v) << (32 * i) for i, v in enumerate(got)) * Fraction(2) ** (32 * low)
        assert value == sum(
            (w * Fraction(v) ** power for w, v, g in zip(exact, x[:, 0], codes.codes, strict=True)
             if g == group and v == v), start=Fraction(0)
        )  # fmt: skip


def test_weights_too_long_or_too_far_apart_are_weighed_digit_by_digit() -> None:
    assert scale_to_integers(np.array([0.5, 2.0**40 + 1])) is None
    assert scale_to_integers(np.array([1e-30, 1.5])) is None
    rng = np.random.default_rng(2)
    x, weight = rng.normal(size=(60, 2)), 10.0 ** rng.uniform(-30, 30, 60)
    tally = Moments.of(x, Codes(("a",), np.zeros(60, dtype=np.int32)), ("x", "z"), weight)
    exact = [Fraction(w) for w in round_weights(weight)]
    mean = sum(w * Fraction(v) for w, v in zip(exact, x[:, 0], strict=True)) / sum(exact)
    assert tally.mean[0, 0] == float(mean)


def test_the_compiled_weighing_equals_the_python_it_is_written_in() -> None:
    rng = np.random.default_rng(6)
    bits = np.where(rng.random((40, 2)) < 0.1, np.nan, rng.normal(size=(40, 2))).view(np.int64)
    group = rng.integers(0, 2, 40).astype(np.int32)
    weight, power, _ = scale_to_integers(rng.random(40))
    found = np.zeros(4, dtype=np.int64)
    exact_sums.survey(bits, found)
    far, wide = int(power.max()) + 1, int(found[1] - found[0]) + 1
    shapes = (2, 2, far), (2, 2, wide + far, 4), (2, 2, 2 * wide + far, 8)
    fast, slow = ([np.zeros(shape, dtype=np.int64) for shape in shapes] for _ in range(2))
    for module, cells in ((exact_weighted_sums, fast), (interpreted("exact_weighted_sums"), slow)):
        module.spread(bits, group, weight, power, int(found[0]), *cells)
    assert all(np.array_equal(a, b) for a, b in zip(fast, slow, strict=True))
    limbs_of = [np.zeros((2, 2, 20), dtype=np.int64) for _ in range(2)]
    for module, out in zip((long_integers, interpreted("long_integers")), limbs_of, strict=True):
        module.collect_digits(fast[2], 5, out)
    assert np.array_equal(*limbs_of)


@given(data=st.data())
def test_compiled_kernels_equal_the_python_they_are_written_in(data: st.DataObject) -> None:
    n, k, p = data.draw(st.integers(1, 12)), 2, 2
    x = np.array(
        data.draw(st.lists(st.lists(NUMBERS, min_size=p, max_size=p), min_size=n, max_size=n))
    )
    group = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=np.int32)
    plain, found = interpreted("exact_sums"), np.zeros(4, dtype=np.int64)
    bits = x.view(np.int64)
    exact_sums.survey(bits, found)
    again = np.zeros(4, dtype=np.int64)
    plain.survey(bits, again)
    assert np.array_equal(found, again)
    width = int(found[1] - found[0] + 1)
    cells, slow = (
        np.zeros((p, k, width, 8), dtype=np.int64),
        np.zeros((p, k, width, 8), dtype=np.int64),
    )
    none = np.zeros(0, dtype=np.int64)
    exact_sums.spread(bits, group, none, int(found[0]), cells)
    plain.spread(bits, group, none, int(found[0]), slow)
    assert np.array_equal(cells, slow)
    pairs = [
        _collected(module, cells, int(found[0]), width)
        for module in (long_integers, interpreted("long_integers"))
    ]
    assert all(np.array_equal(a, b) for a, b in zip(*pairs, strict=True))


def _collected(module: Any, cells: Any, first: int, width: int) -> tuple[Any, ...]:
    count = np.zeros((2, 2), dtype=np.int64)
    sums = np.zeros((2, 2, width // 32 + 8), dtype=np.int64)
    squares = np.zeros((2, 2, width // 16 + 9), dtype=np.int64)
    module.collect(cells, first, count, sums, squares)
    flat = squares.reshape(4, -1)
    module.carry(flat)
    found = np.zeros(2, dtype=np.int64)
    module.extent(flat, found)
    return count, sums, flat, found


def test_compiled_counting_and_scoring_equal_the_python_they_are_written_in() -> None:
    rng = np.random.default_rng(3)
    rows, cols = (rng.integers(-1, 3, 50).astype(np.int32) for _ in range(2))
    both = np.stack([cols, rows])
    starts, widths = np.array([0, 16]), np.array([4, 4])
    tables = [np.zeros((2, 32), dtype=np.int64) for _ in range(2)]
    for module, table in zip((class_counts, interpreted("class_counts")), tables, strict=True):
        module.count(rows[:49], both[:, :49].copy(), starts, widths, table)
        module.weigh(rows, both, np.arange(50), starts, widths, table)
    seen = tables[0].sum(axis=0)[:16].reshape(4, 4)[1:, 1:]
    assert seen[0, 1] == sum(1 + i for i in range(49) if (rows[i], cols[i]) == (0, 1)) + (
        49 if (rows[49], cols[49]) == (0, 1) else 0
    )
    assert np.array_equal(*tables)
    x, mean = rng.normal(size=(70, 3)), rng.normal(size=(2, 3))
    x[5, 1] = np.nan
    low = np.array([[0.0, 1e-3, 0.0], [1e-4, 0.0, -1e-3]])
    results = []
    for module in (evidence_sums, interpreted("evidence_sums")):
        out = np.zeros((70, 2))
        module.gaussian(x, mean, low, mean, np.empty((4, 64)), out)
        module.look_up(np.array([0, 1, -1, -2] * 17 + [0, 0], dtype=np.int32), mean.T.copy(), out)
        some = np.zeros((1, 2))
        module.gaussian_present(x, mean, low, mean, mean, np.array([5]), some)
        results.append(np.concatenate([out, some]))
    assert np.allclose(*results, rtol=1e-15, equal_nan=True)


@pytest.mark.parametrize("p", [1, 4, 7])
def test_compiled_weighing_equals_the_python_it_is_written_in(p: int) -> None:
    rng = np.random.default_rng(0)
    x, centre, weights, level = (rng.normal(size=n) for n in ((9, p), p, (2, p), 2))
    out = np.empty((2, 9, 2))
    for module, found in zip((evidence_sums, interpreted("evidence_sums")), out, strict=True):
        module.weigh(x, centre, weights, level, found)
    assert (out[0] == out[1]).all()
    np.testing.assert_allclose(out[0], level + (x - centre) @ weights.T, rtol=0, atol=1e-13)


def test_compiled_sifting_equals_the_python_it_is_written_in() -> None:
    tile = np.random.default_rng(0).integers(0, 90, (3, 80)).astype(np.float32)
    results = []
    for module in (top_k, interpreted("top_k")):
        best, number = np.full((3, 2), np.inf, np.float32), np.zeros(3, np.int64)
        found, scores = np.zeros((3, 9), np.int64), np.zeros((3, 9), np.float32)
        margin = np.array([0, 3, 90], np.float32)
        for first in (0, 80):
            module.sift(tile, first, margin, best, found, scores, number)
        results.append((best.tolist(), number.tolist(), found.tolist(), scores.tolist()))
    assert results[0] == results[1]
    assert results[0][1][2] == -1
    assert results[0][0][0] == np.sort(np.repeat(tile[0], 2))[:2].tolist()


@pytest.mark.parametrize(("d", "k", "far"), [(3, 4, 9e160), (3, 40, 9.0), (6, 5, 9.0)])
def test_compiled_boxes_equal_the_python_they_are_written_in(d: int, k: int, far: float) -> None:
    rng = np.random.default_rng(2)
    points = np.concatenate(
        [rng.normal(size=(990, d)), rng.integers(0, 3, (191, d)), np.eye(1, d) * far]
    )
    queries, rows = np.concatenate([points[::150], np.eye(1, d) * 1e4 * far]), np.arange(1182)
    found = []
    for halve, search in (
        (kd_tree_build, kd_tree_query),
        (interpreted("kd_tree_build"), interpreted("kd_tree_query")),
    ):
        with pytest.MonkeyPatch.context() as patched, np.errstate(over="ignore"):
            patched.setattr(kd_tree, "kd_tree_build", halve)
            patched.setattr(kd_tree, "kd_tree_query", search)
            near = kd_tree.KDTree.of(points).nearest(queries, k)
        found.append((near.ends.tolist(), near.rows.tolist(), near.distances.tobytes()))
    assert found[0] == found[1]
    for i, query in enumerate(queries):
        apart = np.array([math.dist(query, row) for row in points])
        level = rows[apart <= np.sort(apart)[k - 1] * (1 + 1e-12)]
        assert {*near.rows[near.of_query(i)].tolist()} == {*level.tolist()}


def test_compiled_distances_equal_the_python_they_are_written_in() -> None:
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(4, 3)), rng.normal(size=(9, 3))
    x[1] *= 1e-200
    z[:3] = x[1] * [[1], [1 + 1e-9], [1e230]]
    gaps = np.where(rng.random((9, 3)) < 0.3, np.nan, z)
    codes = rng.integers(-1, 3, (9, 2))
    whose, rows = np.indices((4, 9)).reshape(2, -1)
    results = []
    for module in (row_distances, interpreted("row_distances")):
        euclid, mixed, tile = np.empty(36), np.empty(36), np.empty((4, 9), np.float32)
        module.euclid(z, rows, x, whose, euclid)
        module.gower(gaps, codes, x, codes[:4], np.array([1.0, 2, 3]), rows, whose, mixed)
        columns = np.column_stack([gaps / [1, 2, 3], np.where(codes < 0, np.nan, codes)])
        asked = np.column_stack([x / [1, 2, 3], columns[:4, 3:]]).astype(np.float32)
        kinds = np.array([2, 2, 2, 3, 3])
        with np.errstate(invalid="ignore"):
            module.gower_tile(columns.T.astype(np.float32).copy(), kinds, asked,
                              np.empty(9, np.float32), tile)  # fmt: skip
        results.append((euclid, mixed, tile))
    assert all(map(np.array_equal, *results))
    truth = [math.dist(x[i], z[j]) for i, j in zip(whose, rows, strict=True)]
    assert euclid == pytest.approx(truth, rel=1e-14, abs=0)
    assert 0 < euclid[9 + 1] < 1e-200
    assert tile.ravel() == pytest.approx(mixed, rel=1e-5, abs=1e-6)


def test_compiled_steps_equal_the_python_they_are_written_in() -> None:
    rng = np.random.default_rng(4)
    x, y, rows = rng.normal(size=(20, 3)), rng.normal(size=20), rng.integers(20, size=50)
    x[rows[9]] *= 5 / np.linalg.norm(x[rows[9]])  # a row so long that its steps overshoot
    for one, most in ((1.0, 1e6), (0.0, 1e6), (1.0, 1.0)):
        results = []
        for module in (sgd, interpreted("sgd")):
            weights, trace, found = np.zeros(4), np.zeros((5, 9)), np.zeros(2, dtype=np.int64)
            module.walk(x, y, rows, 0.1, np.array([one, most, 0.0]), weights, trace, found)
            results.append(np.concatenate([weights, trace.ravel(), found]))
        assert np.allclose(*results, rtol=1e-12)  # a processor may add and multiply at once
        w, overshot = np.zeros(4), 0
        for step, row in enumerate(rows):
            seen = np.array([one, *x[row]])
            if abs(error := y[row] - w @ seen) > most:
                assert found[1] == step
                break
            w += 0.1 * error * seen
            overshot += abs(y[row] - w @ seen) > abs(error)
        assert np.allclose(weights, w, rtol=1e-12)
        assert (found[1] >= 0) == (most == 1.0)
        assert found[0] == overshot
        assert overshot or most == 1.0
    for module in (sgd, interpreted("sgd")):
        out, sums = np.empty(20), np.empty((2, 5))
        module.answer(x, w, out)
        module.slope(x, y, np.array([[3 * 2.0**9] * 5, [3 * 2.0**-37] * 5]), sums)
        assert np.allclose(out, w[0] + x @ w[1:], rtol=1e-12)
        assert not (sums[0] % 2.0**-42).any()  # whole steps of the coarse grid
        products = np.column_stack([y, y[:, None] * x, y * y])
        exact = [sum(map(Fraction, column)) for column in products.T.tolist()]
        found = [Fraction(a) + Fraction(b) for a, b in sums.T.tolist()]
        assert all(abs(a - b) < 20 * 2.0**-89 for a, b in zip(exact, found, strict=True))


def test_compiled_corrections_equal_the_python_they_are_written_in() -> None:
    rng = np.random.default_rng(5)
    x, rows = rng.normal(size=(30, 6)), rng.integers(30, size=60)
    for m, y in ((1, rng.integers(2, size=30)), (3, rng.integers(3, size=30))):
        results = []
        for module in (perceptron_updates, interpreted("perceptron_updates")):
            weights, drift, trace = np.zeros((m, 7)), np.zeros((m, 7)), np.zeros((9, 8 + 8 * m))
            found, settings = np.zeros(2, dtype=np.int64), np.array([0.5, 1.0, 1.0])
            loss, labels = np.zeros(1), y.astype(np.int32)
            module.walk(x, labels, rows, settings, weights, drift, trace, found, loss)
            parts = weights.ravel(), drift.ravel(), trace.ravel(), loss, found
            results.append(np.concatenate(parts))
        assert np.allclose(*results, rtol=1e-12)
        assert results[0][-2] == 60 > results[0][-1] > 0


def test_compiled_hashes_equal_the_python_they_are_written_in() -> None:
    x = np.array([0.0, -0.0, 1.5, np.nan, -np.inf, 2.0**60, 3.0, 3.0, 5e-324, -7.0])
    text = np.frombuffer("one, twenty-three bytes, é".encode(), dtype=np.uint8)
    results = []
    for module in (distinct_hashes, interpreted("distinct_hashes")):
        hashes, state = np.zeros(3, dtype=np.uint64), np.array([0, 0, 0, 0, 9, -9])
        module.hash_strings(text, np.array([0, 3, 3, 27]), hashes)
        slots = np.zeros((16, 2), dtype=np.uint64)
        module.add_numbers(x.view(np.uint64), 2**64 - 1, slots, state)
        state[0] = 0
        module.add_hashes(hashes, np.array([1, 0, 5]), 2**63, slots, state)
        results.append((hashes, slots, state))
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))
    assert results[0][2][1] > 2


def test_compiled_sketches_equal_the_python_they_are_written_in() -> None:
    x = np.array([0.0, -0.0, 1.5, np.nan, -np.inf, np.inf, 3.0, -3.001, 5e-324, 7.0])
    lo, hi = 1023 << 9, (1025 << 9) - 1  # from 1 to 4
    for weight in (np.zeros(0), np.arange(10) / 8):
        results = []
        for module in (quantile_sketch, interpreted("quantile_sketch")):
            cells, places = np.zeros(2 * (hi - lo) + 5), np.zeros(10, dtype=np.int32)
            first = module.count(x.view(np.uint64), weight, lo, hi, cells, 0)
            last = module.count(x.view(np.uint64), weight, lo, hi, cells, first + 1)
            module.place(x.view(np.uint64), lo, hi, places)
            table = np.zeros((2, len(cells) + 1))
            module.cross(places, np.arange(10, dtype=np.int32) % 3 - 1, weight, table)
            results.append((np.array([first, last]), cells, places, table))
        assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))
        assert results[0][0].tolist() == [8, 9]
        assert np.argsort(results[0][2][[4, 7, 0, 2, 6, 5, 3]]).tolist() == [*range(7)]


def test_compiled_tokens_equal_the_python_they_are_written_in() -> None:
    text = np.frombuffer(b"a bc a, bc" + b"d1 d2 d3 d4 d5", dtype=np.uint8)
    results = [_tokens(module, text) for module in (tokenizer, interpreted("tokenizer"))]
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*results, strict=True))
    assert results[0][0].tolist() == [0, 1, 0, 1, 2, 3, 4, 5, 6]


def _tokens(module: Any, text: Any) -> tuple[Any, ...]:
    """Two documents of nine tokens and seven words: eight slots are too few, and are doubled."""
    documents = np.array([[0, 0], [10, 0], [24, 0]])
    arena, firsts = np.zeros(30, dtype=np.uint8), np.zeros(8, dtype=np.int64)
    ids, slots = np.zeros(15, dtype=np.int32), np.zeros(8, int)  # room for any text as long
    state = np.array([0, 0, 0, 2**32 - 1, 12345])
    module.tokenize(text, FOLD, documents, slots, arena, firsts, ids, state)
    assert state[:2].tolist() == [1, 4]
    more = np.zeros(16, dtype=np.int64)
    module.respread(slots, more)
    module.tokenize(text, FOLD, documents, more, arena, firsts, ids, state)
    ids = ids[: documents[-1, 1]]
    ends, none = np.ascontiguousarray(documents[:, 1]), np.zeros(0, dtype=np.int64)
    rows, tables = np.array([1, 0], dtype=np.int32), np.zeros((2, 7, 2), dtype=np.int64)
    seen = np.full(7, -1, dtype=np.int32)
    module.count(ids, ends, none, rows, np.array([3, 5]), seen, tables)
    module.count(ids, ends, np.arange(9) + 1, rows, none, seen[:0], tables)
    out, table = np.zeros((2, 2)), np.sqrt(np.arange(14.0)).reshape(7, 2)
    for once in (none.astype(np.int32), np.full(7, -1, dtype=np.int32)):
        module.score(ids, ends, none, table, once, out)
    module.score(ids, ends, np.arange(9) + 1, table, seen[:0], out)
    return ids, documents, arena, more, tables, out


WORDS = st.lists(st.sampled_from(["a", "b", "c", "a", "é"]), max_size=5).map(" ".join)


@given(
    rows=st.lists(st.tuples(st.one_of(st.none(), WORDS), st.sampled_from("+-")), min_size=1),
    query=WORDS,
    alpha=st.sampled_from([0, 1, Fraction(1, 2)]),
    model=st.sampled_from(["multinomial", "set", "bernoulli"]),
)
def test_text_equals_its_textbook_in_fractions(
    rows: Any, query: str, alpha: Any, model: str
) -> None:
    if not any(text for text, _ in rows):
        return
    texts, y = [text for text, _ in rows], [label for _, label in rows]
    fitted = tl.NaiveBayes(alpha=float(alpha), text_model=model).fit(texts, y)
    got = fitted.predict_joint_log_proba([query])[0]
    for c, label in enumerate(fitted.classes_):
        product = Fraction(y.count(label), len(y)) * slow_text(rows, query, label, alpha, model)
        expected = -math.inf if product == 0 else math.log(product)
        assert got[c] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        if expected > -math.inf:
            assert fitted.explain([query])[0].lines[c].product == product


def slow_text(rows: Any, query: str, label: str, alpha: Any, model: str) -> Fraction:
    """P(d | c), a factor at a time."""
    seen = [(text.split(), c) for text, c in rows if text is not None]
    vocabulary = {word for words, _ in seen for word in words}
    mine = [words for words, c in seen if c == label]
    if not alpha and not (mine if model == "bernoulli" else any(mine)):
        mine = [words for words, _ in seen]  # a class without words takes those of all
    result, known = Fraction(1), [word for word in query.split() if word in vocabulary]
    if model == "bernoulli":
        for word in vocabulary:
            p = (sum(word in words for words in mine) + Fraction(alpha)) / (len(mine) + 2 * alpha)
            result *= p if word in known else 1 - p
        return result
    every = [word for words in mine for word in words]
    for word in known if model == "multinomial" else {*known}:
        result *= (every.count(word) + Fraction(alpha)) / (len(every) + alpha * len(vocabulary))
    return result


@given(
    rows=st.lists(
        st.lists(st.sampled_from([0.0, 1e-10, -1.0, 2.5, -np.inf]), min_size=3, max_size=3),
        min_size=1,
    ),
    last=st.booleans(),
)
def test_the_compiled_choice_equals_the_obvious_one(rows: Any, last: bool) -> None:
    scores = np.array(rows)
    chosen = [np.zeros(len(rows), dtype=np.int64) for _ in range(2)]
    with np.errstate(invalid="ignore"):  # minus infinity less itself
        for module, out in zip((evidence_sums, interpreted("evidence_sums")), chosen, strict=True):
            module.choose(scores, 1e-9, 1e-12, last, out)
    for row, *places in zip(rows, *chosen, strict=True):
        best = max(row)
        ties = [c for c, x in enumerate(row) if x == best or best - x <= 1e-9 + 1e-12 * abs(best)]
        assert places == [ties[-1 if last else 0]] * 2


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["no", "yes"]),
        st.sampled_from(["x", "y", "z", None]),
        st.sampled_from(["p", "q", None]),
        st.one_of(st.none(), st.integers(-5, 5).map(float)),
    ),
    min_size=4,
    max_size=20,
).filter(lambda rows: len({row[3] for row in rows if row[3] is not None}) > 1)


@given(rows=ROWS, alpha=st.sampled_from([0, 1, Fraction(1, 2)]), at=st.integers(0, 19))
def test_naive_bayes_equals_its_textbook_in_fractions(rows: Any, alpha: Any, at: int) -> None:
    table = [{"u": r[1], "v": r[2], "n": r[3], "target": r[0]} for r in rows]
    model = tl.NaiveBayes(alpha=float(alpha)).fit(table, "target")
    query = table[at % len(table)]
    got = model.predict_joint_log_proba([query])[0]
    for c, label in enumerate(model.classes_):
        expected = slow_joint(table, query, label, alpha)
        assert got[c] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def slow_joint(table: list[dict[str, Any]], query: dict[str, Any], label: str, alpha: Any) -> float:
    """log P(c) + the log factors, from fractions; normal densities with the library's smoothing."""
    mine = [row for row in table if row["target"] == label]
    product = Fraction(len(mine), len(table))
    for name in ("u", "v"):
        values = {row[name] for row in table} - {None}
        if query[name] is None or not values:
            continue
        present = [row for row in mine if row[name] is not None]
        if not present and not alpha:
            present = [row for row in table if row[name] is not None]
        hits = sum(row[name] == query[name] for row in present)
        product *= (hits + Fraction(alpha)) / (len(present) + Fraction(alpha) * len(values))
    log = -math.inf if product == 0 else math.log(product)
    if query["n"] is not None:
        whole = [Fraction(row["n"]) for row in table if row["n"] is not None]
        here = [Fraction(row["n"]) for row in mine if row["n"] is not None] or whole
        mean = sum(here) / len(here)
        variance = float(variance_of(here) or variance_of(whole))
        log -= 0.5 * (math.log(2 * math.pi * variance) + (query["n"] - float(mean)) ** 2 / variance)
    return log


def variance_of(numbers: list[Fraction]) -> Fraction:
    mean = sum(numbers) / len(numbers)
    return sum((x - mean) ** 2 for x in numbers) / len(numbers)
