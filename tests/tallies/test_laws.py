"""The laws that every tally obeys, on random and hostile rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.tables import Codes
from tallylearn.tallies import (
    Bundle,
    Counts,
    Exact,
    Extent,
    Moments,
    Nearest,
    Products,
    Ranks,
    Values,
)
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.weights import round_weights
from tallylearn.tallies.words import words

Row = tuple[str, str | None, float, float]  # class, value, number, weight

NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, 1e308, -1e308, 1e8 + 1, 0.1, float("nan")]),
)
WEIGHTS = st.one_of(
    st.integers(1, 2**53).map(float), st.floats(1e-300, 1e300), st.sampled_from([1.0, 2.0, 0.5])
)
ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", None]), NUMBERS, WEIGHTS),
    max_size=25,
)


def columns(rows: list[Row]) -> tuple[Codes, Codes, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    classes = Codes.of([row[0] for row in rows])
    values = Codes.of([row[1] for row in rows])
    numbers = np.array([[row[2], -row[2]] for row in rows]).reshape(len(rows), 2)
    return classes, values, numbers, np.array([row[3] for row in rows], dtype=float)


def counts(rows: list[Row]) -> Counts:
    classes, values, _, weight = columns(rows)
    return Counts.of(classes, values, weight)


def totals(rows: list[Row]) -> Counts:
    classes, _, _, weight = columns(rows)
    return Counts.of(classes, weight=weight)


def moments(rows: list[Row]) -> Moments:
    classes, _, numbers, weight = columns(rows)
    return Moments.of(numbers, classes, ("u", "v"), weight)


def bundle(rows: list[Row]) -> Bundle:
    return Bundle({"counts": counts(rows), "numbers": Bundle({"moments": moments(rows)})})


def texts(rows: list[Row]) -> Bundle:
    classes, _, _, weight = columns(rows)
    documents = [None if row[1] is None else f"{row[1]} {row[2]} {row[1]}" for row in rows]
    bags = Reader(1, 2).bags(pa.array(documents, pa.large_string()))
    return words(bags, classes, weight)


def products(rows: list[Row]) -> Products:
    classes, values, numbers, weight = columns(rows)
    seen = [[np.nan if row[1] is None else float(row[1] == value) for value in values.values]
            for row in rows]  # fmt: skip
    ones = np.array(seen).reshape(len(rows), len(values.values))
    names = (("u", ""), ("v", ""), *(("w", f"={value}") for value in values.values))
    return Products.of(np.hstack([numbers, ones]), classes, names, weight)


def ranks(rows: list[Row]) -> Ranks:
    classes, _, numbers, weight = columns(rows)
    positive = np.array([item == "a" for item in classes.items()], dtype=bool)
    return Ranks.of(numbers[:, 0], positive, weight)


def values(rows: list[Row]) -> Values:
    classes, _, numbers, weight = columns(rows)
    return Values.of(numbers[:, 0], classes, weight)


def extent(rows: list[Row]) -> Extent:
    classes, _, numbers, _ = columns(rows)
    return Extent.of(numbers, classes, ("u", "v"))


def nearest(rows: list[Row]) -> Nearest:
    """The rows next to 0, and those next to 1e8; each is known by what it is."""
    numbers = np.array([row[2] for row in rows], dtype=float)
    places = np.array([crc32(repr(row).encode()) for row in rows], dtype=np.int64)
    apart = np.concatenate([np.abs(numbers), np.abs(numbers - 1e8)])
    queries = np.repeat([0, 1], len(rows))
    both = np.concatenate([places, places])
    return Nearest.of(queries, both, apart, 2, 3, both[:, None].astype(float))


def answers(rows: list[Row]) -> Bundle:
    classes, values, numbers, weight = columns(rows)
    p = np.nan_to_num(1 / (1 + np.abs(numbers[:, :1])))  # 0 where there is no number
    said = Codes(("a", "b", "c"), values.recode(("x", "y")) + 1)
    truth = Codes(classes.values, classes.codes, ("a", "b", "c"))
    told = Predictions(truth, said, ("a", "b"), np.hstack([p, 1 - p]), weight)
    return told.tally(["accuracy", "log_loss", "brier", "roc_auc_ovr", "ece_ovr"])


def errors(rows: list[Row]) -> Bundle:
    _, _, numbers, weight = columns(rows)
    said, truth = np.nan_to_num(np.clip(numbers, -1e100, 1e100)), np.zeros((len(rows), 2))
    return Predictions(truth, said, weight=weight).tally(["mae", "mse", "r2", "euclidean"])


Make = Callable[[list[Row]], Any]
FORGETTING = [counts, totals, moments, products, ranks, values, bundle, texts, answers, errors]
every_tally = pytest.mark.parametrize("tally", [*FORGETTING, extent, nearest])
every_forgetting_tally = pytest.mark.parametrize("tally", FORGETTING)


@pytest.mark.parametrize(
    "tally", [counts, totals, moments, products, values, extent, bundle, texts]
)
@given(rows=ROWS, data=st.data())
def test_classes_paired_with_a_part_come_apart_again(
    tally: Make, rows: list[Row], data: st.DataObject
) -> None:
    parts = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    pairs: Any = [((part, row[0]), *row[1:]) for part, row in zip(parts, rows, strict=True)]
    for f, found in enumerate(tally(pairs).split_folds(3)):
        alone = [row for part, row in zip(parts, rows, strict=True) if part == f]
        assert found == tally(alone)


@every_tally
@given(rows=ROWS, cut=st.integers(0, 25))
def test_parts_sum_to_the_whole(tally: Make, rows: list[Row], cut: int) -> None:
    assert tally(rows[:cut]) + tally(rows[cut:]) == tally(rows)


@every_tally
@given(rows=ROWS, random=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(tally: Make, rows: list[Row], random: Any) -> None:
    shuffled = rows[:]
    random.shuffle(shuffled)
    assert tally(shuffled) == tally(rows)


@every_tally
@given(rows=ROWS)
def test_an_empty_tally_is_neutral(tally: Make, rows: list[Row]) -> None:
    nothing = tally([])
    assert nothing + nothing == nothing
    assert not nothing
    assert nothing + tally(rows) == tally(rows) == tally(rows) + nothing


@every_forgetting_tally
@given(a=ROWS, b=ROWS)
def test_forgetting_undoes_learning_to_the_bit(tally: Make, a: list[Row], b: list[Row]) -> None:
    assert (tally(a) + tally(b)) - tally(b) == tally(a)
    assert tally(a) - tally(a) == tally([])


@pytest.mark.parametrize("tally", [*FORGETTING, extent])  # neighbours have no weights
@given(rows=ROWS)
def test_weight_two_is_the_row_twice(tally: Make, rows: list[Row]) -> None:
    # fractions are rounded to 32 bits, and twice a fraction may be whole: take what is counted
    light = [(c, v, x, float(round_weights(np.array([w]))[0])) for c, v, x, w in rows if w < 1e299]
    double = [(c, v, x, 2 * w) for c, v, x, w in light]
    assert _counted(tally(double)) == _counted(tally(light + light))


def _counted(tally: Any) -> Any:
    """All but how many documents there are, which weights do not say."""
    if not isinstance(tally, Bundle):
        return tally
    kept = {name: part for name, part in tally.parts.items() if name not in ("weighed", "once")}
    return Bundle(kept)


@every_tally
@given(a=ROWS, b=ROWS, c=ROWS)
def test_addition_is_associative_and_commutative(
    tally: Make, a: list[Row], b: list[Row], c: list[Row]
) -> None:
    x, y, z = tally(a), tally(b), tally(c)
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    assert sum([x, y, z]) == x + y + z


@every_forgetting_tally
@given(a=ROWS, b=ROWS)
def test_what_was_learned_is_possible_and_what_was_not_is_refused(
    tally: Make, a: list[Row], b: list[Row]
) -> None:
    assert (tally(a) + tally(b)).impossible() is None
    present = [row for row in b if row[1] is not None and not np.isnan(row[2])]
    if present:
        assert (tally([]) - tally(present)).impossible() is not None


@given(a=ROWS, b=ROWS)
def test_tallies_may_carry_an_axis_of_folds(a: list[Row], b: list[Row]) -> None:
    one, two = moments(a + b), moments(b + a + b)
    keys, names = two.keys, two.columns
    both = replace(
        two,
        count=stacked(one.reindex(keys, names).count, two.count),
        sums=stacked(one.reindex(keys, names).sums, two.sums),
        squares=stacked(one.reindex(keys, names).squares, two.squares),
    )
    for fold, single in enumerate((one.reindex(keys, names), two)):
        assert np.array_equal(both.mean[fold], single.mean)
        assert np.array_equal((both + both).mean[fold], (single + single).mean)


def stacked(a: Exact, b: Exact) -> Exact:
    """Two arrays as the folds of one."""
    room = np.zeros((2, *a.shape), dtype=np.int64)
    zero = Exact.of(room)
    first, second = (Exact(np.stack([x.limbs, x.limbs * 0]), x.low) for x in (a, b))
    return zero + first + Exact(second.limbs[::-1].copy(), second.low)


def test_a_declared_key_stays_and_another_goes() -> None:
    some = Counts.of(Codes.of(["a"], declared=["a", "z"]))
    gone = some - Counts.of(Codes.of(["a"], declared=["a", "z"]))
    assert gone.keys == (("a", "z"),)
    assert Counts.of(Codes.of(["a"])) - Counts.of(Codes.of(["a"])) == Counts.empty()


def test_variance_survives_numbers_around_a_hundred_million() -> None:
    x = 1e8 + np.random.default_rng(0).normal(size=(100_000, 1))[:65_536]
    tally = Moments.of(x, Codes(("a",), np.zeros(len(x), dtype=np.int32)), ("x",))
    assert tally.variance[0, 0] == pytest.approx(np.var(x - 1e8), rel=1e-7)


def test_an_outlier_of_1e10_is_forgotten_without_trace() -> None:
    x = np.random.default_rng(0).normal(size=(1000, 1))
    codes = Codes(("a",), np.zeros(len(x), dtype=np.int32))
    one = Codes(("a",), np.zeros(1, dtype=np.int32))
    before = Moments.of(x, codes, ("x",))
    outlier = Moments.of(np.array([[1e10]]), one, ("x",))
    assert (before + outlier) - outlier == before
