"""The working of a prediction by neighbours: every number follows from the printed operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tests.workings.arithmetic import check_explanation


def frame(n: int = 40, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.normal(50, 20, n).round(1)
    b = rng.normal(0, 1, n)
    return pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 5, n), "y": a + 20 * b})


OPTIONS: list[dict[str, Any]] = [
    {}, {"scale": "minmax"}, {"scale": "standard", "weights": "distance"},
    {"weights": "inverse_square"}, {"metric": "manhattan"}, {"metric": "chebyshev"},
    {"metric": "minkowski", "p": 3}, {"metric": "cosine"}, {"metric": "gower"},
    {"weights": lambda d: 1 / (1 + d)},
]  # fmt: skip


@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda each: " ".join(each) + str(each.get("metric", ""))
)
@pytest.mark.parametrize("regression", [True, False])
def test_every_printed_number_follows_from_the_printed_operands(
    options: dict[str, Any], regression: bool
) -> None:
    table = frame()
    if not regression:
        table["y"] = np.where(table.y > 50, "high", "low")
    kind = tl.KNeighborsRegressor if regression else tl.KNeighborsClassifier
    model = kind(4, **options).fit(table, "y")
    found = model.explain(frame(6, 1).drop(columns="y"))
    assert check_explanation(found) >= 6 * 5
    for row, told in zip(found, model.predict(frame(6, 1).drop(columns="y")), strict=True):
        last = str(row).splitlines()[-1]
        if regression:
            assert float(last.rsplit(" = ")[-1].replace(",", "")) == pytest.approx(told, rel=1e-3)
        else:
            assert f"P({told}) = " in str(row)


def test_a_teacher_can_copy_the_distances_and_the_votes() -> None:
    x, y = [[1, 1], [2, 1], [1, 3], [8, 8], [9, 8], [8, 10]], ["a", "a", "a", "b", "b", "b"]
    text = str(tl.KNeighborsClassifier(3).fit(x, y).explain([[2.0, 2.0]]))
    assert "d(row 2) = sqrt((2 - 1)² + (2 - 3)²) = sqrt(1 + 1) = sqrt(2) = 1.414" in text
    assert text.endswith("P(a) = 3 / 3 = 1")


def test_an_equal_row_decides_alone() -> None:
    model = tl.KNeighborsRegressor(2, weights="distance").fit([[1.0], [2.0], [4.0]], [10, 20, 40])
    text = str(model.explain([[2.0]]))
    assert "row 1 is at distance 0: no other row has a vote." in text
    assert text.endswith("ŷ = (1 · 20 + 0 · 10) / (1 + 0) = 20 / 1 = 20")


def test_categories_and_missing_values_of_gower() -> None:
    table = pd.DataFrame(
        {
            "a": [1.0, 5.0, np.nan, 3.0],
            "k": ["p", "q", "p", None],
            "y": ["no", "yes", "no", "yes"],
        }
    )
    found = tl.KNeighborsClassifier(2).fit(table, "y").explain(table.drop(columns="y"))
    assert check_explanation(found)
    assert "(|1 - 1| / 4 + 0) / 2 = (0 + 0) / 2 = 0" in str(found[0])


def test_many_columns_and_neighbours_are_folded() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(60, 20)), rng.normal(size=60)
    found = tl.KNeighborsRegressor(30).fit(x, y).explain(x[:1])
    assert check_explanation(found) > 5
    assert str(found).count("d(row") == 10
    assert "and 20 more neighbours" in str(found)


def test_files_give_the_same_working(tmp_path: Any) -> None:
    table = frame()
    table.to_csv(tmp_path / "rows.csv", index=False)
    model = tl.KNeighborsRegressor(4, scale="standard")
    rows = frame(3, 1).drop(columns="y")
    one = str(model.fit(table, "y").explain(rows))
    assert str(model.fit(tl.table(tmp_path / "rows.csv", "y"), "y").explain(rows)) == one
