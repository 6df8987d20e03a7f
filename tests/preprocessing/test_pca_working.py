"""The working of principal components: every printed number follows from the printed operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.workings import Grid
from tests.workings.recomputed import check_formulas, check_lines, interval_of

RNG = np.random.default_rng(0)
X = (RNG.normal(size=(30, 4)) @ RNG.normal(size=(4, 4)) * 10 + 100).round(1)


def grid_of(work: Any, title: str) -> Grid:
    return next(s for s in work.steps if isinstance(s, Grid) and s.title.startswith(title))


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
@pytest.mark.parametrize("learner", [tl.PCA(), tl.PCA(1), tl.PCA(whiten=True), tl.PCA(exact=True)])
@pytest.mark.parametrize("full", [False, True])
def test_every_printed_number_follows(columns: int, learner: Any, full: bool) -> None:
    work = learner.fit(X[:, :columns]).show_work(full=full)
    kept = learner.n_components_
    written = (kept if full else 1) * columns
    shares = kept if columns > 1 else 0
    assert check_formulas(work) == written + shares + (2 if columns == 2 else 0)
    check_lines(work)


def test_the_covariances_are_divided_by_n_minus_1() -> None:
    work = tl.PCA().fit(X).show_work()
    assert "The divisor is N - 1 = 30 - 1" in str(work)
    for row, want in zip(grid_of(work, "covariances").rows, np.cov(X.T), strict=True):
        for cell, value in zip(row[1:-1], want, strict=True):
            found = interval_of(cell)
            assert found is not None
            assert found.low <= value <= found.high


def test_the_components_are_those_of_the_model() -> None:
    model = tl.PCA().fit(X)
    rows = grid_of(model.show_work(), "components").rows
    values, vectors = np.linalg.eigh(np.cov(X.T))
    for row, value, vector in zip(rows, values[::-1], vectors.T[::-1], strict=True):
        assert float(row[1].replace(",", "")) == pytest.approx(value, rel=1e-3)
        found = np.array([*map(float, row[3:])])
        assert np.abs(found) == pytest.approx(np.abs(vector), abs=1e-3)


def test_many_columns_are_folded_and_a_file_without_a_tally_has_no_covariances(
    tmp_path: Any,
) -> None:
    model = tl.PCA().fit(RNG.normal(size=(40, 9)))
    assert "show_work(full=True) prints the covariances" in " ".join(str(model.show_work()).split())
    assert len(grid_of(model.show_work(full=True), "covariances").rows) == 9
    check_lines(model.show_work(full=True))
    model.save(tmp_path / "pca.tally", tally=False)
    assert "covariances" not in str(tl.load(tmp_path / "pca.tally").show_work())
    check_lines(tl.PCA().fit(RNG.normal(size=(40, 30))).show_work(full=True))


def test_uncorrelated_columns_have_covariances_of_0() -> None:
    x = np.array([[1.1, 0.3], [1.1, -0.3], [-1.1, 0.3], [-1.1, -0.3]])
    rows = grid_of(tl.PCA().fit(x).show_work(), "covariances").rows
    assert rows[0][2] == rows[1][1] == "0"
