"""Samples: simple, stratified and bootstrap, and whether they stand for the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import tallylearn as tl
from tallylearn import errors

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"x": RNG.normal(size=500), "kind": ["a"] * 300 + ["b"] * 150 + ["c"] * 50})


def test_a_simple_sample_draws_rows_once_and_a_seed_repeats_it() -> None:
    found = tl.sample(TABLE, 100)
    assert repr(found) == str(found)
    assert len({*found.rows.tolist()}) == 100
    assert found.table.equals(TABLE.iloc[found.rows])
    assert len(found.left) == 400
    assert (tl.sample(TABLE, 0.2).rows == found.rows).all()
    assert (tl.sample(TABLE, 100, seed=1).rows != found.rows).any()


@pytest.mark.parametrize(("n", "counts"), [(50, (30, 15, 5)), (51, (31, 15, 5)), (7, (4, 2, 1))])
def test_strata_have_their_shares(n: int, counts: tuple[int, ...]) -> None:
    found = tl.sample(TABLE, n, by="kind").table["kind"].value_counts()
    assert tuple(found[kind] for kind in "abc") == counts


def test_places_that_no_share_fills_go_by_the_seed() -> None:
    stores = pd.DataFrame({"store": [f"s{i:03}" for i in range(100) for _ in range(2)]})
    drawn = [{*tl.sample(stores, 20, by="store", seed=seed).rows // 2} for seed in range(60)]
    assert all(len(each) == 20 for each in drawn)
    assert {*range(100)} == set().union(*drawn)
    many = tl.sample(stores, 130, by="store", seed=3).table["store"].value_counts()
    assert (many.min(), many.max(), len(many)) == (1, 2, 100)
    assert many[many == 2].index.min() < "s050" < many[many == 2].index.max()


def test_a_bootstrap_draws_again_and_leaves_a_third_out() -> None:
    found = tl.sample(TABLE, bootstrap=True)
    assert len(found.rows) == 500
    assert 150 < len(found.left) < 220
    assert {*found.rows.tolist()} | {*found.left.tolist()} == {*range(500)}


def test_columns_by_name_are_drawn_by_name() -> None:
    drawn = tl.sample({"x": [1.0, 2.0, 3.0], "y": np.array(["u", "v", "w"])}, 2, seed=1)
    assert drawn.table["x"] == [float(at + 1) for at in drawn.rows]
    assert drawn.table["y"].tolist() == ["uvw"[at] for at in drawn.rows]


def test_the_kind_of_table_that_came_in_goes_out(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    rows = tl.sample(TABLE, 10).rows
    for other in (pl.from_pandas(TABLE), pa.Table.from_pandas(TABLE), TABLE.to_dict("records"),
                  tl.table(TABLE), TABLE[["x"]].to_numpy()):  # fmt: skip
        found = tl.sample(other, 10)
        assert type(found.table) is type(other)
        assert len(found.table) == 10
        assert (found.rows == rows).all()
    assert len(tl.sample(tmp_path / "t.csv", 10).table) == 10


def test_differences_are_measured_in_standard_errors_of_a_finite_table() -> None:
    found = tl.sample(TABLE, 100)
    x, drawn = TABLE["x"], found.table["x"]
    z = (drawn.mean() - x.mean()) / (x.std() * np.sqrt((1 - 100 / 500) / 100))
    assert found.columns[0].p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
    seen = found.table["kind"].value_counts().reindex(list("abc")).to_numpy()
    chi2 = stats.chisquare(seen, [60, 30, 10]).statistic / (1 - 100 / 500)
    assert found.columns[1].p_value == pytest.approx(stats.chi2.sf(chi2, 2), rel=1e-9)


@pytest.mark.parametrize("options", [{"n": 50}, {"n": 500, "bootstrap": True}])
def test_a_fair_sample_is_called_unfair_about_as_often_as_it_says(options: Any) -> None:
    chances = np.array([
        [c.p_value for c in tl.sample(TABLE, seed=seed, **options).columns] for seed in range(160)
    ])  # fmt: skip
    for column in chances.T:
        assert stats.binomtest(int((column < 0.05).sum()), 160, 0.05).pvalue > 1e-3


def test_an_unfair_sample_is_told() -> None:
    table = pd.DataFrame({"x": [0.0] * 990 + [1000.0] * 10, "c": ["u"] * 1000})
    seeds = [s for s in range(60) if tl.sample(table, 30, seed=s).table["x"].max() > 0]
    found = tl.sample(table, 30, seed=seeds[0])
    lucky = [s for s in seeds if (tl.sample(table, 30, seed=s).table["x"] > 0).sum() > 1]
    worst = tl.sample(table, 30, seed=lucky[0])
    assert worst.different == ("x",)
    assert not worst.representative
    assert "Not representative: 'x'" in str(worst)
    assert found.columns[1].p_value == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 501}, "n is 501. .* from 1 to 500"),
        ({"n": 0}, "n is 0"),
        ({"n": 1.5}, "share between 0 and 1"),
        ({}, "n is None"),
        ({"n": 5, "by": "sort"}, "by is 'sort'.* Choose from 'x', 'kind'"),
        ({"n": 5, "by": ["x", "kind"]}, "the table has 500 rows, but by has 2 values"),
        ({"n": 5, "by": 3}, "Pass one value per row"),
        ({"n": 5, "by": "kind", "bootstrap": True}, "Leave out by or bootstrap"),
        ({"n": 5, "seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: Any, said: str) -> None:
    with pytest.raises(errors.TallyError, match=said):
        tl.sample(TABLE, **options)
    with pytest.raises(errors.InputError, match="no rows"):
        tl.sample(TABLE[:0], 1)


def test_strata_are_a_column_or_one_value_a_row() -> None:
    kinds = TABLE["kind"]
    named = tl.sample(TABLE, 100, by="kind")
    for by in (kinds, kinds.to_numpy(), [*kinds], pa.array(kinds)):
        found = tl.sample(TABLE.to_numpy(), 100, by=by)
        assert (found.rows == named.rows).all()
        assert found.how == "stratified"
    gappy = np.where(kinds == "b", None, kinds)
    assert (tl.sample(TABLE, 100, by=gappy).table["kind"] == "b").sum() == (kinds == "b").sum() / 5
