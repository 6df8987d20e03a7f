"""The working of k-means: assignments, inertia and means of every round."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tests.workings.arithmetic import check_explanation, check_working

POINTS = [[1, 1], [2, 1], [1, 3], [8, 8], [9, 8], [8, 10]]


def frame(n: int = 30, columns: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, columns)) * 3 + rng.integers(0, 3, n)[:, None] * 5 + 1000
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(columns)])


@pytest.mark.parametrize("options", [{}, {"scale": "minmax"}, {"scale": "standard"}], ids=str)
@pytest.mark.parametrize(("n", "columns", "k"), [(9, 1, 2), (10, 2, 3), (60, 2, 3), (40, 6, 5)])
def test_every_printed_number_follows_from_the_printed_operands(
    options: dict[str, Any], n: int, columns: int, k: int
) -> None:
    model = tl.KMeans(k, init="random", n_init=1, **options).fit(frame(n, columns))
    for full in (False, True):
        work = model.show_work(full=full)
        checked = check_working(work.steps)
        assert checked >= (model.n_iter_ * k * columns if full else 0)
        assert max(map(len, str(work).splitlines())) <= 80
        assert f"At the end J = {model.inertia_:.4g}" in str(work).replace(",", "")
    assert str(work).count("\nRound ") == model.n_iter_
    assert check_explanation(model.explain(frame(n, columns)[:3])) >= 3 * k


def test_a_round_is_written_as_on_the_board() -> None:
    model = tl.KMeans(2, init=[[1, 1], [2, 1]]).fit(POINTS)
    work = str(model.show_work())
    assert "3          1    (8 - 1)² + (8 - 1)² = 98    (8 - 2)² + (8 - 1)² = 85" in work
    assert "J = 0 + 0 + 4 + 85 + 98 + 117 = 304" in work
    assert "mean(x0, 1) = (2 + 8 + 9 + 8) / 4 = 27 / 4 = 6.75" in work
    assert "J = 1 + 2 + 1 + 3.125 + 6.625 + 12.12 = 25.88" in work


def test_rounds_agree_with_the_trace_of_the_fit() -> None:
    model = tl.KMeans(4, init="random", n_init=1, random_state=3).fit(frame(200, 3))
    grid = next(
        s for s in model.show_work().steps if getattr(s, "header", ()) == ("round", "J", "rows")
    )
    shown = [float(row[1].replace(",", "")) for row in grid.rows]
    assert shown == pytest.approx(model.model_.trace, rel=1e-3)
    assert grid.rows[0][2] == "200"
    assert len(grid.rows) == model.n_iter_


def test_weighted_rows_categories_and_empty_clusters() -> None:
    table = tl.example("computer")
    assert check_working(tl.KMeans(3).fit(table).show_work(full=True).steps)
    weighted = tl.KMeans(2).fit(POINTS, sample_weight=[1, 2, 1, 1, 3, 1])
    assert check_working(weighted.show_work().steps) >= 4
    empty = tl.KMeans(3, init=[[1, 1], [2, 1], [100, 100]]).fit(POINTS)
    assert "takes the row that is farthest" in str(empty.show_work())


def test_rows_are_kept_by_the_option(tmp_path: Any) -> None:
    model = tl.KMeans(2).fit(POINTS)
    assert "Round 1" in str(model.show_work())
    for other in (tl.KMeans(2, keep_rows=False).fit(POINTS), pickle.loads(pickle.dumps(model))):
        assert other.kept_rows_ is None
        assert "keep_rows=True" in str(other.show_work())
    kept = tl.KMeans(2, keep_rows=True).fit(POINTS)
    assert str(pickle.loads(pickle.dumps(kept)).show_work()) == str(kept.show_work())
    model.save(tmp_path / "k.tally")
    assert "J before every round" in str(tl.load(tmp_path / "k.tally").show_work())
