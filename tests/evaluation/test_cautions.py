"""What makes a score look better than it is stands above it, and is data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.screening import leakage
from tests.printed_text import unwrapped

N = 200


def rows(n: int = N, **more: Any) -> pd.DataFrame:
    """Two classes, and a column that has little to do with them."""
    rng = np.random.default_rng(5)
    y = np.where(np.arange(n) < n // 2, "a", "b")
    return pd.DataFrame({"x": rng.normal(size=n) + (y == "a"), **more, "y": y})


LEARNER = tl.DecisionTreeClassifier(max_depth=2)


def found(learner: Any, table: Any, y: Any = "y", **options: Any) -> tuple[str, ...]:
    """The cautions of all reports, which are the same."""
    said = tl.evaluate(learner, table, y, **options).cautions
    assert tl.compare([learner, tl.DummyClassifier()], table, y, **options).cautions == said
    assert tl.tune(learner, {"max_depth": [1, 2]}, table, y, **options).cautions == said
    return said


LEFT = "if it is a row number, leave it out with tl.table(..., ignore=['row_no'])"


def test_a_row_number_is_learned_from_and_told_above_its_score() -> None:
    table = rows(row_no=np.arange(N) * 2).assign(y=np.tile(["a", "b"], N // 2))
    said = f"row_no counts up with the rows, from 0 to 398, and is used as a feature: {LEFT}"
    evaluation = tl.evaluate(LEARNER, table[["x", "row_no"]], table["y"])
    assert found(LEARNER, table) == evaluation.cautions == (said,)
    assert unwrapped(str(evaluation).split("\n\n")[1]) == f"Caution: {said}."
    shuffled = table.sample(frac=1, random_state=0).assign(row_no=lambda t: t["row_no"] / 2)
    order = "row_no numbers the rows in another order, from 0 to 199"
    said = f"{order}, and is used as a feature: {LEFT}"
    assert found(LEARNER, shuffled) == (said,)
    again = table.assign(row_no=[*table["row_no"][:-1], 0])  # one value comes twice
    assert found(LEARNER, again)[0].startswith("row_no counts up with the rows, from 0 to 396,")


def test_the_remedies_for_a_row_number_work() -> None:
    table = rows(row_no=np.arange(N)).assign(y=np.tile(["a", "b"], N // 2))
    assert found(LEARNER, tl.table(table, target="y", ignore=["row_no"]), None) == ()
    assert found(LEARNER, table, cv=tl.Folds.forward(5, order="row_no")) == ()


def test_a_row_number_that_tells_the_target_is_told_with_both_scores() -> None:
    table = rows(row_no=np.arange(N))
    table.loc[::10, "y"] = table["y"].to_numpy()[-np.arange(0, N, 10) - 1]  # no perfect leak
    (said,) = found(LEARNER, table)
    counts = "row_no counts up with the rows, from 0 to 199, and is used as a feature, "
    assert said.startswith(counts)
    by_it, without = re.search(r"accuracy (0\.\d+) by it alone, baseline (0\.\d+)", said).groups()
    assert 0.85 < float(by_it) < 0.95
    assert float(without) == pytest.approx(0.5, abs=0.01)
    assert said.endswith("if it is a time, evaluate with cv=tl.Folds.forward(5, order='row_no')")
    time = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=N), "x": table["x"]})
    time["y"] = np.sin(np.arange(N) / 20) + 0.1 * table["x"]
    _, said = tl.evaluate(tl.LinearRegression(), time, "y").cautions
    assert said.startswith("day counts up with the rows, from 2024-01-01 to 2024-07-18, and is")
    assert ", and predicts y (R2 " in said


def test_a_target_in_random_order_is_told_by_no_row_number() -> None:
    rng, tells = np.random.default_rng(0), 0
    for _ in range(100):
        table = pd.DataFrame({"no": np.arange(80), "x": rng.normal(size=80)})
        target = rng.normal(size=80) if rng.random() < 0.5 else rng.permutation(["a", "b"] * 40)
        tells += any(", and predicts y" in said for said in tl.problem(table, target).cautions)
    assert tells <= 1  # a test of one in 2,000


def test_an_identifier_that_tells_the_target_says_so_and_names_keep(tmp_path: Path) -> None:
    table = rows(who=[f"{'XY'[at >= N // 2]}-{at * 7919 % 1000}" for at in range(N)])
    table = table.sample(frac=1, random_state=0)
    (said,) = found(LEARNER, table)
    assert said.startswith(
        "who is not used: all of its 200 values are different. But rows that are close in "
        "its order have similar y (accuracy 0."
    )
    assert "baseline 0.500): tl.table(..., keep=['who']) learns from it as categories" in said
    table.to_csv(tmp_path / "t.csv", index=False)
    for source in (table, tmp_path / "t.csv", tl.table(tmp_path / "t.csv", target="y")):
        target = None if isinstance(source, tl.sources.DeclaredTable) else "y"
        assert LEARNER.fit(source, target).cautions_ == tl.problem(source, target).cautions
        assert tl.problem(source, target).cautions == (said,)
        assert tl.evaluate(LEARNER, source, target).cautions == (said,)
    assert not [text for text in tl.problem(tl.table(table, target="y", keep=["who"])).cautions
                if "is not used" in text]  # fmt: skip
    honest = table.assign(who=np.random.default_rng(0).permutation(table["who"]))
    assert found(LEARNER, honest) == ("who is not used: all of its 200 values are different",)


def test_an_identifier_of_digits_that_tells_the_target_can_be_read_as_numbers() -> None:
    table = rows(at=[f"{at:05}" for at in range(N)])
    (said,) = tl.problem(table, "y").cautions
    assert said.endswith("keep=['at']) learns from it as categories, kinds={'at': 'number'} as "
                         "numbers")  # fmt: skip
    read = tl.table(table, target="y", kinds={"at": "number"})
    assert tl.evaluate(LEARNER, read)["accuracy"].value > 0.98


def test_nanoseconds_that_tell_the_target_are_told_with_a_remedy_that_works() -> None:
    table = rows(at=1_700_000_000_000_000_001 + 977 * np.arange(N))
    (said,) = tl.problem(table, "y").cautions
    assert said.endswith("tl.table(..., categories=['at']) learns from it as categories, fewer "
                         "digits as numbers")  # fmt: skip
    assert tl.DecisionTreeClassifier().fit(tl.table(table, target="y", categories=["at"]))
    fewer = table.assign(at=table["at"] % 10**12)
    assert tl.evaluate(LEARNER, fewer, "y")["accuracy"].value > 0.98


def test_strings_with_units_are_told_to_be_read_as_categories() -> None:
    table = rows(size=[f"{at * 3 % 199}.{at} oz" for at in range(N)])
    table.loc[:29, "size"] = [f"note {at}" for at in range(30)]
    said = [text for text in tl.problem(table, "y").cautions if text.startswith("size has strings")]
    assert len(said) == 1
    assert "look like numbers or dates, and is used as categories" in said[0]


def test_constants_leaks_and_small_classes_are_told() -> None:
    table = rows(one="x", copy=np.where(np.arange(N) < N // 2, "u", "v"))
    table.loc[0, "y"] = "c"
    assert found(LEARNER, table, cv=2) == (
        "one has the same value in all 200 rows",
        "few rows of c (1)",
        "copy gives y away: its 2 values have one answer each, on all 200 rows but for 1",
    )
    assert found(LEARNER, rows(copy=table["copy"])) == (
        "copy gives y away: one to one, on all 200 rows",
    )


def test_rows_that_come_again_are_told_where_rows_are_measured() -> None:
    table = rows()
    twice = pd.concat([table, table[:6]])
    assert found(LEARNER, twice) == (
        "12 of 206 rows are duplicates: a test row may equal a training row",
    )
    assert found(LEARNER, pd.concat([table, table[:4]])) == ()  # few of them
    named = rows().assign(x=np.arange(N) % 3)
    assert not any("more than once" in said for said in found(LEARNER, named))  # categories do


def test_a_numeric_target_with_many_classes_is_told() -> None:
    table = rows().assign(y=np.arange(N) // 2)
    assert found(LEARNER, table, cv=2)[0] == (
        "DecisionTreeClassifier answers with classes, and y has 100 different numbers: each is a "
        "class of its own. A regressor takes them as measures"
    )


def test_dates_in_folds_by_chance_are_told_and_the_remedy_works() -> None:
    days = pd.date_range("2024-01-01", periods=N)
    table = rows(day=np.random.default_rng(1).permutation(days))
    (said,) = found(LEARNER, table)
    assert said.startswith("the rows have dates (day) and are assigned to folds at random")
    remedy = said.partition("cv=")[2].removesuffix(" tests only on later rows")
    assert found(LEARNER, table, cv=eval(remedy)) == ()


def test_of_large_tables_a_sample_is_looked_at_and_of_files_the_first_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 20_000
    table = rows(n, copy=np.where(np.arange(n) < n // 2, "u", "v"))
    (said,) = tl.evaluate(LEARNER, table, "y", cv=2).cautions
    assert said == "copy gives y away: one to one, on a sample of 8,192 rows"
    shuffled = rows(70_000, one="x").sample(frac=1, random_state=0)
    shuffled.to_parquet(tmp_path / "long.parquet")
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    (said,) = tl.evaluate(LEARNER, tmp_path / "long.parquet", "y", cv=2).cautions
    assert said == "one has the same value in the first 65,536 rows"


def test_a_check_tells_them_too() -> None:
    check = tl.check(rows(one="x"), target="y")
    assert check.cautions == ("one has the same value in all 200 rows",)
    assert "warning: one has the same value in all 200 rows." in str(check)
    assert tl.check(rows(one="x")).cautions == ()


def test_a_number_along_which_the_class_seldom_changes_gives_it_away() -> None:
    rng = np.random.default_rng(1)
    sparse = np.sort(rng.choice(10**9, N, replace=False))  # too wide apart to be row numbers
    blocks = np.repeat(["a", "b", "a", "b"], N // 4)
    assert found(LEARNER, rows(at=sparse / 7).assign(y=blocks)) == (
        "at gives y away: along it the class changes 3 times only, on all 200 rows",
    )
    stray = rows(at=sparse)
    stray.loc[20, "y"] = "b"
    assert "along it the class changes 3 times only" in found(LEARNER, stray)[0]


def test_a_few_rows_of_a_class_change_seldom_by_chance_and_are_no_leak() -> None:
    rng = np.random.default_rng(2)
    rare = np.where(rng.permutation(N) < 8, "rare", "often")
    table = pd.DataFrame({"x": rng.normal(size=N), "few": np.arange(N) % 2, "y": rare})
    assert not any("away" in said for said in found(LEARNER, table))


def test_a_target_of_one_class_a_row_is_told() -> None:
    table = pd.DataFrame({"x": np.arange(60) % 7, "who": [f"k{at}" for at in range(60)]})
    assert tl.problem(table, "who").cautions[0] == (
        "who is a class of its own in nearly every row: all of its 60 values are different"
    )


def test_whole_numbers_that_are_all_different_may_be_measured() -> None:
    x = np.random.default_rng(0).normal(size=60)
    table = pd.DataFrame({"x": x + np.tile([0.1, -0.1], 30), "who": np.argsort(np.argsort(x))})
    assert tl.evaluate(tl.DecisionTreeRegressor(), table, "who").cautions == ()
    assert tl.LinearRegression().fit(table, "who").cautions_ == ()
    assert tl.problem(table, "who").cautions == ()
    said = tl.NaiveBayes().fit(table, "who").cautions_[1]
    assert (
        said == "who is a class of its own in nearly every row: all of its 60 values are different"
    )


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_a_line_is_told_of_numbers_of_any_size_and_no_other(unit: float) -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=60) * unit
    table = pd.DataFrame({"noise": rng.normal(size=60), "line": 3 * y, "y": y})
    away = [said for said in tl.problem(table, "y").cautions if "gives y away" in said]
    assert away == ["line gives y away: a straight line, on all 60 rows"]


@pytest.mark.parametrize("noise", [0.0, 1e-3, 0.05, 0.2, 1.0, 10.0])
def test_a_first_look_at_some_rows_changes_no_verdict(
    noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    n = 400
    y = rng.integers(0, 3, n)
    measured = y + noise * rng.normal(size=n)
    signed = np.where(rng.random(n) < 0.5, -0.0, 0.0)  # one value
    verdicts = []
    for x in (measured, measured.round(1), measured.round(2), measured + 1e9 * (y == 2), signed):
        times = np.unique(x, return_counts=True)[1]
        assert leakage._share_values(x) == (times[times > 1].sum() >= leakage.HALF * n)
        verdicts.append(leakage._separation(x, y, 1e-3))
        monkeypatch.setattr(leakage, "SAMPLING_STEP", n)  # a row alone rejects nothing
        assert leakage._separation(x, y, 1e-3) == verdicts[-1]
        monkeypatch.undo()
    assert any(verdicts) == (noise < 1)


def test_cautions_name_rows_by_their_numbers_in_the_table() -> None:
    y = [None, "p", "q", None, "p", "p"] * 4 + ["p"]
    table = pd.DataFrame({"a": [1, 2, 3, 1, 5, 3] * 4 + [7.5], "y": y})
    said = tl.evaluate(LEARNER, table, "y", cv=2).cautions
    assert said == tl.check(table, "y").cautions
    assert said[1].startswith("rows 2 and 5 are equal")


def test_rows_of_weight_zero_say_nothing_before_a_score_and_in_a_check() -> None:
    w, y = np.repeat([1.0, 0.0], [40, 20]), np.where(np.arange(60) % 2, "p", "q")
    table = pd.DataFrame({"k": np.where(w > 0, y, "p"), "w": w, "y": y})
    said = tl.check(table, "y", weight="w").cautions
    assert said == ("k gives y away: one to one, on all 40 rows",)
    assert tl.evaluate(LEARNER, table, "y", sample_weight="w", cv=2).cautions == said


@pytest.mark.parametrize("value", [3, 3.5])
def test_a_constant_target_is_told(value: float) -> None:
    table = rows(n=30).assign(y=value)
    said = (f"y is {value} in all 30 rows: there is nothing to learn",)
    assert tl.check(table, "y").cautions == said
    assert tl.evaluate(tl.LinearRegression(), table, "y", cv=3).cautions == said


def test_one_column_that_gives_a_measure_away_is_told_as_one() -> None:
    table = rows(n=60).assign(y=lambda t: 2 * t["x"])
    table.loc[3, "y"] = np.inf
    check = tl.check(table, "y")
    assert check.cautions == ("x gives y away: a straight line, on all 59 rows",)
    assert "to inf" in str(check)


@pytest.mark.filterwarnings("error")
def test_a_check_of_the_largest_numbers_warns_of_nothing() -> None:
    tl.check({"x": [-1e308, 1e308, 3.5] * 4})


def test_a_preset_that_fails_on_a_fold_is_named_as_it_was_written() -> None:
    with pytest.raises(tl.errors.TallyError, match="C45 on fold 0: "):
        tl.evaluate(tl.C45(min_samples_leaf=-1), rows(), "y", cv=2)


def imperfect(kind: str, y: Any) -> Any:
    """A copy of a target that is not perfect."""
    rng, n = np.random.default_rng(7), len(y)
    if kind == "99 % of classes":
        return np.where(rng.random(n) < 0.01, rng.permutation(y), y)
    z = (y - y.mean()) / y.std()
    return {
        "99 % of numbers": np.where(rng.random(n) < 0.01, rng.permutation(y), y),
        "1 % noise": y + 0.01 * y.std() * rng.normal(size=n),
        "rounded": np.round(2 * z),
        "r = -.988": -0.988 * z + np.sqrt(1 - 0.988**2) * rng.normal(size=n),
    }[kind]


@pytest.mark.parametrize("kind", ["99 % of numbers", "1 % noise", "rounded", "r = -.988"])
def test_a_copy_of_a_measure_that_is_not_perfect_is_told_with_both_scores(kind: str) -> None:
    X, y = (np.random.default_rng(1).normal(size=(250, 5)), np.random.default_rng(2))
    target = X @ [3.0, 2, 1, 0, 0] + 2 * y.normal(size=250)
    table = pd.DataFrame(X, columns=[*"abcde"]).assign(copy=imperfect(kind, target), y=target)
    (said,) = tl.problem(table, "y").cautions
    assert said.startswith("copy alone predicts y better than the other columns together (R2 ")
    alone, others = map(float, re.findall(r"\d\.\d{3}", said))
    assert alone > 0.95
    honest = tl.evaluate(tl.LinearRegression(), table.drop(columns="copy"), "y")["r2"].value
    assert others == pytest.approx(honest, abs=0.05)
    assert tl.problem(table.drop(columns="copy"), "y").cautions == ()
    assert tl.LinearRegression().fit(table, "y").cautions_ == (said,)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_a_copy_of_classes_that_is_not_perfect_is_told(share: float) -> None:
    rng = np.random.default_rng(3)
    y = np.where(rng.random(1000) < share, "b", "a")
    copy = np.where(rng.random(1000) < 0.012, np.where(y == "a", "b", "a"), y)
    table = pd.DataFrame({"x": rng.normal(size=1000) + (y == "a"), "z": rng.normal(size=1000)})
    said = tl.problem(table.assign(copy=copy), y).cautions
    assert [text[:55] for text in said if "copy" in text] == [
        "copy alone predicts y better than the other columns tog"
    ]
    twice = tl.problem(table.assign(copy=copy, again=np.roll(copy, 0)), y).cautions
    assert len([text for text in twice if " alone predicts " in text]) == 2


@pytest.mark.parametrize("rare", [0, 1])
def test_a_target_that_is_constant_but_for_rounding_or_a_row_has_no_score(rare: int) -> None:
    y = np.full(3000, 0.1)
    y[7 : 7 + rare] = 0.3
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(3000, 3)), columns=[*"abc"])
    told = tl.problem(table, y, learner=tl.LinearRegression()).cautions
    assert not [text for text in told if " alone predicts " in text]


def test_strong_columns_of_honest_tables_are_no_leaks() -> None:
    from sklearn import datasets

    honest = ("iris", "wine", "breast_cancer", "diabetes", "digits")
    for name in honest:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
        assert not [text for text in tl.problem(X, y).cautions if " alone predicts " in text], name


def test_dates_and_out_of_bag_scores_are_told_together() -> None:
    days = np.random.default_rng(1).permutation(pd.date_range("2024-01-01", periods=N))
    table, forest = rows(day=days), tl.RandomForestClassifier(20, random_state=0)
    said = tl.evaluate(forest, table, "y", cv="oob").cautions
    assert (
        said == forest.fit(table, "y").cautions_ == tl.problem(table, "y", learner=forest).cautions
    )
    assert said[0].startswith(
        "the rows have dates (day), and an out-of-bag score predicts rows from"
    )
    remedy = said[0].partition("cv=")[2].partition(", which")[0]
    assert tl.evaluate(forest, table, "y", cv=eval(remedy)).cautions == ()
    grid = {"max_depth": [1, 2]}
    assert tl.tune(forest, grid, table, "y", cv="oob").cautions == said
    plain = tl.DecisionTreeClassifier().fit(table, "y").cautions_
    assert plain == tl.RandomForestClassifier(2, bootstrap=False).fit(table, "y").cautions_ == ()


def test_a_fitted_model_gets_no_caution_about_folds_or_columns_to_leave_out() -> None:
    rng = np.random.default_rng(2)
    days = pd.date_range("2024-01-01", periods=80)
    table = pd.DataFrame({"day": days, "number": np.arange(80), "a": rng.normal(size=80)})
    table["y"] = 2 * table.a + rng.normal(size=80)
    forest = tl.RandomForestRegressor(10).fit(table, "y")
    assert tl.evaluate(forest, table, "y", cv=None).cautions == ()
    assert len(tl.evaluate(forest, table, "y", cv="oob").cautions) == 3
