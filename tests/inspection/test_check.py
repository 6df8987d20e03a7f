"""A check says how a table is read, and what has to be decided before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn.errors import CellError, ColumnError, FileError, InputError, OptionError
from tallylearn.sources.schema_files import schema_in, toml_of
from tallylearn.tables import BLOCK
from tests.cli.test_cli import failed, fine, folder, tally

__all__ = ["folder"]

SALES = """price,sold,share,zip,paid,age,city,note,late
"$1,234.50",31.12.2024,12.3 %,00715,Yes,41,Berlin,,no
$ 12,1.2.2025,4 %,10115,yes,999,berlin,,yes
$7,5.5.2025,-,10115,No,999,Bonn,,no
$8,6.5.2025,1 %,10115,No,35,Bonn ,,no
"""


@pytest.fixture
def sales(folder: Path) -> Path:
    Path("sales.csv").write_text(SALES)
    return Path("sales.csv")


def found(check: Any) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in check.to_dict()["columns"]}


def test_every_column_is_told_with_its_kind_its_gaps_and_how_it_is_written(sales: Path) -> None:
    check = tl.check(sales, target="late")
    assert check.rows == 4
    assert {name: one["kind"] for name, one in found(check).items()} == {
        "price": "number", "sold": "date", "share": "number", "zip": "category",
        "paid": "category", "age": "number", "city": "category", "note": "unknown",
    }  # fmt: skip
    assert {name: one["missing"] for name, one in found(check).items() if one["missing"]} == {
        "share": 1,
        "note": 4,  # all of them
    }
    assert found(check)["share"]["note"] == 'numbers written as 1234.5 %; "-" means missing'
    assert check.decisions == ()


def test_what_may_stand_for_nothing_is_proposed_and_not_taken(sales: Path) -> None:
    check = found(tl.check(sales, target="late"))
    (words,) = check["age"]["consider"]
    assert (
        "999 occurs 2 times, and the other values are between 35 and 41; use "
        "tl.table(..., missing=[999])" in words
    )
    assert found(tl.check(sales, target="late", missing=[999]))["age"]["missing"] == 2
    assert check["city"]["consider"] == ["'Berlin' and 'berlin' differ only in case or spaces"]


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ([1, 2, 3, -999, -999], ["-999"]),
        ([1, 2, 3, -999], []),  # once is chance
        ([1, 998, 999, 999], []),  # no farther than the others lie apart
        ([-99, -99, 9999, 9999, 5, 6], ["-99", "9999"]),
        ([999, 999], []),  # no others
    ],
)
def test_a_mark_lies_farther_from_the_others_than_they_do(
    values: list[int], marks: list[str]
) -> None:
    said = found(tl.check({"x": values}))["x"]["consider"]
    assert [words.split()[0] for words in said] == marks


def test_what_can_be_read_in_two_ways_is_a_decision_and_its_remedy_works(folder: Path) -> None:
    Path("d.csv").write_text("day,y\n3/4/2024,u\n5/6/2024,v\n")
    (words,) = tl.check("d.csv").decisions
    kinds = [{"day": "%d/%m/%Y"}, {"day": "%m/%d/%Y"}]
    calls = [f"tl.table(..., kinds={json.dumps(one)})" for one in kinds]
    assert words.endswith(f"use {' or '.join(calls)}")
    shown = tally("check", "d.csv")
    assert shown.exit_code == 1
    typed = "use --as day=%d/%m/%Y or --as day=%m/%d/%Y"
    assert typed in " ".join(shown.output.split())
    assert tally("check", "d.csv", "--json").output.count(typed) == 2
    assert tally("check", "d.csv", "--as", "day=%m/%d/%Y").exit_code == 0
    table = tl.check("d.csv", kinds={"day": "%m/%d/%Y"})
    assert table.decisions == () and found(table)["day"]["kind"] == "date"  # noqa: PT018


def test_cells_that_are_no_numbers_among_many_are_a_decision_with_their_rows(folder: Path) -> None:
    Path("d.csv").write_text("x\n" + "1\n" * 60 + "oops\n" + "2\n" * 40)
    (words,) = tl.check("d.csv").decisions
    assert words.startswith("x: 100 of its 101 cells are numbers, but not 'oops' in row 62")
    assert tl.check("d.csv", missing="oops").decisions == ()


def test_a_cell_that_comes_late_is_told_as_one_that_comes_early(folder: Path) -> None:
    for lines in (["oops", *["1"] * BLOCK], [*["1"] * BLOCK, "oops"]):
        Path("d.csv").write_text("\n".join(["x", *lines]))
        check = tl.check("d.csv")
        assert check.rows == BLOCK + 1
        assert found(check)["x"]["kind"] == "category"
        assert len(check.decisions) == 1


def test_the_schema_reads_the_same_table_from_a_dict_a_file_and_the_command(sales: Path) -> None:
    check = tl.check(sales, target="late", missing=[999], ignore=["note"])
    check.write_schema("sales.toml")
    assert schema_in("sales.toml") == dict(check.schema)
    direct = tl.table(sales, target="late", missing=[999], ignore=["note"])
    for schema in (check.schema, "sales.toml", Path("sales.toml")):
        again = tl.table(sales, schema=schema)
        kinds = [(column.name, column.kind) for column in again.schema.columns]
        assert kinds == [(column.name, column.kind) for column in direct.schema.columns]
        assert again.declared.target == "late"
        assert tl.NaiveBayes().fit(again).tally_ == tl.NaiveBayes().fit(direct).tally_
    assert tl.check(sales, schema="sales.toml").schema == check.schema
    fine("learn", sales, "--schema", "sales.toml", "--target", "late", "--model", "bayes",
         "-o", "s.tally")  # fmt: skip
    assert tl.load("s.tally").schema_.names == direct.schema.names
    fine("predict", "s.tally", sales, "--schema", "sales.toml")


def test_what_a_call_says_goes_before_the_schema(sales: Path) -> None:
    schema = tl.check(sales, target="late").schema
    table = tl.table(sales, schema=schema, target="paid", categories=["age"], ignore=["note"])
    kinds = {column.name: column.kind for column in table.schema.columns}
    assert table.declared.target == "paid"
    assert kinds["age"] == "category"
    assert "note" not in kinds


def test_the_command_writes_a_schema_once_and_follows_it_then(sales: Path) -> None:
    fine("check", sales, "--target", "late", "--schema", "s.toml")
    text = Path("s.toml").read_text()
    Path("s.toml").write_text(text.replace('age = "number"', 'age = "category"'))
    again = json.loads(fine("check", sales, "--schema", "s.toml", "--json"))
    assert again["schema"]["kinds"]["age"] == "category"
    assert 'age = "category"' in Path("s.toml").read_text()


def test_a_clean_copy_holds_the_values_that_were_read(sales: Path) -> None:
    fine("check", sales, "--target", "late", "--fix", "clean.parquet")
    clean = pq.read_table("clean.parquet").to_pydict()
    assert clean["price"] == [1234.5, 12.0, 7.0, 8.0]
    assert clean["share"] == [12.3, 4.0, None, 1.0]
    assert clean["paid"] == ["Yes", "Yes", "No", "No"]
    assert clean["city"][-1] == "Bonn"
    first = tl.NaiveBayes().fit(tl.table(sales, target="late", ignore=["note"]))
    again = tl.NaiveBayes().fit(tl.table("clean.parquet", target="late", ignore=["note"]))
    assert again.tally_ == first.tally_
    assert "clean.parquet" in failed("check", sales, "--fix", "clean.parquet")
    assert failed("check", sales, "--fix", sales, "--force")
    assert sales.read_text() == SALES


def test_a_table_that_needs_a_decision_is_not_written(folder: Path) -> None:
    Path("d.csv").write_text("day,y\n3/4/2024,u\n5/6/2024,v\n")
    assert tally("check", "d.csv", "--fix", "clean.parquet").exit_code == 1
    assert not Path("clean.parquet").exists()


def test_frames_are_checked_as_files_are(sales: Path) -> None:
    frame = pd.read_csv(sales, dtype=str, keep_default_na=False)
    mine, theirs = tl.check(frame, target="late"), tl.check(sales, target="late")
    assert mine.to_dict()["columns"] == theirs.to_dict()["columns"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kinds = 3", r"\[kinds\] is 3, and not a table"),
        ("colour = 3", "'colour' is not an entry of a schema. The entries are 'target'"),
        ("= 3", "is not a TOML file"),
        ('[kinds]\nprice = "money"', "kinds: 'money' is not a kind for the column 'price'"),
        ('[kinds]\nweight = "number"', "kinds: the table has no column 'weight'"),
    ],
)
def test_a_schema_that_says_nothing_is_refused(sales: Path, text: str, says: str) -> None:
    Path("s.toml").write_text(text)
    with pytest.raises((OptionError, FileError, ValueError), match=says):
        tl.table(sales, schema="s.toml")
    assert failed("check", sales, "--schema", "s.toml")


def test_names_and_values_of_any_letters_survive_a_schema(folder: Path) -> None:
    schema = {
        "target": 'a "b"\n\x7f',
        "missing": ["—", -9.5, True],
        "kinds": {"näme.x": "number", "": "category", "a\\b": "text"},
    }
    Path("s.toml").write_text(toml_of(schema, "two\nlines"), encoding="utf-8")
    assert schema_in("s.toml") == schema


def test_what_was_guessed_of_the_file_is_told(folder: Path) -> None:
    Path("t.csv").write_text("sep=;\na;y\n1;u\n2;v\n")
    assert "delimiter is ';'" in tl.table("t.csv").notes[0]
    check = tl.check("t.csv")
    assert "delimiter is ';'" in str(check).splitlines()[1]
    assert check.to_dict()["notes"] == [*tl.table("t.csv").notes]
    said = tally("learn", "t.csv", "--target", "y", "--model", "majority").stderr
    assert said.count("delimiter is ';'") == 1


# What a stranger found


def test_a_model_without_its_identifiers_loads_again(folder: Path) -> None:
    lines = [f"{at:04};{at % 7},5;{'ab'[at % 2]}" for at in range(1, 61)]
    Path("v.csv").write_text("\n".join(["nr;x;y", *lines]))
    for model in ("bayes", "tree"):
        fine("learn", "v.csv", "--target", "y", "--model", model, "-o", f"{model}.tally")
        assert set(tl.load(f"{model}.tally").schema_.spellings) == {"x"}
    table = tl.table({"x": ["1,5", "2,5", "0,5"], "y": ["3,5", "1,5", "2,5"]})
    tl.DecisionTreeRegressor().fit(table, "y").save("y.tally")
    assert set(tl.load("y.tally").schema_.spellings) == {"x"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("null", "line 1 is None"),
        ("[null]", "line 1 is None"),
        ('{"a":1}\nnull\n', "line 2 is None"),
        ('{"a":1,"a":2}', "a duplicate key"),
        ('{"a":1e999}', "too large"),
    ],
)
def test_json_that_is_no_row_is_an_error_of_ours(folder: Path, text: str, says: str) -> None:
    Path("n.json").write_text(text)
    with pytest.raises(InputError, match=says):
        tl.check("n.json")


def test_points_are_thousands_where_another_column_has_decimal_commas(folder: Path) -> None:
    cells = {"menge": ["1.200", "2.500", "10.000"], "preis": ["3,50", "4,99", "12,00"]}
    lines = [";".join(row) for row in zip(*cells.values(), strict=True)]
    Path("m.csv").write_text("\n".join([";".join(cells), *lines]))
    pd.DataFrame(cells).to_parquet("m.parquet")
    tables: tuple[Any, ...] = (cells, pd.DataFrame(cells), "m.csv", "m.parquet")
    for table in tables:
        found = tl.table(table)
        assert found.whole().numbers.tolist() == [[1200, 3.5], [2500, 4.99], [10000, 12.0]]


def test_a_date_to_predict_is_read_as_it_is_written() -> None:
    rows = [{"d": "2025-01-05", "y": "jan"}, {"d": "2025-05-01", "y": "may"}]
    model = tl.DecisionTreeClassifier().fit(rows, "y")
    assert model.predict([{"d": "05.01.2025"}, {"d": "01.05.2025"}]).tolist() == ["jan", "may"]
    with pytest.raises(ValueError, match="05/01/2025"):
        model.predict({"d": "05/01/2025"})


def test_a_decision_that_nobody_took_stands_in_no_schema(folder: Path) -> None:
    Path("d.csv").write_text("day,y\n3/4/2024,a\n5/6/2024,b\n")
    for _ in range(2):
        assert tally("check", "d.csv", "--schema", "d.toml").exit_code == 1
    assert "day" not in Path("d.toml").read_text()


def test_a_sheet_is_checked_and_its_schema_followed(folder: Path) -> None:
    pd.DataFrame({"a": [1, 2], "y": ["u", "v"]}).to_excel("book.xlsx", sheet_name="Jan")
    check = tl.check("book.xlsx", dialect={"sheet": "Jan"})
    assert check.schema["dialect"]["sheet"] == "Jan"
    check.write_schema("book.toml")
    assert tl.check("book.xlsx", schema="book.toml").rows == 2


def test_there_is_no_thirteen_in_the_afternoon() -> None:
    with pytest.raises(InputError, match="13:00 pm"):
        tl.table({"t": ["13:00 pm", "1:00 pm", "2:30 pm"]})
    assert tl.table({"t": ["12:00 am", "1:00 pm"]}).whole().numbers[:, 0].tolist() == [0, 13 / 24]


def test_the_categories_of_a_schema_hold_on_the_command_line_too(folder: Path) -> None:
    Path("st.csv").write_text("s,y\nNY,a\nCA,b\nTX,a\nTX,b\n")
    Path("st.toml").write_text('[categories]\ns = ["NY", "CA"]\n')
    said = failed("learn", "st.csv", "--schema", "st.toml", "--target", "y", "--model", "bayes")
    assert "'TX' in row 4" in said


def test_a_column_without_a_value_misses_all_of_them(folder: Path) -> None:
    Path("em.csv").write_text("a,b\n1,\n2,\n")
    assert found(tl.check("em.csv"))["b"]["missing"] == 2


def test_a_message_shows_an_object_of_json_as_it_is(folder: Path) -> None:
    Path("n.json").write_text("5\n")
    assert 'such as {"a": 1}' in failed("check", "n.json")


def test_a_clean_copy_that_is_not_written_is_said_to_be_none(folder: Path) -> None:
    Path("d.csv").write_text("day,y\n3/4/2024,u\n5/6/2024,v\n")
    assert "c.parquet is not written" in tally("check", "d.csv", "--fix", "c.parquet").stderr


# What is learned is the target


TARGETS = {
    "answers": ["Yes", "no", "yes", "No"],
    "letters": ["T", "F", "t", "F"],
    "truths": ["true", "FALSE", "True", "false"],
    "numbers": ["1", "0", "1", "-"],
    "amounts": ["$5", "$1,006", "$5", "$6"],
    "codes": ["007", "7", "007", "7"],
    "days": ["31.12.2024", "1.1.2025", "1.1.2025", "1.1.2025"],
    "words": ["a ", "a", "b", "NA"],
    "text": ["it was a good one", "it was a bad one ", "it was no good", "none of these at all"],
    "nothing else": ["x", "$5", "-", "x"],
}
KEPT = {
    "csv": lambda frame: frame.to_csv("t.csv", index=False) or "t.csv",
    "parquet": lambda frame: frame.to_parquet("t.parquet") or "t.parquet",
    "frame": lambda frame: frame,
}


@pytest.mark.parametrize("cells", TARGETS.values(), ids=[*TARGETS])
@pytest.mark.parametrize("make", KEPT.values(), ids=[*KEPT])
def test_a_schema_does_not_change_the_classes(cells: list[str], make: Any, folder: Path) -> None:
    table = make(pd.DataFrame({"x": [1, 2, 3, 4], "y": cells}))
    plain = tl.DummyClassifier().fit(table, "y")
    for check in (tl.check(table), tl.check(table, target="y")):
        again = tl.DummyClassifier().fit(tl.table(table, schema=check.schema, target="y"))
        assert again.classes_.tolist() == plain.classes_.tolist()
        assert again.tally_ == plain.tally_


def test_a_schema_does_not_change_truth_values(folder: Path) -> None:
    cells = {"b": ["true", "FALSE", "True", "false"], "y": ["u", "v", "u", "v"]}
    pd.DataFrame(cells).to_csv("t.csv", index=False)
    pd.DataFrame(cells | {"b": [True, False, True, False]}).to_parquet("t.parquet")
    for path in ("t.csv", "t.parquet"):
        schema = tl.check(path, target="y").schema
        assert schema["kinds"]["b"] == "False/True"
        again = tl.NaiveBayes().fit(tl.table(path, schema=schema))
        assert again.schema_ == tl.NaiveBayes().fit(path, "y").schema_
    with pytest.raises(InputError, match="a value that is not a truth value in row 1"):
        tl.table({"b": ["true", "x"]}, kinds={"b": "False/True"})
    with pytest.raises(InputError, match="kinds: the table has no column 'c'"):
        tl.table({"b": ["true", "x"]}, kinds={"c": "False/True"})


@pytest.mark.parametrize(
    ("cells", "kind", "missing", "note"),
    [
        ("Yes|yes|No|NA", "category", 1,
         "the target, 2 classes: No 1, Yes 2; No, Yes, yes read as No, Yes"),
        ("$1,200|$7.5|-|$5", "number", 1,
         'the target, numbers from 5 to 1200; numbers written as $1,234.5; "-" means missing'),
        ("1|0|0|0", "number", 0, "the target, 2 classes: 0 3, 1 1"),
        ("7|-999|1.5|-999", "number", 0, "the target, numbers from -999 to 7"),
        ("a|b|c|d|e|f|g|g", "category", 0,
         "the target, 7 classes: g 2, a 1, b 1, c 1, d 1, e 1 and 1 more"),
        ("31.12.2024|1.1.2025", "date", 0,
         "the target, 2 classes: 2024-12-31 00:00:00 1, 2025-01-01 00:00:00 1; "
         "dates written as %d.%m.%Y"),
        ("||", "unknown", 3, "the target, no row has one"),
    ],
)  # fmt: skip
def test_a_check_describes_the_target(
    cells: str, kind: str, missing: int, note: str, folder: Path
) -> None:
    lines = [f'1,"{cell}"' for cell in cells.split("|")]
    Path("t.csv").write_text("\n".join(["x,y", *lines]))
    check = tl.check("t.csv", target="y")
    (target,) = check.to_dict()["targets"]
    assert (target["kind"], target["missing"], target["note"]) == (kind, missing, note)
    assert note in " ".join(str(check).split())
    assert [one.name for one in check.columns] == ["x"]


def test_the_labels_of_a_frame_are_described_as_they_are() -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "y": ["Yes", "yes", "NA"]})
    (target,) = tl.check(frame, target="y").targets
    assert target.note == "the target, 3 classes: NA 1, Yes 1, yes 1"
    assert target.consider == ("'Yes' and 'yes' differ only in case or spaces",)


def test_a_target_that_needs_a_decision_is_one_and_its_remedy_works(folder: Path) -> None:
    Path("t.csv").write_text("x;y\n1;1,234\n2;5,678\n")
    shown = tally("check", "t.csv", "--target", "y")
    assert shown.exit_code == 1
    assert (
        "to decide: y: '1,234' in row 2 may have a thousands separator or a decimal "
        "mark; use --as y=1,234.5 or" in " ".join(shown.output.split())
    )
    assert "Use --as y=1,234.5 or --as y=1234,5." in failed(
        "learn", "t.csv", "--target", "y", "--model", "mean"
    )
    fine("check", "t.csv", "--target", "y", "--as", "y=1234,5", "--schema", "t.toml")
    fine(
        "learn", "t.csv", "--target", "y", "--schema", "t.toml", "--model", "mean", "-o", "m.tally"
    )
    assert tl.load("m.tally").predict([{"x": 1}])[0] == pytest.approx((1.234 + 5.678) / 2)


def test_a_weight_that_needs_a_decision_is_refused(folder: Path) -> None:
    Path("t.csv").write_text("x;w\n1;1,234\n2;5,678\n")
    assert "Use --as w=1,234.5 or --as w=1234,5." in failed("check", "t.csv", "--weight", "w")
    fine("check", "t.csv", "--weight", "w", "--as", "w=1234,5")


def test_the_target_of_a_schema_stands_for_the_option_in_every_command(sales: Path) -> None:
    lines = SALES.splitlines()
    sales.write_text("\n".join([lines[0], *lines[1:] * 6]))
    fine("check", sales, "--target", "late", "--weight", "age", "--schema", "s.toml")
    assert tl.table(sales, schema="s.toml").declared.target == "late"
    said = ("--schema", "s.toml")
    assert json.loads(fine("check", sales, *said, "--json"))["targets"][0]["name"] == "late"
    fine("learn", sales, *said, "--model", "bayes", "-o", "late.tally")
    assert tl.load("late.tally").target_name_ == "late"
    fine("learn", *said, sales, "--target", "paid", "--model", "bayes", "-o", "paid.tally")
    assert tl.load("paid.tally").target_name_ == "paid"
    shown = json.loads(fine("evaluate", sales, *said, "--model", "bayes", "--cv", "3", "--json"))
    assert shown["target"] == "late"
    models = ("--models", "bayes,majority", "--cv", "3", "--json")
    assert json.loads(fine("compare", sales, *said, *models))["target"] == "late"
    Path("few.csv").write_text("\n".join(lines[:3]))
    fine("forget", "late.tally", "few.csv", *said)  # by their weights, which the schema names
    assert "--target" in tally("compare", sales, *models).stderr


def test_a_later_file_with_a_euro_sign_is_read_by_the_schema_of_one_without(folder: Path) -> None:
    Path("jan.csv").write_bytes("stadt,y\nKöln,a\nBonn,b\n".encode("cp1252"))
    Path("feb.csv").write_bytes("stadt,y\nKöln,a\n€-Stadt,b\n".encode("cp1252"))
    check = tl.check("jan.csv", target="y")
    assert check.schema["dialect"]["encoding"] == "cp1252"
    found = tl.table("feb.csv", schema=check.schema).whole()
    assert [*found.codes["stadt"].items()] == ["Köln", "€-Stadt"]


def test_a_euro_sign_behind_the_first_megabyte_is_one(folder: Path) -> None:
    rows = ["é,a"] * 300_000 + ["€,b"]
    Path("t.csv").write_bytes("\n".join(["x,y", *rows]).encode("cp1252"))
    assert {*tl.table("t.csv").whole().codes["x"].values} == {"é", "€"}


def test_a_schema_that_is_there_is_not_replaced(sales: Path) -> None:
    check = tl.check(sales, target="late")
    Path("s.toml").write_text('target = "paid"  # edited by hand\n')
    with pytest.raises(FileError, match=r"s\.toml already exists.*force=True"):
        check.write_schema("s.toml")
    fine("check", sales, "--schema", "s.toml", "--fix", "clean.parquet", "--force")
    assert "edited by hand" in Path("s.toml").read_text()
    check.write_schema("s.toml", force=True)
    assert schema_in("s.toml") == dict(check.schema)


NEITHER = "'b' should have only 'Yes' and 'No', and has 'x', 'perhaps', first in row"


def test_answers_that_a_column_does_not_have_are_refused_with_its_values(folder: Path) -> None:
    cells = ["YES", "x", "no", "perhaps", None]
    frame = pd.DataFrame({"b": cells, "y": [*"aabba"]})
    with pytest.raises(CellError, match=f"{NEITHER} 1"):
        tl.table(frame, kinds={"b": "Yes/No"})
    with pytest.raises(CellError, match=f"{NEITHER} 1"):
        tl.table(frame.astype({"b": "category"}), kinds={"b": "Yes/No"})
    late = pd.concat([pd.DataFrame({"b": ["Yes", "no"] * BLOCK, "y": ["a", "b"] * BLOCK}), frame])
    for rows, name, first in ((frame, "t.csv", 3), (late, "late.csv", 2 * BLOCK + 3)):
        rows.to_csv(name, index=False)
        learn = ("learn", name, "--target", "y", "--model", "bayes", "-o", "t.tally", "--force")
        said = failed(*learn, "--as", "b=Yes/No")
        assert f"{NEITHER} {first}. Use --as b=category; or, if that means" in said
        fine(*learn, "--as", "b=category")
        fine(*learn, "--as", "b=Yes/No", "--missing", "x", "--missing", "perhaps")


def test_truth_values_that_a_file_does_not_have_are_refused(folder: Path) -> None:
    Path("t.csv").write_text("b,y\nx,a\ny,b\n")
    source = tl.table("t.csv", kinds={"b": "False/True"})
    with pytest.raises(CellError, match="'b' has a value that is not a truth value in row 2"):
        source.whole()


TYPED = {
    "day": (
        pd.to_datetime(["2024-01-01", "2024-02-01"]),
        "dates",
        "date, category, text or identifier",
    ),
    "truth": ([True, False], "truth values", "category, text, identifier or False/True"),
    "whole": ([1, 2], "numbers", "number, category, text or identifier"),
    "share": ([0.5, 2.0], "numbers", "number, category, text or identifier"),
}


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("kind", ["number", "date", "%d/%m/%Y", "$1,234.5", "No/Yes", "False/True"])
def test_a_typed_column_says_which_kinds_it_can_take(name: str, kind: str, folder: Path) -> None:
    values, held, takes = TYPED[name]
    frame = pd.DataFrame({name: values, "word": ["a", "b"]})
    frame.to_parquet("t.parquet")
    told = {"%d/%m/%Y": "date", "$1,234.5": "number"}.get(kind, kind)
    for source in (frame, frame[[name]], "t.parquet"):
        if told in takes:
            tl.table(source, kinds={name: kind}).whole()
            continue
        with pytest.raises(ColumnError) as error:
            tl.table(source, kinds={name: kind}).whole()
        assert f"holds {held}, so it cannot be {told}. It can be {takes}." in str(error.value)
    for other in takes.replace(" or ", ", ").split(", "):
        tl.table("t.parquet", kinds={name: other}).whole()


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["36.6", "37,2", "38.1"], "its numbers have several marks"),
        (["$12", "€5", "7"], "its numbers have several units ($, € and none)"),
        (["12 %", "0.5"], "its numbers have several units (% and none)"),
        (["2024-01-05", "20:30"], "some of its cells are dates and some are times of day"),
        (["13/1/2024", "1/13/2024"], "no order of day and month fits all of its dates"),
    ],
)
def test_numbers_and_dates_that_do_not_agree_are_a_decision(
    cells: list[str], why: str, folder: Path
) -> None:
    Path("t.tsv").write_text("\n".join(["x\ty", *(f"{cell}\ta" for cell in cells)]))
    said = tally("check", "t.tsv")
    assert said.exit_code == 1
    assert f"to decide: x: {why}" in said.stdout
    fine("check", "t.tsv", "--as", "x=category")


def numbered_rows(n: int) -> str:
    return "\n".join(["nr,x,y", *(f"n{at},{at % 7},{'uv'[at % 3 > 0]}" for at in range(n))])


def test_a_schema_has_the_identifiers_so_that_few_rows_are_read_alike(folder: Path) -> None:
    Path("many.csv").write_text(numbered_rows(60))
    Path("few.csv").write_text(numbered_rows(8))  # too few to see that nr numbers them
    fine("check", "many.csv", "--target", "y", "--schema", "s.toml")
    assert 'nr = "identifier"' in Path("s.toml").read_text()
    few = tl.NaiveBayes().fit(tl.table("few.csv", schema="s.toml"))
    assert few.schema_.identifiers == ("nr",)
    kept = tl.NaiveBayes().fit(tl.table("many.csv", schema="s.toml", keep=["nr"]))
    assert kept.schema_.identifiers == ()


def test_a_column_that_check_was_told_to_keep_is_no_identifier(folder: Path) -> None:
    Path("many.csv").write_text(numbered_rows(60))
    said = fine("check", "many.csv", "--target", "y", "--keep", "nr", "--schema", "s.toml")
    assert "identifier" not in said
    assert 'nr = "category"' in Path("s.toml").read_text()


def test_a_column_is_not_both_kept_and_an_identifier() -> None:
    with pytest.raises(OptionError, match="kinds and keep both name the column 'a'"):
        tl.table({"a": [1, 2]}, kinds={"a": "identifier"}, keep=["a"])


@pytest.mark.parametrize("other", ["sales.parquet", "sales.xlsx", "frame", "sales.csv"])
def test_the_dialect_of_a_schema_does_not_count_for_another_kind_of_file(
    folder: Path, other: str
) -> None:
    cells = {"day": ["03.04.2024", "05.06.2024"], "sum": ["1.234,50 €", "2,5 €"], "zip": ["1", "2"]}
    frame = pd.DataFrame(cells)
    frame.to_csv("sales.csv", sep=";", index=False)
    frame.to_parquet("sales.parquet")
    frame.to_excel("sales.xlsx", index=False)
    first = "sales.xlsx" if other == "sales.csv" else "sales.csv"
    fine("check", first, "--as", "zip=category", "--schema", "sales.toml")
    found = tl.table(frame if other == "frame" else other, schema="sales.toml")
    assert found.schema.categories == ("zip",)
    assert next(iter(found.blocks())).numbers[:, 1].tolist() == [1234.5, 2.5]
    assert [note for note in found.notes if "dialect" in note] == [
        "the dialect of the schema belongs to another file format and is ignored"
    ]
    if other != "frame":
        assert "the dialect of the schema" in fine("check", other, "--schema", "sales.toml")
    same = tl.table(first, schema="sales.toml")
    assert not [note for note in same.notes if "dialect" in note]


def test_a_dialect_of_the_call_counts_for_its_kind_of_file_alone(folder: Path) -> None:
    frame = pd.DataFrame({"a": ["1"]})
    frame.to_parquet("t.parquet")
    schema = {"dialect": {"delimiter": ";"}}
    for source in (frame, "t.parquet"):
        assert tl.table(source, schema=schema).schema.names == ("a",)
        with pytest.raises(OptionError, match="dialect= is for CSV files"):
            tl.table(source, schema=schema, dialect={"delimiter": ";"})
        if source is frame:
            with pytest.raises(
                OptionError, match=r"Use missing= for missing values, and kinds= for how dates"
            ):
                tl.table(source, schema={"dialect": {"missing": ["x"]}})


@pytest.mark.parametrize("word", ["Total", "Summe:", "GRAND TOTAL", "Gesamtergebnis", "Sous-total"])
def test_a_row_of_totals_is_said_with_its_number(folder: Path, word: str) -> None:
    rows = "".join(f"{name},{n}\n" for n, name in enumerate(["north", "south", "east"], 1))
    Path("t.csv").write_text(f"region,sum\n{rows}{word},6\n,\nsource: us,\n", encoding="utf-8")
    said = [text for text in tl.check("t.csv").cautions if "sum up" in text]
    assert len(said) == 1
    assert said[0].startswith("row 5 seems to sum up other rows")
    assert f"region is {word!r} there. Delete it" in said[0]
    assert "warning: row 5 seems to sum up" in fine("check", "t.csv")
    frame = pd.read_csv("t.csv")
    assert "row 3 seems" in tl.check(frame).cautions[0]
    frame.iloc[0, 0] = word
    assert f"{word!r} there, as in 1 row before" in tl.check(frame).cautions[0]


def test_a_word_for_sums_in_the_middle_of_a_table_is_a_category(folder: Path) -> None:
    cells = ["Total", "Shell", "Total", "Esso", "Esso", "Shell", "Esso"]
    assert tl.check(pd.DataFrame({"brand": cells, "n": range(7)})).cautions == ()
    assert tl.check(pd.DataFrame({"brand": ["Totally", "Summit", "Esso"]})).cautions == ()


def test_a_word_for_means_that_is_common_is_a_category() -> None:
    """As in the labor relations of the UCI, where contributions to a plan are average."""
    rng = np.random.default_rng(3)
    plans = ["none", "average", "generous"]
    frame = pd.DataFrame({"plan": [plans[at % 3] for at in range(56)], "pay": rng.normal(4, 1, 56)})
    frame.loc[55, "plan"] = "average"
    assert tl.check(frame).cautions == ()
    frame.loc[56] = ["average", frame["pay"].mean()]  # and here it is a mean
    (said,) = tl.check(frame).cautions
    assert said.startswith("row 56 seems to sum up other rows")


def test_an_odd_cell_of_a_row_that_is_none_is_answered_by_deleting_the_row() -> None:
    cells = [str(at) for at in range(30)]
    for word, why in (("size", "repeats the header"), ("Total", "sums up others")):
        table = {"size": [*cells, word], "y": ["a", "b"] * 15 + ["c"]}
        way = f"elete the row of '{word}' if it {why}, or"
        assert way in tl.check(table).decisions[0]
        with pytest.raises(ColumnError, match=way):
            tl.CART().fit(table, "y")
    table = {"size": [*cells, "see note"], "y": ["a", "b"] * 15 + ["c"]}
    assert "elete the row" not in tl.check(table).decisions[0]


def test_a_few_numbers_and_a_word_that_many_rows_have_are_nothing_to_decide() -> None:
    doors = ["2", "3", "4", "5more"] * 20
    found = tl.check({"doors": doors, "y": ["a", "b"] * 40}, "y")
    assert found.decisions == ()
    assert found.schema["kinds"]["doors"] == "category"


def test_subtotals_amid_the_rows_are_said_where_their_numbers_are_sums() -> None:
    shops = ["a", "b", "Subtotal", "c", "d", "Subtotal", *"efghi"]
    sales = [1.5, 2, 3.5, 4, 5, 9, 1, 1, 1, 1, 1]
    (said,) = tl.check(pd.DataFrame({"shop": shops, "sales": sales})).cautions
    assert said.startswith("row 5 seems to sum up other rows")
    assert "'Subtotal' there, as in 1 row before" in said
    other = [1.5, 2, 7, 4, 5, 8, 1, 1, 1, 1, 1]
    assert tl.check(pd.DataFrame({"shop": shops, "sales": other})).cautions == ()
    regions = ["north", "north", "north Total", "south", "south", "south Total", "Grand Total"]
    table = pd.DataFrame({"region": regions, "sales": [1.0, 2, 3, 4, 5, 9, 12]})
    rows = [text.split()[1] for text in tl.check(table).cautions]
    assert rows == ["2", "5", "6"]


def test_days_without_marks_between_are_numbers_until_somebody_says_so(folder: Path) -> None:
    Path("t.csv").write_text("day,n\n20240131,1\n20240229,2\n19991231,1\n")
    (said,) = tl.check("t.csv").columns[0].consider
    use = 'tl.table(..., kinds={"day": "%Y%m%d"})'
    assert said == f"19991231 to 20240229 are read as numbers; use {use} if they are days"
    assert "to consider: day: 19991231" in fine("check", "t.csv")
    found = tl.table("t.csv", kinds={"day": "%Y%m%d"})
    assert next(iter(found.blocks())).numbers[:, 0].tolist() == [19753, 19782, 10956]
    assert tl.check("t.csv", kinds={"day": "%Y%m%d"}).columns[0].kind == "date"
    assert "--as day=%Y%m%d" in failed("check", "t.csv", "--as", "day=date")
    for odd in ("20241301", "20240100", "18991231", "20240131.5"):
        Path("t.csv").write_text(f"day,n\n20240131,1\n20240229,2\n{odd},1\n")
        assert tl.check("t.csv").columns[0].consider == ()


def test_a_target_may_be_named_as_in_describe_without_its_word() -> None:
    frame = pd.DataFrame({"x": [1.5, 2.5, 4] * 4, "y": ["a", "b", "a"] * 4})
    wanted = tl.check(frame, target="y")
    assert [one.name for one in wanted.targets] == ["y"]
    assert tl.check(frame, "y").to_dict() == wanted.to_dict()
    for found in (tl.check(tl.table(frame), "y"), tl.check(tl.table(frame), target="y")):
        assert found.to_dict() == wanted.to_dict()
    with pytest.raises(tl.errors.OptionError, match="already declared"):
        tl.check(tl.table(frame), "y", ignore=["x"])
    assert tl.table(frame, "y").declared == tl.table(frame, target="y").declared
    with pytest.raises(tl.errors.ColumnError, match=r"no column 'z'\. It has 'x', 'y'"):
        tl.check(frame, "z")
    with pytest.raises(tl.errors.OptionError, match=r"two targets are given, 'y' and 'x'"):
        tl.check(frame, "y", target="x")


def test_check_names_the_option_of_the_library_that_keeps_an_identifier() -> None:
    table = {"id": [f"c{i:03}" for i in range(200)], "x": [i % 7 for i in range(200)]}
    assert "keep=" in str(tl.check(table | {"y": ["a", "b"] * 100}, "y"))


def test_printed_results_are_at_most_80_columns_wide() -> None:
    loans = tl.example("loans")
    long_name = "the share of the instalment in the disposable income"
    n = 60
    table = {
        long_name: [f"{at % 7} %" for at in range(n)],
        "identifier of the applicant": [f"applicant {at} of the year" for at in range(n)],
        "answer": ["a rather long answer that was given", "no"] * (n // 2),
        **{f"measurement {at}": [at * 1.5 + row % 11 for row in range(n)] for at in range(9)},
        "day": ["3/4/2024", "5/6/2024"] * (n // 2),
    }
    described = {name: cells for name, cells in table.items() if name != "day"}
    results = (
        tl.describe(loans),
        tl.describe(described, "answer"),
        tl.describe(described).compare(described),
        tl.check(loans),
        tl.check(table, "answer"),
        tl.problem(loans, learner=tl.LogisticRegression()),
        tl.problem(described, "answer"),
    )
    for result in results:
        assert max(map(len, str(result).splitlines())) <= 80, str(result)
    assert f"\n{long_name}: numbers written as" in str(results[4])  # below, where no room is left


def test_a_description_has_the_headings_of_pandas() -> None:
    text = str(tl.describe(tl.example("loans")))
    numbers, quantiles, categories = (
        text.split(f"\n{title}\n")[1].splitlines()[0].split()
        for title in ("Numeric columns", "Quantiles", "Categorical columns")
    )
    assert numbers[2:7] == ["count", "missing", "unique", "mean", "std"]
    assert quantiles[1:] == ["min", "25%", "50%", "75%", "max"]
    assert categories[2:] == ["count", "missing", "unique", "top", "freq"]
