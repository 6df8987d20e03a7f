"""What comes after is tested: a column that has no order in time is no order."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError
from tests.cli.test_cli import failed, fine, folder

__all__ = ["folder"]
N = 40
DAYS = [dt.date(2000, 1, 1) + dt.timedelta(days=9 * i) for i in range(N)]
TEXTS = {
    "months": [f"{day:%b} {day.day} {day.year}" for day in DAYS],
    "points": [f"{day:%d.%m.%Y}" for day in DAYS],
    "slashes": [f"{day.month}/{day.day}/{day.year}" for day in DAYS],
    "numbers": [str(i) for i in range(N)],
    "names": [f"day {i}" for i in range(N)],
}
FORWARD = tl.Folds.forward(3, order="date")


def rows(dates: Any) -> dict[str, Any]:
    return {"date": dates, "x": [float(i % 7) for i in range(N)], "y": ["u", "v"] * (N // 2)}


FORMS: dict[str, Any] = {
    "pandas": pd.DataFrame,
    "arrow": pa.table,
    "dict": dict,
    "table": lambda data: tl.table(data, target="y"),
    "category": lambda data: pd.DataFrame(data).astype({"date": "category"}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["months", "points", "slashes", "numbers"])
def test_written_dates_are_an_order_in_time_and_not_in_the_alphabet(name: str, form: str) -> None:
    shuffled = np.random.default_rng(0).permutation(N)
    data = FORMS[form](rows([TEXTS[name][i] for i in shuffled]))
    for train, test in FORWARD.split(data if form != "dict" else tl.table(data)):
        assert shuffled[train].max() < shuffled[test].min()


@pytest.mark.parametrize("form", FORMS)
def test_words_are_no_order(form: str) -> None:
    data = FORMS[form](rows(TEXTS["names"]))
    for ask in (
        lambda X: tl.evaluate(tl.NaiveBayes(), X, "y" if form != "table" else None, cv=FORWARD),
        lambda X: list(FORWARD.split(X)),
    ):
        with pytest.raises(ColumnError, match=r"'date' has text \('.*' in row 0\).*pandas.to_date"):
            ask(data)


@pytest.mark.parametrize("values", [[True, False] * 20, [b"a", b"b"] * 20, [1j, 2j] * 20])
def test_what_has_no_time_is_no_order(values: list[Any]) -> None:
    with pytest.raises(InputError):
        list(tl.Folds.forward(2).splits(N, order=values))


@pytest.mark.parametrize(
    "values",
    [
        DAYS,
        [str(day) for day in DAYS],
        [f"{day}T12:00:00" for day in DAYS],
        np.array(DAYS, dtype="datetime64[ns]"),
        pd.Series(pd.to_datetime(DAYS)),
        [dt.timedelta(days=i) for i in range(N)],
        np.arange(N) * 7,
        np.arange(N) / 7,
        [10**i for i in range(N)],
    ],
)
def test_numbers_and_dates_are_an_order(values: Any) -> None:
    shuffled = np.random.default_rng(0).permutation(N)
    mixed = [values[i] for i in shuffled]
    for split in tl.Folds.forward(3).splits(N, order=mixed):
        assert shuffled[split.train].max() < shuffled[split.test].min()


def csv_of(dates: list[Any], path: str = "d.csv") -> Path:
    lines = [f"{d},{x},{y}" for d, x, y in zip(*rows(dates).values(), strict=True)]
    Path(path).write_text("\n".join(["date,x,y", *lines]))
    return Path(path)


def test_dates_that_do_not_tell_day_from_month_are_no_order() -> None:
    path = csv_of([f"{day.month}/{day.day % 12 + 1}/{day.year}" for day in DAYS])
    with pytest.raises(ColumnError, match=r"two ways.*kinds=\{\"date\": \"%d/%m/%Y\"\}"):
        tl.evaluate(tl.NaiveBayes(), path, "y", cv=FORWARD)


@pytest.mark.parametrize("name", ["months", "points", "slashes"])
def test_a_file_of_written_dates_is_an_order(name: str) -> None:
    found = tl.evaluate(tl.NaiveBayes(), csv_of(TEXTS[name]), "y", cv=FORWARD)
    same = tl.evaluate(tl.NaiveBayes(), csv_of([*map(str, DAYS)]), "y", cv=FORWARD)
    assert found.to_dict()["folds"] == same.to_dict()["folds"]


def test_a_file_of_words_is_no_order() -> None:
    path = csv_of(TEXTS["names"])
    with pytest.raises(ColumnError, match="'date' has text"):
        tl.evaluate(tl.NaiveBayes(), path, "y", cv=FORWARD)
    said = failed("evaluate", path, "--target", "y", "--model", "bayes", "--cv", "forward",
                  "--order", "date")  # fmt: skip
    assert "'date' has text" in said


@pytest.mark.parametrize("keep", [(), ("--keep", "date"), ("--ignore", "date")])
def test_a_column_that_is_not_learned_from_is_an_order(keep: tuple[str, ...]) -> None:
    """Dates that tell every row apart are left out, and were then not found."""
    path = csv_of([str(day) for day in DAYS])
    for command in (("evaluate", "--model", "bayes"), ("compare", "--models", "bayes,majority")):
        fine(command[0], path, "--target", "y", *command[1:], "--cv", "forward",
             "--order", "date", *keep)  # fmt: skip


def test_files_and_frames_are_put_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    shuffled = np.random.default_rng(1).permutation(N)
    dates = [str(DAYS[i]) for i in shuffled]
    found = [tl.evaluate(tl.NaiveBayes(), csv_of(dates), "y", cv=FORWARD).to_dict()]
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    found += [tl.evaluate(tl.NaiveBayes(), csv_of(dates), "y", cv=FORWARD).to_dict()]
    frame = pd.read_csv("d.csv", parse_dates=["date"])
    found += [tl.evaluate(tl.NaiveBayes(), frame, "y", cv=FORWARD).to_dict()]
    first, *others = [[record["by_fold"] for record in page["records"]] for page in found]
    assert others == [first, first]


def test_an_order_that_is_not_there_is_named() -> None:
    path = csv_of([str(day) for day in DAYS])
    with pytest.raises(ColumnError, match=r"order is 'day'.* Choose from 'date'"):
        tl.evaluate(tl.NaiveBayes(), path, "y", cv=tl.Folds.forward(3, order="day"))


@pytest.mark.parametrize("form", ["dates", "texts", "file"])
def test_a_date_that_is_learned_from_in_parts_orders_the_rows(form: str, tmp_path: Path) -> None:
    shuffled = np.random.default_rng(0).permutation(N)
    dates = [DAYS[i] if form == "dates" else TEXTS["points"][i] for i in shuffled]
    X: Any = rows(dates)
    if form == "file":
        X = tmp_path / "days.csv"
        pd.DataFrame(rows(dates)).to_csv(X, index=False)
    table = tl.table(X, target="y", dates={"date": ["month", "weekday"]})
    learner = tl.NaiveBayes()
    caution = tl.evaluate(learner, table, cv=3).cautions[0]
    assert "tl.Folds.forward(5, order='date')" in caution
    tested = tl.evaluate(learner, table, cv=FORWARD).predictions
    assert tested["fold"].tolist() == [0] * 10 + [1] * 10 + [2] * 10
    assert [{*days} for days in np.split(shuffled[tested["row"]], 3)] == [
        {*range(start, start + 10)} for start in (10, 20, 30)
    ]
