"""Columns of unique strings are used by no learner; numbers and dates are never left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.screening import identifiers as judging
from tallylearn.screening.identifiers import identifiers
from tests.learners import WAYS, Case

every_learner = pytest.mark.parametrize("case", WAYS, ids=lambda case: case.name)
tallying_learners = pytest.mark.parametrize(
    "case", [case for case in WAYS if case.tally in ("exact", "float")], ids=lambda case: case.name
)


def found(columns: dict[str, list[Any]], **declared: Any) -> dict[str, str]:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return identifiers(tl.table(rows, **declared))


def named(n: int) -> list[str]:
    return [f"row {at}" for at in range(n)]


def with_identifiers(case: Case, frame: pd.DataFrame) -> pd.DataFrame:
    """The table of a case with two names for every row, not in their order."""
    table = case.table(frame).copy()
    order = np.random.default_rng(3).permutation(len(table))
    table.insert(1, "id", [f"K{at}" for at in order])
    table.insert(0, "no", [f"{at:05}" for at in 2 * order + 1])
    return table


def test_the_day_of_the_tennis_table_only_names_its_rows() -> None:
    assert identifiers(tl.example("tennis-day")) == {"Day": "all of its 14 values are different"}
    assert identifiers(tl.example("tennis")) == {}


def test_nine_different_values_may_be_chance_and_ten_are_not() -> None:
    assert found({"name": named(9)}) == {}
    assert [*found({"name": named(10)})] == ["name"]


def test_of_fifty_rows_a_few_may_share_a_value() -> None:
    almost = [*named(48), "row 0", "row 1"]
    assert found({"name": almost}) == {"name": "48 of its 50 values are different"}
    assert found({"name": almost[:-3] + ["row 0"] * 3}) == {}
    assert found({"name": almost[1:]}) == {}  # 49 rows


def test_missing_values_are_neither_alike_nor_different() -> None:
    assert [*found({"name": [*named(12), None, None]})] == ["name"]
    assert found({"name": [*named(9), None, None, None]}) == {}


MINUTES, DAYS = [*range(300)], pd.date_range("2024-01-01", periods=300)
NUMBERS: dict[str, list[Any]] = {
    "minutes": MINUTES,
    "shuffled": np.random.default_rng(0).permutation(300).tolist(),
    "day numbers": [19_000 + at for at in MINUTES],
    "grid": [10 * at for at in MINUTES],
    "calendar days": [int(f"{day:%Y%m%d}") for day in DAYS],
    "months": [int(f"{2000 + at // 12}{at % 12 + 1:02}") for at in MINUTES],
    "unix seconds": [1_700_000_000 + 3600 * at for at in MINUTES],
    "salaries": np.random.default_rng(1).choice(3000, 300, replace=False).tolist(),
    "halves": [at / 2 for at in MINUTES],
    "dates": [f"{day:%Y-%m-%d}" for day in DAYS],
    "digits": [str(at) for at in MINUTES],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_and_dates_are_never_left_out(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({name: NUMBERS[name], "y": ["a", "b", "b"] * 100})
    frame.to_csv(tmp_path / "t.csv", index=False)
    again = frame.assign(**{name: [*NUMBERS[name][:-1], NUMBERS[name][0]]})
    for table in (frame, again, frame[:60], tmp_path / "t.csv"):
        assert identifiers(tl.table(table, target="y")) == {}
        assert tl.NaiveBayes().fit(table, "y").schema_.identifiers == ()


UNREAD = {
    "12 kg", "7,5 mm", "R$ 3", "12 kr", "4 zł", "C$4", "US$ 4.50", "Rs. 12", "21 °C", "$5M",
    "$12/hr", "<0.5", "(12.5)", "12 mg/dl", "2024-01", "Jan-24", "01/2024", "2024-Q1", "1970 Q1",
    "2024-W05", "31DEC2024", "Mon, 01 Jan 2024", "3 de mayo de 2024", "12 gennaio 2024",
    "1960 Jan", "1/86", "23:59",
}  # fmt: skip
CODES = {
    "K12", "row 7", "AL-12", "D1", "00721", "4111111111111111", "INV001", "Maria 7", "set 1",
    "10.0.0.1", "555-1234", "123-45-6789", "2024-000123", "PC 17599", "May Smith",
}  # fmt: skip


def test_strings_that_are_numbers_dates_units_or_amounts_are_no_codes() -> None:
    assert {text for text in UNREAD | CODES if judging.is_measured(text)} == UNREAD


def test_strings_with_a_unit_are_not_left_out_and_a_warning_says_that_they_are_categories() -> None:
    table = pd.DataFrame({"size": [f"barn {at}" for at in range(60)], "y": ["a", "b"] * 30})
    assert [*identifiers(tl.table(table, target="y"))] == ["size"]
    table["size"] = [f"{at}.{at % 7} oz" for at in range(48)] + [f"note {at}" for at in range(12)]
    assert identifiers(tl.table(table, target="y")) == {}


def test_a_column_counts_the_rows_where_nearly_all_steps_go_one_way() -> None:
    at = np.arange(100.0)
    assert {judging.counting_direction(x) for x in (at, at * 7 + 3, at / 10, at**2)} == {"up"}
    assert judging.counting_direction(at[::-1]) == "down"
    once = np.append(at, at[-1])
    assert judging.counting_direction(once) == "up"  # one value comes twice
    assert judging.counting_direction(np.where(at == 50, 3.0, at)) == "up"
    assert judging.counting_direction(np.where(at == 50, np.nan, at)) == "up"
    shuffled = np.random.default_rng(0).permutation(at)
    assert judging.counting_direction(shuffled) == "any"
    assert judging.counting_direction(np.where(shuffled == 9, 8.0, shuffled)) == "any"


def test_a_sorted_measure_repeated_or_scattered_numbers_do_not_count_the_rows() -> None:
    rng = np.random.default_rng(0)
    sorted_measure, salaries = np.sort(rng.normal(size=100)), rng.choice(3000, 100, replace=False)
    for x in (sorted_measure, salaries, np.repeat(np.arange(50.0), 2), np.arange(9.0)):
        assert judging.counting_direction(np.asarray(x, dtype=np.float64)) == ""
    assert judging.counting_direction(sorted_measure, date=True) == "up"


def test_numbers_that_begin_again_do_not_count_the_rows() -> None:
    for size in (24, 60, 100):  # hours, minutes, a panel
        again = np.tile(np.arange(size, dtype=np.float64), 5)
        assert judging.counting_direction(again) == ""
        assert judging.counting_direction(again[::-1]) == ""
        assert judging.counting_direction(again / 10) == ""


def test_years_dates_truths_and_text_are_not_identifiers() -> None:
    days = [f"2026-01-{at:02}" for at in range(1, 13)]
    said = [f"this is sentence number {at}" for at in range(12)]
    years = [*range(1950, 1962)]
    assert found({"when": days, "said": said, "year": years}, dates=["when"]) == {}


def test_the_target_is_never_an_identifier() -> None:
    columns: dict[str, list[Any]] = {"name": named(60), "key": [f"k{at}" for at in range(60)]}
    assert [*found(columns, target="key")] == ["name"]
    assert [*found(columns, target="name")] == ["key"]


def test_what_is_declared_is_meant_and_keep_brings_back() -> None:
    columns: dict[str, list[Any]] = {"name": named(60), "no": named(60), "y": ["a", "b"] * 30}
    assert [*found(columns, target="y")] == ["name", "no"]
    assert [*found(columns, target="y", keep=["name"])] == ["no"]
    assert [*found(columns, target="y", categories=["name"])] == ["no"]
    assert found(columns, target="y", keep=["name"], kinds={"no": "category"}) == {}
    with pytest.raises(errors.ColumnError, match="keep: the table has no column 'nam'"):
        found(columns, keep=["nam"])


def test_a_declared_identifier_is_one_whatever_it_holds() -> None:
    frame = pd.DataFrame({"kind": ["a", "b"] * 10, "x": np.arange(20) % 7, "y": ["u", "v"] * 10})
    table = tl.table(frame, target="y", kinds={"kind": "identifier"})
    assert "kind (identifier)" in repr(table)
    model = tl.DecisionTreeClassifier().fit(table)
    assert "kind" not in str(model)
    assert model.schema_.identifiers == ("kind",)


def test_all_rows_of_files_are_asked_whatever_their_order(tmp_path: Path) -> None:
    rows = [f"k{at},{at}" for at in range(70_000)]
    again = [f"k{at},{at}" for at in range(20_000)]
    for name, lines in {"all": rows, "late": rows + again, "early": again + rows}.items():
        (tmp_path / f"{name}.csv").write_text("key,no\n" + "\n".join(lines) + "\n")
    all_of, late, early = (
        identifiers(tl.table(tmp_path / f"{n}.csv")) for n in ("all", "late", "early")
    )
    assert [*all_of] == ["key"]
    assert late == early == {}
    for part in (1, 2):
        (tmp_path / f"twice{part}.csv").write_bytes((tmp_path / "all.csv").read_bytes())
    assert identifiers(tl.table(str(tmp_path / "twice*.csv"))) == {}


def test_small_files_are_looked_at_together(tmp_path: Path) -> None:
    for part in range(3):
        rows = "".join(f"k{part}{at},x\n" for at in range(5))
        (tmp_path / f"{part}.csv").write_text(f"key,kind\n{rows}")
    assert identifiers(tl.table(str(tmp_path / "*.csv"))) == {
        "key": "all of its 15 values are different"
    }


def test_a_table_without_rows_has_no_identifiers(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("a,b\n")
    assert identifiers(tl.table(path)) == {}


@every_learner
def test_no_learner_uses_an_identifier(case: Case, mixed: pd.DataFrame, tmp_path: Path) -> None:
    """The same answers as without it, from frames and from files; it need not be there again."""
    bare = case.make().fit(case.table(mixed), case.target)
    whole = with_identifiers(case, mixed)
    model = case.make().fit(whole, case.target)
    assert model.schema_.identifiers == ("no", "id")
    assert model.n_features_in_ == bare.n_features_in_ + 2
    assert "identifiers, not used: 'no', 'id'" in repr(model)
    rows = case.rows(mixed)
    if "forest" in case.name:  # which columns a node draws depends on how many there are
        used = dict(zip(model.schema_.names, model.feature_importances_.tolist(), strict=True))
        assert used["no"] == used["id"] == 0 < max(used.values())
        assert (model.predict(rows) == model.predict(whole)).all()
        return
    expected = bare.predict(rows)
    assert (model.predict(whole) == expected).all()
    assert (model.predict(rows) == expected).all()
    assert str(model.explain(rows[:3])) == str(bare.explain(rows[:3]))
    model.save(tmp_path / "model.tally")
    again = tl.load(tmp_path / "model.tally")
    assert again.schema_ == model.schema_
    assert (again.predict(rows) == expected).all()
    whole.to_parquet(tmp_path / "rows.parquet")
    from_file = case.make().fit(tmp_path / "rows.parquet", case.target)
    assert modelfile.digests(from_file) == modelfile.digests(model)


@every_learner
def test_columns_beside_an_array_of_answers_are_never_left_out(
    case: Case, mixed: pd.DataFrame
) -> None:
    whole = with_identifiers(case, mixed)
    whole["no"] = whole["no"].astype(int)
    X = whole.drop(columns=[case.target])[["no", *case.columns]]
    model = case.make().fit(X, whole[case.target])
    assert model.schema_.identifiers == ()


@tallying_learners
def test_models_with_identifiers_merge_and_forget(case: Case, mixed: pd.DataFrame) -> None:
    whole = with_identifiers(case, mixed)
    half = len(whole) // 2
    model = tl.merge(
        case.make().fit(whole[:half], case.target), case.make().fit(whole[half:], case.target)
    )
    assert model.schema_.identifiers == ("no", "id")
    if case.tally == "exact":
        assert modelfile.digests(model) == modelfile.digests(case.make().fit(whole, case.target))
        one = case.make().fit(whole[:half], case.target)
        assert modelfile.digests(model.forget(whole[half:], case.target)) == modelfile.digests(one)


def test_an_identifier_in_one_table_alone_does_not_merge(mixed: pd.DataFrame) -> None:
    whole = with_identifiers(WAYS[0], mixed)
    model = tl.NaiveBayes().fit(whole, "kind")
    other = tl.NaiveBayes().fit(tl.table(whole, target="kind", keep=["id"]))
    with pytest.raises(errors.MergeError, match=r"'id' is an identifier in one.*keep=\['id'\]"):
        tl.merge(model, other)


def test_rows_as_they_come_leave_no_column_out(mixed: pd.DataFrame) -> None:
    """Ten different values may be followed by the same ten."""
    whole = with_identifiers(WAYS[0], mixed)
    assert tl.NaiveBayes().partial_fit(whole[:20], "kind").schema_.identifiers == ()


def test_an_identifier_may_order_and_group_the_rows(mixed: pd.DataFrame) -> None:
    whole = with_identifiers(WAYS[0], mixed).assign(no=lambda rows: rows["no"].astype(int))
    learner = tl.DecisionTreeClassifier(max_depth=2)
    folds = tl.Folds.forward(3, order="no")
    declared = tl.table(whole, target="kind", kinds={"no": "identifier"})
    by_name = tl.evaluate(learner, declared, cv=folds)
    kept = tl.evaluate(learner, whole, "kind", cv=folds)
    assert by_name.n == kept.n


def test_a_table_of_identifiers_has_nothing_to_learn_from() -> None:
    frame = pd.DataFrame({"id": named(60), "no": named(60), "y": ["a", "b"] * 30})
    with pytest.raises(errors.ColumnError, match=r"distinct.*keep=\['id'\]"):
        tl.NaiveBayes().fit(frame, "y")
    assert tl.NaiveBayes().fit(tl.table(frame, target="y", keep=["id"])).n_features_in_ == 2


def test_an_identifier_may_become_the_target_of_another_question() -> None:
    frame = pd.DataFrame({"no": named(60), "x": np.arange(60.0) % 3, "y": ["a", "b"] * 30})
    table = tl.table(frame)
    assert tl.DecisionTreeClassifier().fit(table, "y").schema_.identifiers == ("no",)
    assert tl.DecisionTreeClassifier().fit(table, "no").target_name_ == "no"


def test_an_identifier_groups_the_rows_of_a_file_as_those_of_a_frame(tmp_path: Path) -> None:
    names = [*named(57), "row 0", "row 1", "row 2"]
    frame = pd.DataFrame({"who": names, "x": np.arange(60) % 7, "y": ["u", "v", "v"] * 20})
    frame.to_csv(tmp_path / "t.csv", index=False)
    learner = tl.DecisionTreeClassifier(max_depth=2)
    here = tl.evaluate(learner, frame, "y", groups="who")
    there = tl.evaluate(learner, str(tmp_path / "t.csv"), "y", groups="who")
    assert there.to_dict()["headline"] == here.to_dict()["headline"]
    with pytest.raises(errors.ColumnError, match="groups: the table has no column 'whom'"):
        tl.evaluate(learner, str(tmp_path / "t.csv"), "y", groups="whom")


def test_an_identifier_need_not_be_there_when_a_model_is_scored_or_goes_on() -> None:
    frame = pd.DataFrame({"no": named(60), "x": np.arange(60.0) % 7, "y": ["a", "b", "b"] * 20})
    model = tl.NaiveBayes().fit(frame, "y")
    assert model.score(frame[["x"]], frame["y"]) == model.score(frame, "y")
    model.forget(frame[["x"]][:20], frame["y"][:20])
    model.partial_fit(frame[["x"]][:20], frame["y"][:20])
    fresh = tl.NaiveBayes().fit(frame, "y")
    assert (model.predict_proba(frame) == fresh.predict_proba(frame)).all()
    with pytest.raises(errors.ColumnError, match="the table has no column 'x'"):
        model.score(frame[["no"]], frame["y"])


def test_a_declared_identifier_orders_the_rows_of_a_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"no": range(60), "x": np.arange(60) % 7, "y": ["u", "v", "v"] * 20})
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "t.csv", index=False)
    forward = tl.Folds.forward(3, order="no")
    learner = tl.DecisionTreeClassifier(max_depth=2)
    table, here = (
        tl.table(rows, kinds={"no": "identifier"}) for rows in (tmp_path / "t.csv", frame)
    )
    there, here = (tl.evaluate(learner, one, "y", cv=forward) for one in (table, here))
    assert there.to_dict()["headline"] == here.to_dict()["headline"]


def test_the_gaps_of_a_declared_identifier_are_counted(tmp_path: Path) -> None:
    frame = pd.DataFrame({"who": ["a", None, "c"], "no": [1.0, None, None], "y": [1, 2, 3]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (frame, tmp_path / "t.csv"):
        columns = tl.check(source, kinds={"who": "identifier", "no": "identifier"}).columns
        assert [(one.name, one.missing) for one in columns] == [("who", 1), ("no", 2), ("y", 0)]


def test_numbers_beyond_a_double_can_be_declared_identifiers(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"no": np.arange(60) // 2 * 2 + 2**60 + 1, "x": np.arange(60) % 7, "y": ["u", "v"] * 30}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    for source in (frame, tmp_path / "t.parquet"):
        with pytest.raises(errors.ColumnError, match=r'kinds=\{"no": "identifier"\}'):
            tl.NaiveBayes().fit(source, "y")
        model = tl.NaiveBayes().fit(tl.table(source, kinds={"no": "identifier"}), "y")
        assert model.schema_.identifiers == ("no",)
        assert len(model.predict(frame)) == 60


def test_integers_that_no_double_holds_are_identifiers_from_every_source(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": rng.integers(2**60, 2**62, 80), "x": rng.normal(size=80),
                          "y": np.tile([*"ab"], 40)})  # fmt: skip
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    gappy = frame.assign(id=frame["id"].astype("Int64").mask(frame["x"] > 1))
    said = ("id is not used: all of its 80 values are different",)
    for table in (frame, frame.to_dict("records"), tmp_path / "t.csv", tmp_path / "t.parquet"):
        model = tl.NaiveBayes().fit(table, "y")
        assert model.schema_.identifiers == ("id",)
        assert model.cautions_ == said
        assert tl.problem(table, "y").cautions == said
        assert tl.describe(table)["id"]["distinct"] == 80
        assert tl.check(table, "y").columns[0].kind == "identifier"
        assert tl.evaluate(tl.NaiveBayes(), table, "y", cv=2).cautions == said
        assert (model.predict(frame) == tl.NaiveBayes().fit(gappy, "y").predict(gappy)).all()


@pytest.mark.parametrize("parquet", [False, True])
def test_integers_that_no_double_holds_and_that_come_again_are_refused(
    parquet: bool, tmp_path: Path
) -> None:
    again = np.repeat(np.random.default_rng(0).integers(2**60, 2**62, 20), 4)
    table: Any = pd.DataFrame({"id": again, "y": np.tile([*"ab"], 40)})
    few = table[::4][:9]
    if parquet:
        table.to_parquet(tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
    for call in (tl.NaiveBayes().fit, tl.describe, tl.check, tl.problem):
        with pytest.raises(errors.ColumnError, match=r'kinds=\{"id": "identifier"\}'):
            call(table, "y")
    with pytest.raises(errors.ColumnError, match="in row 0, an integer that a double cannot hold"):
        tl.NaiveBayes().fit(few, "y")


def test_integers_that_no_double_holds_are_learned_only_where_somebody_says_so() -> None:
    ids = np.random.default_rng(0).integers(2**60, 2**62, 80)
    X, y = pd.DataFrame({"id": ids, "x": np.arange(80) % 7}), np.tile([*"ab"], 40)
    for given in (X, tl.table(X)):
        with pytest.raises(errors.ColumnError, match=r'categories=\["id"\]'):
            tl.NaiveBayes().fit(given, y)
    assert tl.NaiveBayes().fit(tl.table(X, categories=["id"]), y).schema_.categories == ("id",)


def test_many_columns_of_files_are_judged_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, widths = np.random.default_rng(0), list[int]()
    names = [f"key{at:02}" for at in range(25)]
    frame = pd.DataFrame({name: [f"k{i}" for i in rng.permutation(3000)] for name in names})
    frame = frame.assign(few=rng.choice(["u", "v"], 3000))
    for at in range(2):
        frame[1500 * at :][:1500].to_parquet(tmp_path / f"{at}.parquet", index=False)
    tally = judging._Names.__call__
    monkeypatch.setattr(
        judging._Names,
        "__call__",
        lambda self, block: [widths.append(len(block.schema.columns)), tally(self, block)][1],
    )
    found = judging.identifiers(tl.table(str(tmp_path / "*.parquet")))
    assert [*found] == names
    assert found["key24"] == "all of its 3,000 values are different"
    assert max(widths) == judging.AT_ONCE
