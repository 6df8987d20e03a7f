"""Which row goes where: every row once, classes dealt out evenly, groups whole, time forward."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn import model_selection as theirs
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, KindError, OptionError, TargetError
from tallylearn.folds import Split, partition, read_cv
from tallylearn.folds.hashing import bootstrap_counts, splitmix64
from tallylearn.folds.rows import strata_of
from tallylearn.tables import Codes

MASK = 2**64 - 1
SEEDS = st.integers(0, MASK)
GOLDEN: dict[str, Any] = {  # rows of another NumPy, machine or year must go here too
    "k": [[2, 1, 0, 2, 1, 0, 1, 0, 0, 2, 1], [0, 1, 2, 1, 1, 2, 0, 0, 2, 0, 1]],
    "holdout": [0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1],
    "three": [2, 1, 0, 0, 0, 0, 2, 1, 0, 0, 0],
    "groups": [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1],
    "bootstrap": [[1, 2, 3, 6, 6, 7, 7, 9, 9, 10, 10], [0, 0, 1, 3, 3, 5, 5, 8, 8, 9, 9]],
}


def splitmix(seed: int, row: int) -> int:
    """One number of splitmix64, in whole numbers of any size."""
    z = (seed + (row + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def dealt(seed: int, strata: list[int], k: int) -> list[int]:
    """Folds, slowly: rows in the order of class and hash, dealt out in turn."""
    state = splitmix(seed, 0)
    order = sorted(range(len(strata)), key=lambda row: (strata[row], splitmix(state, row)))
    return [order.index(row) % k for row in range(len(strata))]


@st.composite
def classes(draw: st.DrawFn, least: int) -> list[int]:
    """Rows of up to four classes, each with enough rows."""
    counts = draw(st.lists(st.integers(least, 4 * least), min_size=1, max_size=4))
    return draw(st.permutations([c for c, count in enumerate(counts) for _ in range(count)]))


@st.composite
def grouping(draw: st.DrawFn, least: int) -> list[int]:
    """Rows of some groups."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=least, max_size=3 * least))
    return draw(st.permutations([g for g, size in enumerate(sizes) for _ in range(size)]))


# --- the hash ---------------------------------------------------------------------------------


@given(SEEDS, st.lists(st.integers(0, 2**40), min_size=1, max_size=20))
def test_the_hash_is_splitmix64(seed: int, rows: list[int]) -> None:
    assert splitmix64(seed, np.array(rows)).tolist() == [splitmix(seed, row) for row in rows]


@given(SEEDS, st.integers(1, 500))
def test_draws_are_the_hash_times_n_over_2_to_the_64(seed: int, n: int) -> None:
    chosen = [splitmix(seed, row) * n >> 64 for row in range(n)]
    assert bootstrap_counts(seed, n).tolist() == [chosen.count(row) for row in range(n)]


@given(SEEDS, st.integers(1, 300), st.integers(1, 100))
def test_a_row_has_its_hash_in_blocks_of_any_size(seed: int, n: int, block: int) -> None:
    pieces = [splitmix64(seed, np.arange(at, min(n, at + block))) for at in range(0, n, block)]
    assert (np.concatenate(pieces) == splitmix64(seed, np.arange(n))).all()


def test_folds_are_the_same_for_ever() -> None:
    y = list("aaabbbbbccc")
    assert [part.tolist() for part in tl.Folds.k(3, repeats=2, seed=7).parts(11, y)] == GOLDEN["k"]
    assert tl.Folds.holdout(seed=7).parts(11, y)[0].tolist() == GOLDEN["holdout"]
    assert tl.Folds.three(seed=7).parts(11, y)[0].tolist() == GOLDEN["three"]
    assert tl.Folds.k(2).parts(11, groups=y)[0].tolist() == GOLDEN["groups"]
    draws = tl.Folds.bootstrap(2, seed=7).splits(11)
    assert [split.train.tolist() for split in draws] == GOLDEN["bootstrap"]


# --- partitions -------------------------------------------------------------------------------


@given(st.data(), st.integers(2, 6), SEEDS)
def test_rows_are_dealt_out_in_the_order_of_class_and_hash(
    data: st.DataObject, k: int, seed: int
) -> None:
    strata = data.draw(classes(k))
    (part,) = tl.Folds.k(k, seed=seed).parts(len(strata), np.array(strata))
    assert part.tolist() == dealt(seed, strata, k)


@given(st.data(), st.integers(2, 6), st.integers(1, 3), SEEDS)
def test_folds_are_disjoint_cover_everything_and_differ_by_one_row(
    data: st.DataObject, k: int, repeats: int, seed: int
) -> None:
    strata = np.array(data.draw(classes(k)))
    n, folds = len(strata), tl.Folds.k(k, repeats=repeats, seed=seed)
    splits = list(folds.splits(n, strata))
    assert len(splits) == folds.get_n_splits() == k * repeats
    for repeat in range(repeats):
        mine = [split for split in splits if split.repeat == repeat]
        assert [split.fold for split in mine] == list(range(k))
        assert sorted(np.concatenate([split.test for split in mine])) == list(range(n))
        assert np.ptp([len(split.test) for split in mine]) <= 1
        for c in np.unique(strata):
            assert np.ptp([(strata[split.test] == c).sum() for split in mine]) <= 1
        for split in mine:
            assert sorted([*split.train, *split.test]) == list(range(n))


def test_repeats_are_other_folds_and_the_first_is_the_one_without_repeats() -> None:
    one, two = tl.Folds.k(5, repeats=2).parts(100)
    assert (one != two).any()
    assert (one == tl.Folds.k(5).parts(100)[0]).all()
    assert (one != tl.Folds.k(5, seed=1).parts(100)[0]).any()


def test_leave_one_out_tests_every_row_alone() -> None:
    splits = list(tl.Folds.leave_one_out().splits(5))
    assert [split.test.tolist() for split in splits] == [[i] for i in range(5)]
    for (train, test), split in zip(
        theirs.LeaveOneOut().split(np.zeros((5, 1))), splits, strict=True
    ):
        assert train.tolist() == split.train.tolist()
        assert test.tolist() == split.test.tolist()


@given(st.data(), st.fractions(Fraction(1, 5), Fraction(4, 5), max_denominator=50), SEEDS)
def test_a_holdout_takes_its_share_of_every_class(
    data: st.DataObject, share: Fraction, seed: int
) -> None:
    strata = np.array(data.draw(classes(5)))
    (split,) = tl.Folds.holdout(share, seed=seed).splits(len(strata), strata)
    assert sorted([*split.train, *split.test]) == list(range(len(strata)))
    assert abs(len(split.test) - share * len(strata)) <= Fraction(1, 2)
    for c, count in zip(*np.unique(strata, return_counts=True), strict=True):
        assert abs((strata[split.test] == c).sum() - share * int(count)) < 1


SHARE = st.fractions(Fraction(1, 5), Fraction(2, 5), max_denominator=50)


@given(st.data(), SHARE, SHARE, SEEDS)
def test_three_parts_are_disjoint_and_test_the_rows_of_the_holdout(
    data: st.DataObject, validation: Fraction, test: Fraction, seed: int
) -> None:
    strata = np.array(data.draw(classes(5)))
    n = len(strata)
    (split,) = tl.Folds.three(validation, test, seed=seed).splits(n, strata)
    (two,) = tl.Folds.holdout(test, seed=seed).splits(n, strata)
    assert split.validation is not None
    assert sorted([*split.train, *split.validation, *split.test]) == list(range(n))
    assert split.test.tolist() == two.test.tolist()
    assert abs(len(split.validation) - validation * n) < 2
    for c, count in zip(*np.unique(strata, return_counts=True), strict=True):
        assert abs((strata[split.validation] == c).sum() - validation * int(count)) < 2


def test_a_share_is_what_it_reads_as() -> None:
    assert tl.Folds.holdout(0.1) == tl.Folds.holdout(Fraction(1, 10))
    assert tl.Folds.holdout(np.float32(0.2)) == tl.Folds.holdout(Fraction(1, 5))
    assert (tl.Folds.holdout(1 / 3).parts(999)[0] == tl.Folds.holdout().parts(999)[0]).all()


# --- groups -----------------------------------------------------------------------------------


@given(st.data(), st.integers(2, 5), SEEDS)
def test_a_group_is_never_split(data: st.DataObject, k: int, seed: int) -> None:
    groups = np.array(data.draw(grouping(k)))
    n, largest = len(groups), np.bincount(groups).max()
    (part,) = tl.Folds.k(k, seed=seed).parts(n, groups=groups)
    assert all(len(np.unique(part[groups == g])) == 1 for g in groups)
    sizes = np.bincount(part, minlength=k)
    assert sizes.min() > 0
    assert np.ptp(sizes) <= largest
    assert sorted(sizes) == sorted(_theirs(groups, k))


def _theirs(groups: Any, k: int) -> list[int]:
    """The sizes of scikit-learn's folds, which are packed by the same rule."""
    splitter = theirs.GroupKFold(k)
    return [len(test) for _, test in splitter.split(np.zeros((len(groups), 1)), groups=groups)]


@given(st.data(), SEEDS)
def test_a_group_is_never_on_two_sides_of_a_holdout_or_a_draw(
    data: st.DataObject, seed: int
) -> None:
    groups = np.array(data.draw(grouping(8)))
    n = len(groups)
    for folds in (
        tl.Folds.holdout(Fraction(1, 2), seed=seed),
        tl.Folds.three(Fraction(1, 3), Fraction(1, 3), seed=seed),
        tl.Folds.bootstrap(3, seed=seed),
        tl.Folds.leave_one_out(),
    ):
        for split in folds.splits(n, groups=groups):
            sides = [split.train, split.test]
            sides += [] if split.validation is None else [split.validation]
            seen = [set(groups[side]) for side in sides]
            assert all(seen)
            assert sum(map(len, seen)) == len(set().union(*seen))
    draw = next(tl.Folds.bootstrap(1, seed=seed).splits(n, groups=groups))
    times = np.bincount(draw.train, minlength=n)
    assert all(len(set(times[groups == g])) == 1 for g in groups)


def test_groups_of_equal_size_go_by_their_hash() -> None:
    groups = np.repeat(np.arange(30), 2)
    parts = [tl.Folds.k(3, seed=seed).parts(60, groups=groups)[0] for seed in range(3)]
    assert all((np.bincount(part) == 20).all() for part in parts)
    assert (parts[0] != parts[1]).any()


@pytest.mark.parametrize(
    "groups",
    [
        [3, 1, 3, 2, 1, 2],
        ["c", "a", "c", "b", "a", "b"],
        [3.0, 1.0, 3.0, 2.0, 1.0, 2.0],
        np.array(["c", "a", "c", "b", "a", "b"], dtype=object),
        pa.array(["c", "a", "c", "b", "a", "b"]),
        pa.array(["c", "a", "c", "b", "a", "b"]).dictionary_encode(),
        pa.chunked_array([[3, 1], [3, 2, 1, 2]]),
        pa.array([3.0, 1.0, 3.0, 2.0, 1.0, 2.0]),
        pd.Series(pd.to_datetime(["2003", "2001", "2003", "2002", "2001", "2002"])),
        pd.Series(["c", "a", "c", "b", "a", "b"], dtype="category"),
        pl.Series(["c", "a", "c", "b", "a", "b"]),
        Codes.of(["c", "a", "c", "b", "a", "b"])[np.arange(6)],
    ],
)
def test_groups_may_be_written_as_anything(groups: Any) -> None:
    parts = tl.Folds.k(3).parts(6, groups=groups)[0]
    assert parts.tolist() == tl.Folds.k(3).parts(6, groups=[0, 1, 0, 2, 1, 2])[0].tolist()


@pytest.mark.parametrize(
    "order",
    [
        [3, 1, 3, 2, 1, 2],
        [3.0, 1.0, 3.0, 2.0, 1.0, 2.0],
        pa.chunked_array([[3, 1], [3, 2, 1, 2]]),
        pa.array([3.0, 1.0, 3.0, 2.0, 1.0, 2.0]),
        pa.array([3, 1, 3, 2, 1, 2]).dictionary_encode(),
        pd.Series(pd.to_datetime(["2003", "2001", "2003", "2002", "2001", "2002"])),
        pl.Series([3, 1, 3, 2, 1, 2]),
        Codes.of([3, 1, 3, 2, 1, 2])[np.arange(6)],
    ],
)
def test_times_may_be_written_as_numbers_and_dates(order: Any) -> None:
    first, second = tl.Folds.forward(2).splits(6, order=order)
    assert first.train.tolist() == [1, 4]
    assert first.test.tolist() == [3, 5]
    assert second.test.tolist() == [0, 2]


# --- draws and time ---------------------------------------------------------------------------


@given(st.integers(2, 60), SEEDS)
def test_a_draw_has_n_rows_and_tests_those_not_drawn(n: int, seed: int) -> None:
    splits = list(tl.Folds.bootstrap(4, seed=seed).splits(n))
    assert [split.repeat for split in splits] == [0, 1, 2, 3]
    for split in splits:
        assert len(split.train) == n
        assert len(split.test) > 0
        assert sorted({*split.train} | {*split.test}) == list(range(n))
        assert not {*split.train} & {*split.test}


def test_a_draw_leaves_out_one_row_in_e() -> None:
    left = [len(split.test) for split in tl.Folds.bootstrap(200).splits(1000)]
    # a row is left out with probability (1 - 1/n)^n; the mean of 200 draws has sd below 0.8
    assert abs(np.mean(left) - 1000 * (1 - 1 / 1000) ** 1000) < 4


def chunks(times: list[int], number: int) -> list[int]:
    """The chunk of every row, slowly: where the middle of the rows of its time lies."""
    middle = [sum(t < time for t in times) + Fraction(times.count(time), 2) for time in times]
    return [int(place * number / len(times)) for place in middle]


@given(st.integers(1, 6), st.data())
def test_forward_never_learns_from_the_future(k: int, data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(0, 30), min_size=k + 1, max_size=80))
    when, folds = np.array(times), tl.Folds.forward(k)
    if {*chunks(times, k + 1)} != {*range(k + 1)}:
        with pytest.raises(InputError, match=r"is empty.*Use fewer folds"):
            folds.splits(len(times), order=times)
        return
    splits = list(folds.splits(len(times), order=times))
    assert len(splits) == k
    for split in splits:
        assert when[split.train].max() < when[split.test].min()
    for before, after in pairwise(splits):
        assert sorted([*before.train, *before.test]) == after.train.tolist()
    assert len(splits[-1].train) + len(splits[-1].test) == len(times)


@given(st.integers(1, 6), st.integers(0, 80))
def test_chunks_of_different_times_differ_by_one_row(k: int, more: int) -> None:
    n = k + 1 + more
    splits = list(tl.Folds.forward(k).splits(n))
    assert np.ptp([len(splits[0].train), *(len(split.test) for split in splits)]) <= 1
    assert splits[-1].test.tolist()[-1] == n - 1


def test_coded_numbers_go_by_their_value() -> None:
    for order in (pa.array([10, 9]).dictionary_encode(), pd.Series([10, 9], dtype="category")):
        (split,) = tl.Folds.forward(1).splits(2, order=order)
        assert split.train.tolist() == [1]


def test_forward_goes_by_a_column_of_the_table() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(["2024-03-01", "2024-01-01", "2024-02-01"])})
    for X in (frame, tl.table(frame)):
        pairs = [(a.tolist(), b.tolist()) for a, b in tl.Folds.forward(2, order="day").split(X)]
        assert pairs == [([1], [2]), ([1, 2], [0])]
    with pytest.raises(ColumnError, match=r"Folds.forward: order is 'week'.*'day'"):
        list(tl.Folds.forward(2, order="week").split(frame))


# --- scikit-learn -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "folds",
    [
        tl.Folds.k(5),
        tl.Folds.k(3, repeats=2),
        tl.Folds.holdout(),
        tl.Folds.three(),
        tl.Folds.bootstrap(4),
        tl.Folds.forward(4),
        tl.Folds.leave_one_out(),
    ],
)
def test_scikit_learn_takes_folds_as_cv(folds: tl.Folds) -> None:
    X, y = load_iris(return_X_y=True)
    mixed = np.random.default_rng(0).permutation(150)[:60]
    X, y = X[mixed], np.array(["setosa", "versicolor", "virginica"])[y[mixed]]
    scores = theirs.cross_val_score(tl.NaiveBayes(), X, y, cv=folds)
    assert len(scores) == folds.get_n_splits(X, y)
    assert scores.mean() > 0.8
    search = theirs.GridSearchCV(tl.NaiveBayes(), {"var_smoothing": [1e-9, 1.0]}, cv=folds)
    assert search.fit(X, y).n_splits_ == len(scores)


def test_classes_are_stratified_and_measures_are_not() -> None:
    n = 60
    y = np.array([0] * 50 + [1] * 10)
    for target in (
        y,
        y.astype(str),
        y.astype(float),
        y == 1,
        pd.Series(y),
        pl.Series(y),
        y[:, None],
    ):
        for _, test in tl.Folds.k(5).split(np.zeros((n, 1)), target):
            assert y[test].sum() == 2
    plain = tl.Folds.k(5, stratified=False).parts(n)[0]
    objects = (y + 0.5).astype(object)
    for target in (y + 0.5, objects, np.arange(n, dtype=float), None, np.column_stack([y, y])):
        for fold, (_, test) in enumerate(tl.Folds.k(5).split(np.zeros((n, 1)), target)):
            assert test.tolist() == np.flatnonzero(plain == fold).tolist()


def test_a_regression_is_cross_validated() -> None:
    X, y = load_diabetes(return_X_y=True)
    assert len(theirs.cross_val_score(Ridge(), X, y, cv=tl.Folds.k(5))) == 5


def test_groups_pass_through_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) // 10
    scores = theirs.cross_val_score(tl.NaiveBayes(), X, y, groups=groups, cv=tl.Folds.k(3))
    assert len(scores) == 3
    frame = pd.DataFrame(X).rename(columns=str).assign(plant=groups, kind=y.astype(str))
    table = tl.table(frame, target="kind", groups="plant")
    again = theirs.cross_val_score(tl.NaiveBayes(), table, cv=tl.Folds.k(3))
    assert scores.tolist() == again.tolist()
    alone = theirs.GridSearchCV(tl.NaiveBayes(), {"alpha": [1]}, cv=tl.Folds.leave_one_out())
    assert alone.fit(table).n_splits_ == 15


def test_a_table_brings_its_target_for_stratifying() -> None:
    table = tl.example("tennis")
    y = np.array(table.target)
    for _, test in tl.Folds.k(5).split(table):
        assert (y[test] == "No").sum() == 1


# --- what a user may pass as cv ---------------------------------------------------------------


def pairs(splits: Any) -> list[tuple[list[int], list[int]]]:
    return [(split.train.tolist(), split.test.tolist()) for split in splits]


def test_a_cv_is_a_number_a_name_or_folds() -> None:
    assert read_cv(5, "classifier") == tl.Folds.k(5)
    assert read_cv(np.int64(5), "regressor") == tl.Folds.k(5, stratified=False)
    assert read_cv("loo") == tl.Folds.leave_one_out()
    assert read_cv("holdout") == tl.Folds.holdout()
    assert read_cv("bootstrap") == tl.Folds.bootstrap()
    assert read_cv("forward") == tl.Folds.forward()
    assert read_cv(tl.Folds.k(3)) == tl.Folds.k(3)


@pytest.mark.parametrize(
    ("splitter", "by_group"),
    [
        (theirs.KFold(4), False),
        (theirs.StratifiedKFold(4, shuffle=True, random_state=0), False),
        (theirs.GroupKFold(4), True),
        (theirs.LeaveOneGroupOut(), True),
        (theirs.ShuffleSplit(3, random_state=0), False),
        (theirs.StratifiedShuffleSplit(3, random_state=0), False),
        (theirs.TimeSeriesSplit(3), False),
        (theirs.LeaveOneOut(), False),
    ],
)
def test_splitters_of_scikit_learn_are_taken_as_they_are(splitter: Any, by_group: bool) -> None:
    y, groups = np.array(list("bbbbaaaacccc") * 2), np.arange(24) // 3 if by_group else None
    wanted = [(a.tolist(), b.tolist()) for a, b in splitter.split(np.zeros((24, 1)), y, groups)]
    found = read_cv(splitter)
    assert pairs(found.splits(24, y, groups)) == wanted
    coded = Codes.of(groups.tolist()) if by_group else None
    assert pairs(found.splits(24, strata_of(y), coded)) == wanted


def test_pairs_may_be_numbers_or_masks_and_are_read_once() -> None:
    mask = np.array([True, True, False, False])
    found = read_cv(iter([(mask, ~mask), ([2, 3], [0, 1])]))
    for _ in range(2):
        assert pairs(found.splits(4)) == [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    assert read_cv(found) is found


@pytest.mark.parametrize(
    ("cv", "error", "match"),
    [
        (True, KindError, "cv is True"),
        (None, KindError, "cv is None"),
        (2.5, KindError, "cv is 2.5"),
        ("lou", OptionError, "cv is 'lou'.*'loo'"),
        (1, OptionError, "Folds.k: number is 1"),
        ([([0, 1], [2, 9])], InputError, "cv: split 0: test has row 9, .* 0 to 4"),
        ([([0, -1], [2])], InputError, "train has row -1"),
        ([([0, 1], [])], InputError, "split 0: test is empty"),
        ([([], [1])], InputError, "train is empty"),
        (
            [([0, 1, 2], [3]), ([0, 1, 4], [3, 4])],
            InputError,
            "split 1 has row 4 both in train",
        ),
        (
            [(np.array([True, False]), [3])],
            InputError,
            "mask of 2 values, but .* 5 rows",
        ),
        ([([0.5], [3])], InputError, r"split 0: train is \[0.5\]"),
        ([([0], [1], [2])], KindError, "Pass a pair"),
        ([7], KindError, "split 0 is 7"),
    ],
)
def test_a_cv_that_cannot_be_is_named(cv: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        list(read_cv(cv).splits(5))


def test_a_partition_is_recognised() -> None:
    y, pieces = np.array([0, 1] * 10), np.arange(20) // 2
    for splitter, groups in (
        (theirs.KFold(5), None),
        (theirs.StratifiedKFold(4), None),
        (theirs.GroupKFold(5), pieces),
    ):
        found = partition(read_cv(splitter).splits(20, y, groups), 20)
        assert found is not None
        for fold, (train, test) in enumerate(splitter.split(np.zeros((20, 1)), y, groups)):
            assert np.flatnonzero(found == fold).tolist() == test.tolist()
            assert np.flatnonzero(found != fold).tolist() == train.tolist()
    mine = tl.Folds.k(4)
    found = partition(mine.splits(20), 20)
    assert found is not None
    assert (found == mine.parts(20)[0]).all()


def test_what_is_no_partition_is_not_taken_for_one() -> None:
    for splitter in (
        theirs.ShuffleSplit(3),
        theirs.TimeSeriesSplit(3),
        theirs.RepeatedKFold(n_splits=3, n_repeats=2),
    ):
        assert partition(read_cv(splitter).splits(12), 12) is None
    for folds in (tl.Folds.bootstrap(2), tl.Folds.holdout(), tl.Folds.three()):
        assert partition(folds.splits(12), 12) is None
    rows = np.arange(4)
    short = [Split(rows[2:], rows[:2]), Split(rows[:1], rows[2:])]  # row 1 is never learned
    twice = [Split(rows[2:], rows[:2]), Split(rows[[0, 0]], rows[2:])]
    again = [Split(rows[2:], rows[[0, 0]]), Split(rows[:2], rows[2:])]
    uncovered = [Split(rows[2:], rows[:2])]
    for splits in (short, twice, again, uncovered):
        assert partition(splits, 4) is None


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: tl.Folds.k(1), "Folds.k: number is 1. Give a whole number, 2 or more"),
        (lambda: tl.Folds.k(2.0), "number is 2.0"),
        (lambda: tl.Folds.k(True), "number is True"),
        (lambda: tl.Folds.k(3, repeats=0), "repeats is 0"),
        (lambda: tl.Folds.k(3, seed=-1), "seed is -1"),
        (lambda: tl.Folds.k(3, seed=2**64), "seed is 18446744073709551616"),
        (lambda: tl.Folds.k(3, stratified="yes"), "stratified is 'yes'"),
        (lambda: tl.Folds.holdout(0), "Folds.holdout: test is 0. Give a share"),
        (lambda: tl.Folds.holdout(1.0), "test is 1.0"),
        (lambda: tl.Folds.holdout(float("nan")), "test is nan"),
        (lambda: tl.Folds.holdout("half"), "test is 'half'"),
        (lambda: tl.Folds.three(0.5, 0.5), "validation and test take 1 of the rows"),
        (lambda: tl.Folds.three(validation=-1), "Folds.three: validation is -1"),
        (lambda: tl.Folds.bootstrap(0), "Folds.bootstrap: number is 0"),
        (lambda: tl.Folds.forward(0), "Folds.forward: number is 0"),
        (lambda: tl.Folds.forward(2, order=["day"]), r"order is \['day'\]"),
        (lambda: tl.Folds("hold"), "Folds.hold: .*Folds.k,"),
        (lambda: tl.Folds("holdout"), "Call one"),
        (lambda: tl.Folds.bootstrap(3).parts(5), "Use split"),
        (lambda: tl.Folds.forward(3).parts(5), "Use split"),
        (lambda: tl.Folds.leave_one_out().get_n_splits(), "Pass X"),
        (lambda: tl.Folds.forward(1, order="day").splits(5), "ordered by column 'day'"),
        (lambda: tl.Folds.forward(1).splits(2, groups=[1, 2]), "Leave groups out"),
    ],
)
def test_an_option_that_cannot_be_is_named(make: Any, match: str) -> None:
    with pytest.raises(OptionError, match=match):
        make()


@pytest.mark.parametrize(
    ("folds", "n", "known", "match"),
    [
        (tl.Folds.k(6), 5, {}, "Folds.k: 5 rows cannot be split into 6 parts. Use fewer"),
        (tl.Folds.leave_one_out(), 1, {}, "1 row cannot be split into 2 parts"),
        (tl.Folds.bootstrap(3), 1, {}, "1 row cannot be split into 2"),
        (tl.Folds.forward(5), 5, {}, "5 rows cannot be split into 6"),
        (tl.Folds.k(2), 4, {"strata": [1, 1]}, "4 rows, but strata has 2 values"),
        (tl.Folds.k(2), 4, {"groups": [1, 2]}, "4 rows, but groups has 2 values"),
        (tl.Folds.forward(2), 4, {"order": [1, 2]}, "4 rows, but order has 2 values"),
        (tl.Folds.k(3), 4, {"groups": list("xxyy")}, r"2 groups \('x', 'y'\) for 3 parts"),
        (tl.Folds.k(2), 3, {"groups": list("xxx")}, "all rows are in the group 'x'"),
        (tl.Folds.bootstrap(2), 3, {"groups": list("xxx")}, "all rows are in the group 'x'"),
        (tl.Folds.k(2), 3, {"groups": ["x", None, "y"]}, "the group is missing in row 1"),
        (tl.Folds.k(2), 3, {"groups": [1.0, 2.0, np.nan]}, "the group is missing in row 2"),
        (tl.Folds.k(2), 3, {"groups": pa.array([None, 2, 3])}, "the group is missing in row 0"),
        (tl.Folds.k(2), 2, {"groups": [[1, 2], [2, 3]]}, r"the shape \(2, 2\)"),
        (tl.Folds.forward(1), 3, {"order": [1.0, 2.0, np.nan]}, "the time is missing in row 2"),
        (tl.Folds.forward(1), 2, {"order": [1, "b"]}, r"the order has text \('b' in row 1\)"),
        (tl.Folds.forward(2), 6, {"order": [0, 1, 1, 1, 1, 1]},
         "chunk 3 of 3 is empty.* 5 of 6 rows have the time of row 1. Use fewer folds"),
        (tl.Folds.holdout(0.01), 10, {}, "the share 1/100 of 10 rows leaves the test part empty"),
        (tl.Folds.holdout(0.99), 10, {}, "the share 1/100 of 10 rows leaves the train part empty"),
        (tl.Folds.three(0.01, 0.2), 9, {}, "leaves the validation part empty"),
        (tl.Folds.holdout(0.01), 3, {"groups": [1, 2, 3]}, "leaves the test part empty"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_split_are_named(
    folds: tl.Folds, n: int, known: dict[str, Any], match: str
) -> None:
    with pytest.raises(InputError, match=match):
        list(folds.splits(n, **known))


@given(st.data())
def test_small_classes_are_dealt_out_as_evenly_as_they_go(data: st.DataObject) -> None:
    y = np.array(data.draw(classes(2)))
    k = data.draw(st.integers(2, len(y)))
    folds = tl.Folds.k(k, seed=data.draw(st.integers(0, 9)))
    (part,) = folds.assign_parts(len(y), y)
    counts = pd.crosstab(part, y).to_numpy()
    assert len(counts) == k
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 1
    assert bool(folds.too_few(y)) == (np.unique(y, return_counts=True)[1].min() < k)


def test_a_class_that_is_not_in_every_part_is_warned_of() -> None:
    folds, y = tl.Folds.k(3), list("aaabb")
    words = r"Folds.k: the class 'b' \(2 rows\) has fewer rows than the 3 parts"
    for call in (folds.parts, folds.splits):
        with pytest.warns(UserWarning, match=words):
            call(5, y)
    with pytest.warns(UserWarning, match=words):
        assert len(list(folds.split(np.zeros((5, 1)), y))) == 3
    with pytest.warns(UserWarning, match=r"'a' \(1 row\), 'b' \(1 row\) have fewer.*none of them"):
        tl.Folds.holdout().parts(4, ["a", "b", "c", "c"])
    assert folds.too_few(y, groups=list("xxyyz")) == ""
    assert tl.Folds.k(3, stratified=False).too_few(y) == ""
    few = tl.Folds.k(9).too_few([*range(8), 8, 8])
    assert few.startswith("the classes 0 (1 row), 1 (1 row), 2 (1 row)")
    assert "5 (1 row) and 3 more have fewer" in few


def test_a_missing_class_is_named() -> None:
    with pytest.raises(TargetError, match=r"Folds.k: the target is missing in row 1"):
        list(tl.Folds.k(2).split(np.zeros((3, 1)), np.array(["a", None, "b"], dtype=object)))


def test_folds_read_as_they_are_written() -> None:
    for folds in (
        tl.Folds.k(5, repeats=3, stratified=False, seed=1),
        tl.Folds.leave_one_out(),
        tl.Folds.holdout(Fraction(1, 4), seed=2),
        tl.Folds.three(0.1, 0.3),
        tl.Folds.bootstrap(7),
        tl.Folds.forward(3, order="day"),
    ):
        assert eval(f"tl.{folds!r}", {"tl": tl}) == folds


# --- groups travel with tables ----------------------------------------------------------------


def test_a_table_keeps_its_groups() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "who": ["b", None, "a"], "y": ["u", "v", "u"]})
    table = tl.table(frame, groups="who")
    assert table.groups.items() == ["b", None, "a"]
    assert table[[2, 0]].groups.items() == ["a", "b"]
    assert table[1:].groups.items() == [None, "a"]
    assert table.with_roles("y", None).groups.items() == ["b", None, "a"]
    assert [block.group.items() for block in table.blocks()] == [["b", None, "a"]]
    assert tl.table(frame).groups is None
    assert tl.table(frame, groups="who", missing="b").groups.items() == [None, None, "a"]


def test_numbers_are_groups_in_a_table_of_numbers() -> None:
    table = tl.table(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 8.0]]), groups="x1")
    assert table.schema.names == ("x0",)
    assert tl.Folds.k(2).parts(3, groups=table.groups)[0].tolist() in ([0, 0, 1], [1, 1, 0])


def test_files_keep_their_groups_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,who,y\n1,007,u\n2,7,v\n")
    (tmp_path / "b.csv").write_text("x,who,y\n3,,u\n4,Q,v\n")
    files = tl.table(str(tmp_path / "*.csv"), groups="who", target="y")
    assert [block.group.items() for block in files.blocks()] == [["007", "7"], [None, "Q"]]
    assert tl.NaiveBayes().fit(files).schema_.names == ("x",)
    frame = pd.read_csv(tmp_path / "a.csv", dtype={"who": str})
    frame.to_parquet(tmp_path / "a.parquet")
    parquet = tl.table(str(tmp_path / "a.parquet"), groups="who", target="y")
    assert [block.group.items() for block in parquet.blocks()] == [["007", "7"]]


# --- samples ----------------------------------------------------------------------------------


@given(st.data())
def test_representative_is_the_chi_square_test_of_scipy(data: st.DataObject) -> None:
    y = np.array(data.draw(classes(3)))
    part = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(y), max_size=len(y))))
    found = tl.Folds.representative(y, part)
    table = pd.crosstab(part, y).to_numpy()
    assert (found.counts == table).all()
    wanted = chi2_contingency(table, correction=False)
    assert found.chi2 == pytest.approx(wanted.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-9)
    assert found.shares.sum(axis=1) == pytest.approx(1)


def test_three_parts_of_three_classes_are_free_in_four_counts() -> None:
    found = tl.Folds.representative(list("aaabbbccc"), [0, 0, 1, 1, 1, 2, 2, 2, 0])
    half = found.chi2 / 2
    assert half > 0
    assert found.p_value == pytest.approx(np.exp(-half) * (1 + half))  # chi-square, 4 degrees


def test_a_holdout_by_class_is_representative_and_the_first_rows_are_not() -> None:
    y = ["a"] * 60 + ["b"] * 30
    (part,) = tl.Folds.holdout().parts(90, y)
    found = tl.Folds.representative(y, part)
    assert found.p_value == 1
    assert found.shares.tolist() == [found.whole.tolist()] * 2
    sorted_rows = tl.Folds.representative(y, np.arange(90) >= 60)
    assert sorted_rows.p_value < 1e-9
    assert "part 1        30     0.000     1.000" in str(sorted_rows)
    with pytest.raises(TargetError, match=r"representative: .* Pass classes"):
        tl.Folds.representative([0.5, 1.5], [0, 1])
    with pytest.raises(InputError, match="2 rows, but part has 3 values"):
        tl.Folds.representative(["a", "b"], [0, 1, 1])
    with pytest.raises(InputError, match="the number of the part of each row"):
        tl.Folds.representative(["a", "b"], [0.5, 1])


def test_a_gap_among_classes_that_are_floats_is_named() -> None:
    y = np.array([0.0, 1.0, np.nan, 1.0, 0.0, 0.0])
    with pytest.raises(TargetError, match="missing in row 2"):
        next(tl.Folds.k(2).split(np.zeros((6, 1)), y))
