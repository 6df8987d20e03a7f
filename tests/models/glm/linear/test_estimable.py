"""Answers that no row tells: columns that followed from others, or were constant, no longer do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

RNG = np.random.default_rng(0)
U, V = RNG.normal(size=(2, 50))
Y = U - V + RNG.normal(size=50)
WARM = RNG.uniform(0, 30, 50).round(1)
TABLES: dict[str, tuple[Any, Any, Any]] = {  # columns, a row that follows, and one that does not
    "twice": (np.c_[U, V, U], [1, 1, 1], [1, 1, 1000]),
    "slightly": (np.c_[U, V, U], [1, 1, 1 + 1e-12], [1, 1, 1.001]),
    "constant": (np.c_[U, V, np.full(50, 7.1)], [1, 1, 7.1], [1, 1, 7.2]),
    "units": (np.c_[WARM, WARM + 273.15, WARM * 1.8 + 32], [20, 293.15, 68], [20, 293.15, 70]),
    "far": (np.c_[U + 1e9, V, 2 * (U + 1e9)], [1e9, 1, 2e9], [1e9, 1, 2e9 + 1]),
    "sum": (np.c_[U, V, U + V], [3, 4, 7], [3, 4, 8]),
}
WAYS: dict[str, Any] = {
    "plain": {}, "qr": {"solver": "qr"}, "exact": {"exact": True}, "zero": {"fit_intercept": False}
}  # fmt: skip
every = pytest.mark.parametrize("name", TABLES)


@pytest.mark.parametrize(
    ("name", "way"),
    [(name, way) for name in TABLES for way in WAYS if (name, way) != ("constant", "zero")],
)
def test_an_interval_that_no_row_tells_has_no_ends(name: str, way: str) -> None:
    x, inside, outside = TABLES[name]
    model = tl.LinearRegression(**WAYS[way]).fit(x, Y)
    for of in ("answer", "mean"):
        found = model.predict_interval([inside, outside], of=of)
        assert np.isfinite(found[0]).all()
        assert found[1].tolist() == [-np.inf, np.inf]
    assert np.isfinite(model.predict_interval(x)).all(), "rows that were learned from are known"
    assert "no row tells this answer" in str(model.explain([outside]))
    assert "no row tells" not in str(model.explain([inside]))


@every
def test_files_targets_weights_and_merged_parts_know_as_much(name: str, tmp_path: Path) -> None:
    x, inside, outside = TABLES[name]
    parts = [
        tl.LinearRegression(solver="qr").fit(x[at], Y[at]) for at in (slice(25), slice(25, 50))
    ]
    one = tl.LinearRegression().fit(x, np.c_[Y, U], np.arange(50) % 3 + 0.5)
    one.save(tmp_path / "one.tally")
    for model, t in ((tl.merge(*parts), 0), (one, 1), (tl.load(tmp_path / "one.tally"), 0)):
        found = model.predict_interval([inside, outside], target=t)
        assert np.isfinite(found).all(axis=1).tolist() == [True, False]


def test_columns_that_do_not_follow_are_known_wherever_they_lie() -> None:
    model = tl.LinearRegression().fit(np.c_[U, V], Y)
    assert np.isfinite(model.predict_interval([[1e6, -1e6]])).all()
    chosen = tl.SubsetSelection().fit(np.c_[U, V, WARM], Y)
    assert "no row tells" not in str(chosen.explain([[1, 1, 1e6]]))
    ridge = tl.Ridge().fit(np.c_[U, V, U], Y)
    assert "no row tells" not in str(ridge.explain([[1, 1, 1e6]]))


def test_a_wide_tolerance_knows_the_rows_that_it_took_as_following() -> None:
    x = np.c_[U, V, U + 0.01 * WARM]
    model = tl.LinearRegression(tol=0.3).fit(x, Y)
    assert model.rank_ == 2
    assert np.isfinite(model.predict_interval(x)).all()
    assert not np.isfinite(model.predict_interval([[1, 1, 1000]])).any()


def test_values_of_categories_that_follow_from_others_are_told_alike() -> None:
    frame = pd.DataFrame({"a": list("xyz") * 10, "b": list("pqr") * 10, "y": RNG.normal(size=30)})
    model = tl.LinearRegression().fit(frame, "y")
    rows = pd.DataFrame({"a": ["x", "x"], "b": ["p", "q"]})
    assert np.isfinite(model.predict_interval(rows)).all(axis=1).tolist() == [True, False]


SHARED = {"units": True, "twice": False, "sum": False, "constant": False, "far": False}


@pytest.mark.parametrize("way", ["plain", "qr", "exact"])
@pytest.mark.parametrize("name", SHARED)
def test_an_intercept_that_columns_share_has_no_standard_error(name: str, way: str) -> None:
    x = TABLES[name][0]
    found = tl.LinearRegression(**WAYS[way]).fit(x, Y).summary(x, Y)
    assert np.isnan(found.error[0]) == SHARED[name]
    assert ("Intercept has no standard error" in str(found)) == SHARED[name]


def test_an_interval_of_a_value_that_no_row_had_has_no_ends() -> None:
    frame = pd.DataFrame({"a": list("xyz") * 10, "b": U[:30], "y": Y[:30]})
    rows = pd.DataFrame({"a": ["x", "z", "q", None], "b": [0.0, 1, 1, 1]})
    told = [True, True, False, True]
    for model in (tl.LinearRegression(), tl.LinearRegression(exact=True, reference={"a": "z"})):
        found = model.fit(frame, "y").predict_interval(rows)
        assert np.isfinite(found).all(axis=1).tolist() == told
    streets = pd.DataFrame({"s": [f"s{i % 25}" for i in range(50)], "b": U, "y": Y})
    pooled = tl.LinearRegression(min_samples_category=20).fit(streets.assign(y=Y), "y")
    assert np.isfinite(pooled.predict_interval([{"s": "new", "b": 1}])).all(), "counts as rare"


def test_an_interval_of_no_rows_is_refused_as_an_answer_is() -> None:
    model = tl.LinearRegression().fit(np.c_[U, V], Y)
    for ask in (model.predict, model.predict_interval):
        with pytest.raises(tl.errors.InputError, match="the table has no rows"):
            ask(np.zeros((0, 2)))
