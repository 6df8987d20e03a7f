"""How a table is written is said to every command alike, and to those that have a model, too."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn.cli import main, shared_options
from tallylearn.errors import ColumnError, MergeError, OptionError, TallyError
from tests.cli.test_cli import failed, fine, folder, misused, tally

__all__ = ["folder"]

ROWS = ["31.12.2024,$1.50,a", "30.11.2024,$2.50,b", "29.11.2024,$3.50,a", "28.11.2024,$9.50,b"]
WITH_MODEL = (
    ("predict", "m.tally", "new.csv"),
    ("explain", "m.tally", "new.csv"),
    ("evaluate", "m.tally", "new.csv"),
    ("learn", "new.csv", "--like", "m.tally", "-o", "n.tally", "--force"),
    ("forget", "m.tally", "new.csv", "-o", "f.tally", "--force"),
)


def model() -> None:
    """A model of days and dollars."""
    Path("old.csv").write_text("\n".join(["day,price,y", *ROWS * 3]))
    fine("learn", "old.csv", "--target", "y", "--model", "bayes", "--keep", "day,price", "-o",
         "m.tally", "--force")  # fmt: skip


def new(*rows: str) -> None:
    Path("new.csv").write_text("\n".join(["day,price,y", *rows]))


def remedies(said: str) -> list[str]:
    """The options that a message names, as they are typed."""
    return re.findall(r"(--[a-z-]+ (?:'[^']*'|\S+?))(?=,? or |\.$|,? for |, )", said)


@pytest.mark.parametrize("command", WITH_MODEL, ids=lambda c: str(c[0]))
def test_every_command_that_has_a_model_takes_every_option_of_reading(command: Any) -> None:
    options = {name for one in main.commands[command[0]].params for name in one.opts}
    for name in shared_options.READ_OPTIONS:
        assert {"kinds": "--as"}.get(name, f"--{name.replace('_', '-')}") in options


@pytest.mark.parametrize("command", WITH_MODEL[:4], ids=lambda c: str(c[0]))
def test_days_that_may_be_months_are_refused_with_options_that_work(command: Any) -> None:
    model()
    new("3/4/2024,$1.50,a", "5/6/2024,$2.50,b")
    said = failed(*command)
    assert "column 'day' can be read in two ways: '3/4/2024' in row 2" in said
    found = remedies(said)
    assert [*map(str.split, found)] == [
        ["--as", "day=%d/%m/%Y"], ["--as", "day=%m/%d/%Y"], ["--date-format", "%d/%m/%Y"],
    ]  # fmt: skip
    for remedy in found:
        fine(*command, *shlex.split(remedy))


def test_a_schema_says_to_a_model_how_a_table_is_written() -> None:
    Path("old.csv").write_text("day,y\n" + "2024-04-03,a\n2024-05-01,b\n" * 3)
    fine("learn", "old.csv", "--target", "y", "--model", "tree", "-o", "m.tally")
    Path("new.csv").write_text("day;y\n3/4/2024;a\n1/5/2024;b\n")
    for form, answers in (("%d/%m/%Y", ["a", "b"]), ("%m/%d/%Y", ["a", "a"])):
        Path("s.toml").write_text(
            f'target = "y"\n[kinds]\nday = "{form}"\ny = "category"\n[dialect]\ndelimiter = ";"\n'
        )
        said = fine("predict", "m.tally", "new.csv", "--schema", "s.toml")
        assert said.split() == ["prediction", *answers]
        there = tl.table("new.csv", schema="s.toml")
        assert tl.load("m.tally").predict(there).tolist() == answers
    Path("no_target.csv").write_text("day;x\n3/4/2024;7\n")
    fine("predict", "m.tally", "no_target.csv", "--schema", "s.toml")


def test_what_a_model_forgets_is_read_as_it_is_said() -> None:
    Path("a.csv").write_text("x,y\n1.5,u\n2.5,v\n3.5,u\n1234.5,v\n")
    Path("b.csv").write_text("x;y\n1.234,5;v\n")
    fine("learn", "a.csv", "--target", "y", "--model", "bayes", "-o", "m.tally")
    fine("forget", "m.tally", "b.csv", "--as", "x=1.234,5", "-o", "less.tally")
    Path("c.csv").write_text("x,y\n1.5,u\n2.5,v\n3.5,u\n")
    fine("learn", "c.csv", "--target", "y", "--model", "bayes", "-o", "never.tally")
    assert tl.load("less.tally").tally_ == tl.load("never.tally").tally_


def test_numbers_are_not_taken_for_plain_where_it_is_said_that_they_have_thousands() -> None:
    Path("a.csv").write_text("x,y\n" + "1000,u\n2000,v\n" * 3)
    fine("learn", "a.csv", "--target", "y", "--model", "tree", "-o", "m.tally")
    Path("b.csv").write_text("x,z\n1.000,a\n2.000,a\n")
    assert fine("predict", "m.tally", "b.csv").split() == ["prediction", "u", "u"]
    said = fine("predict", "m.tally", "b.csv", "--as", "x=1.234,5")
    assert said.split() == ["prediction", "u", "v"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_mark_for_nothing_is_said_to_a_model(ending: str) -> None:
    model()
    days = ["2024-11-30", "2024-11-29", "2024-11-28"]
    table = pa.table({"day": days, "price": [-999.0, 1.0, 2.0], "y": list("aba")})
    if ending == "csv":
        new("30.11.2024,-999,a", "29.11.2024,1,b", "28.11.2024,2,a")
    else:
        pq.write_table(table, "new.parquet")
    command = ("predict", "m.tally", f"new.{ending}", "--proba")
    gap = fine("predict", "m.tally", "--row", "2024-11-30,", "--row", "2024-11-29,1", "--row",
               "2024-11-28,2", "--proba")  # fmt: skip
    assert fine(*command) != gap
    assert fine(*command, "--missing", "-999") == gap
    fine("learn", f"new.{ending}", "--like", "m.tally", "--missing", "-999", "-o", "n.tally",
         "--model", "tree")  # fmt: skip
    assert tl.load("n.tally").schema_ == tl.load("m.tally").schema_


def test_a_sheet_is_named_to_a_model() -> None:
    model()
    frame = pd.DataFrame([row.split(",") for row in ROWS], columns=["day", "price", "y"])
    with pd.ExcelWriter("new.xlsx") as book:
        pd.DataFrame({"other": [1]}).to_excel(book, sheet_name="notes", index=False)
        frame.to_excel(book, sheet_name="rows", index=False)
    for command in WITH_MODEL:
        named = [word.replace("new.csv", "new.xlsx") for word in command]
        fine(*named, "--sheet", "rows")
    said = failed("evaluate", "m.tally", "old.csv", "--sheet", "2")
    assert "sheet is for workbooks, and this is a text file" in said


def test_days_in_a_workbook_take_the_format_of_dates() -> None:
    pd.DataFrame({"day": ["3/4/2024", "5/6/2024"], "y": [1, 2]}).to_excel("d.xlsx", index=False)
    found = tl.table("d.xlsx", dialect={"date_format": "%m/%d/%Y"}).whole()
    assert found.numbers[:, 0].tolist() == [19786.0, 19849.0]
    with pytest.raises(OptionError, match="date_format must be like"):
        tl.table("d.xlsx", dialect={"date_format": "%Y"})


@pytest.mark.parametrize("option", ["--categories", "--text", "--dates", "--ignore", "--keep"])
def test_what_columns_are_is_not_said_to_a_model(option: str) -> None:
    model()
    for command in (("learn", "old.csv", "--like", "m.tally"), ("evaluate", "m.tally", "old.csv")):
        said = " ".join(misused(*command, option, "day").split())
        assert f"{option} cannot be combined with" in said
        assert "the model file sets the columns and their kinds" in said


def test_a_column_stays_what_a_model_has_learned() -> None:
    model()
    said = failed("predict", "m.tally", "old.csv", "--as", "day=category")
    assert "'day' was a date when the model was fitted, and cannot be category here" in said
    fine("predict", "m.tally", "old.csv", "--as", "day=date", "--as", "price=number")
    said = failed("predict", "m.tally", "old.csv", "--as", "dya=date")
    assert "--as: the table has no column 'dya'. It has 'day', 'price', 'y'." in said
    with pytest.raises(
        ColumnError, match=r"'price' was a number when the model was fitted, and cannot be ignored"
    ):
        tl.load("m.tally").predict(tl.table("old.csv", ignore=["price"]))


# --- units ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["€50", "50 %", "50 EUR", "CHF 50"])
def test_numbers_in_another_unit_than_the_learned_are_refused(cell: str) -> None:
    model()
    new("31.12.2024,$1.50,a", f"30.11.2024,{cell},b")
    assert repr(cell) in failed("predict", "m.tally", "new.csv")  # two units in one column
    new(f"31.12.2024,{cell},a", f"30.11.2024,{cell},b")
    said = failed("predict", "m.tally", "new.csv")
    assert (
        f"'price' was written as $1234.5 when the model was fitted, and {cell!r} in row 2" in said
    )
    (remedy,) = remedies(said)
    fine("predict", "m.tally", "new.csv", *shlex.split(remedy))


def test_units_are_compared_in_every_source() -> None:
    frame = pd.DataFrame({"p": ["$1", "$2", "$3", "$7"], "y": ["a", "b", "a", "b"]})
    found = tl.NaiveBayes().fit(frame, "y")
    euros = pd.DataFrame({"p": ["€1"]})
    for table in (euros, tl.table(euros), pa.Table.from_pandas(euros), [{"p": "€1"}]):
        with pytest.raises(ColumnError, match=r"'p' was written as \$1234\.5.*another unit"):
            found.predict(table)
    assert len(found.predict(tl.table(euros, kinds={"p": "€1234.5"}))) == 1
    for same in (["$1"], ["1"], [1.0], ["$ 1,000.5"]):
        assert len(found.predict(pd.DataFrame({"p": same}))) == 1


def test_amounts_in_two_units_do_not_add_up() -> None:
    frames = [
        pd.DataFrame({"p": [f"{unit}{n}" for n in (1, 2, 3, 7)], "y": list("abab")})
        for unit in ("$", "€", "")
    ]
    dollars, euros, plain = (tl.NaiveBayes().fit(frame, "y") for frame in frames)
    with pytest.raises(MergeError, match=r"'p' is written as \$1234\.5 in one table and as €"):
        tl.merge(dollars, euros)
    assert tl.merge(dollars, plain).tally_ == tl.merge(plain, plain).tally_


def amounts(name: str, unit: str) -> None:
    rows = "".join(f"{n},{unit.replace('#', str(10 * n))}\n" for n in range(1, 31))
    Path(name).write_text("x,price\n" + rows, encoding="utf-8")


@pytest.mark.parametrize("other", ["# €", "# %", "CHF #"])
def test_a_target_in_another_unit_than_the_learned_is_refused(other: str) -> None:
    amounts("us.csv", "$#")
    amounts("here.csv", other)
    fine("learn", "us.csv", "--target", "price", "--model", "tree", "-o", "m.tally")
    said = failed("evaluate", "m.tally", "here.csv")
    assert "'price' was written as $1234.5 when the model was fitted, and" in said
    (remedy,) = remedies(said)
    fine("evaluate", "m.tally", "here.csv", *shlex.split(remedy))
    found = tl.load("m.tally")
    for table in ("here.csv", tl.table("here.csv")):
        with pytest.raises(ColumnError, match=r"'price' was written as \$1234\.5"):
            found.score(table, "price")


def test_a_target_without_a_unit_is_taken_on_trust_and_a_percent_sign_is_not() -> None:
    for name, unit in (("us.csv", "$#"), ("plain.csv", "#"), ("share.csv", "# %")):
        amounts(name, unit)
    fine("learn", "us.csv", "--target", "price", "--model", "tree", "-o", "us.tally")
    fine("learn", "plain.csv", "--target", "price", "--model", "tree", "-o", "plain.tally")
    for model, table in (("us", "plain"), ("us", "us"), ("plain", "us"), ("plain", "plain")):
        fine("evaluate", f"{model}.tally", f"{table}.csv")
    assert "has a unit" in failed("evaluate", "plain.tally", "share.csv")
    old = tl.load("plain.tally")
    old.schema_ = replace(old.schema_, spellings={})  # as files had it that kept no target's
    old.score("share.csv", "price")


def test_targets_in_two_units_do_not_add_up() -> None:
    for name, unit in (("us.csv", "$#"), ("eu.csv", "# €")):
        amounts(name, unit)
    dollars, euros = (tl.DummyRegressor().fit(name, "price") for name in ("us.csv", "eu.csv"))
    with pytest.raises(MergeError, match=r"'price' is written as \$1234\.5 in one table"):
        tl.merge(dollars, euros)
    with pytest.raises(ColumnError, match=r"'price' was written as \$1234\.5"):
        dollars.partial_fit("eu.csv", "price")


def test_a_percent_sign_is_no_number_without_one() -> None:
    found = tl.NaiveBayes().fit(pd.DataFrame({"p": [0.1, 0.2, 0.3], "y": list("aba")}), "y")
    with pytest.raises(ColumnError, match=r"'12 %' in row 0 has a unit"):
        found.predict(pd.DataFrame({"p": ["12 %"]}))
    assert len(found.predict(pd.DataFrame({"p": ["$12"]}))) == 1


@pytest.mark.parametrize("cell", ["3/4/2024", "2024-04-03", "3.4.2024", "12:30"])
def test_a_date_among_numbers_gets_no_remedy_that_a_model_refuses(cell: str) -> None:
    Path("a.csv").write_text("x,y\n" + "1.5,u\n2.5,v\n" * 3)
    fine("learn", "a.csv", "--target", "y", "--model", "tree", "-o", "m.tally")
    Path("b.csv").write_text(f"x,z\n{cell},1\n")
    said = failed("predict", "m.tally", "b.csv")
    found = remedies(said)
    assert found == [f"--missing {cell}"]
    fine("predict", "m.tally", "b.csv", *shlex.split(found[0]))


# --- messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "remedy"),
    [
        (["2024-31-12", "2024-30-11"], "--as a=%Y-%d-%m"),
        (["2024/31/12", "2024/30/11"], "--as a=%Y/%d/%m"),
        (["31.12.2024", "1.2.2024"], "--as a=%d.%m.%Y"),
    ],
)
def test_a_message_names_a_form_in_which_all_days_can_be_read(
    cells: list[str], remedy: str
) -> None:
    Path("a.csv").write_text("a,y\n" + "".join(f"{cell},u\n{cell},v\n" for cell in cells))
    said = failed("check", "a.csv", "--as", "a=%Y-%m-%d")
    assert "others" not in said
    assert remedy in remedies(said)
    fine("check", "a.csv", *shlex.split(remedy))


def test_the_parts_of_a_date_are_named() -> None:
    model()
    said = failed("check", "old.csv", "--dates", "day=yeer")
    assert "The parts of a date are 'year', 'month', 'day', 'weekday'" in said
    fine("check", "old.csv", "--dates", "day=year+month")


def test_a_table_is_written_by_the_ending_of_its_file() -> None:
    model()
    for ending in ("parquet", "pq", "csv", "CSV"):
        fine("check", "old.csv", "--fix", f"clean.{ending}")
        assert (Path(f"clean.{ending}").read_bytes()[:4] == b"PAR1") == (ending[0] == "p")
        again = tl.table(f"clean.{ending}", target="y")
        first = tl.table("old.csv", target="y")
        assert again.whole().numbers.tolist() == first.whole().numbers.tolist()
        assert again.schema.names == first.schema.names
    said = failed("check", "old.csv", "--fix", "clean.xlsx")
    assert said.endswith("the extension must be one of '.parquet', '.pq', '.csv'. Rename the file.")
    assert not Path("clean.xlsx").exists()


def test_a_query_is_checked_as_a_table_is() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a, b)")
        connection.execute("INSERT INTO t VALUES ('$1.5', 'x')")
        found = tl.check("SELECT * FROM t", connection)
        with pytest.raises(TallyError, match=r"is already a table\. Leave the connection out"):
            tl.check(tl.table({"a": [1]}), connection)
    assert found.schema["kinds"] == {"a": "$1234.5", "b": "category"}
    assert str(found).startswith("a table in memory: 1 row, 2 columns\n")


def test_tally_check_tells_a_pickle() -> None:
    import pickle

    for value in (1, "x", [1, 2], {"a": 1}, pd.DataFrame({"a": [1]})):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            Path("p.csv").write_bytes(pickle.dumps(value, protocol))
            assert "p.csv is a pickle of Python" in failed("check", "p.csv")
    for value in ([1, 2], {"a": 1}, pd.DataFrame({"a": [1]})):
        Path("p.csv").write_bytes(pickle.dumps(value, 0))
        assert "p.csv is a pickle of Python" in failed("check", "p.csv")
    assert tally("check", "nothing.csv").exit_code == 1


@pytest.mark.parametrize("form", ["%d/%m/%Y %H:%M", "%d/%m/%Y", "%-d/%m/%YT%H:%M:%S"])
def test_a_time_of_day_is_read_whether_the_form_of_the_date_has_one_or_not(form: str) -> None:
    Path("t.csv").write_text("when,y\n3/4/2024 20:30,a\n5/6/2024 08:15,b\n")
    found = tl.table("t.csv", kinds={"when": form}).whole().numbers[:, 0]
    assert found.tolist() == [19816 + 20.5 / 24, 19879 + 8.25 / 24]


@pytest.mark.parametrize("form", ["%q", "%d", "%d/%m", "%Y-%m-%d-%d", "%j %Y"])
def test_a_form_that_is_no_date_is_refused(form: str) -> None:
    model()
    said = failed("check", "old.csv", "--as", f"day={form}")
    assert said.startswith(f"--as: {form!r} is not a kind for the column 'day'. Use 'number'")
    assert "'%d.%m.%Y' for dates" in said


def test_errors_of_options_name_them_as_they_are_typed() -> None:
    model()
    for words, begins in (
        (("--as", "nope=number"), "--as: the table has no column 'nope'"),
        (("--date-format", "dd/mm"), "--date-format must be like '%d/%m/%Y'"),
        (("--delimiter", ";;"), "--delimiter must be one character"),
        (("--encoding", "klingon"), "--encoding 'klingon' is not known"),
        (("--target", "nope"), "--target: the table has no column 'nope'"),
        (("--skip", "99"), "old.csv: no row is left after skip=99"),
    ):
        assert failed("check", "old.csv", *words).startswith(begins)


def test_a_model_is_asked_about_one_row() -> None:
    model()
    new(ROWS[0])
    assert "accuracy" in fine("evaluate", "m.tally", "new.csv")
    Path("less.csv").write_text("day\n31.12.2024\n")
    said = failed("predict", "m.tally", "less.csv")
    assert "less.csv has no column 'price'. It has 'day'. Add the column, with empty cells" in said
    Path("less.csv").write_text("day,price\n31.12.2024,\n")
    fine("predict", "m.tally", "less.csv")


MONTHS = {  # classes that were learned, cells of the next month, and the labels that these are
    "answers": (["Yes", "No", "yes"], ["yes", "no", "yes"], ["Yes", "No", "Yes"]),
    "one answer": (["Yes", "No", "No"], ["YES", "yes", "YES"], ["Yes", "Yes", "Yes"]),
    "codes": (["01", "10", "11"], ["10", "11", "10"], ["10", "11", "10"]),
    "truths": (["true", "false", "maybe"], ["true", "false", "true"], ["true", "false", "true"]),
    "dates": (["31.1.2024", "1.2.2024", "1.2.2024"], ["1.2.2024"] * 3, ["2024-02-01"] * 3),
}


@pytest.mark.parametrize(("learned", "cells", "labels"), MONTHS.values(), ids=MONTHS)
def test_labels_are_read_as_they_were_learned(
    learned: list[str], cells: list[str], labels: list[str]
) -> None:
    for name, some in (("jan.csv", learned), ("feb.csv", cells)):
        Path(name).write_text("\n".join(["x,y", *(f"{i % 3},{y}" for i, y in enumerate(some * 4))]))
    fine("learn", "jan.csv", "--target", "y", "--model", "bayes", "-o", "jan.tally")
    fine("learn", "feb.csv", "--like", "jan.tally", "-o", "feb.tally")
    known = [str(label)[:10] for label in tl.load("jan.tally").classes_]
    assert [str(label)[:10] for label in tl.load("feb.tally").classes_] == sorted({*labels})
    fine("merge", "jan.tally", "feb.tally", "-o", "both.tally")
    assert [str(label)[:10] for label in tl.load("both.tally").classes_] == known
    fine("forget", "both.tally", "feb.csv")
    assert tl.load("both.tally").tally_ == tl.load("jan.tally").tally_
    said = json.loads(fine("evaluate", "jan.tally", "feb.csv", "--json"))
    assert {str(label)[:10] for label in said["classes"]} <= {*known}


def test_answers_by_other_words_are_labels_as_they_were_learned() -> None:
    Path("jan.csv").write_text("x,y\n" + "1,ja\n2,nein\n" * 4)
    Path("feb.csv").write_text("x,y\n" + "1,Ja\n2,NEIN\n" * 4)
    fine("learn", "jan.csv", "--target", "y", "--model", "bayes", "-o", "jan.tally")
    fine("learn", "feb.csv", "--like", "jan.tally", "--as", "y=Nein/Ja", "-o", "feb.tally")
    assert tl.load("feb.tally").classes_.tolist() == ["ja", "nein"]


@pytest.mark.parametrize("command", ["evaluate", "forget"])
def test_a_target_that_can_be_read_in_two_ways_is_refused_with_a_model_too(command: str) -> None:
    Path("old.csv").write_text("x;y\n" + "1;1234\n2;2345\n3;3456\n" * 9)
    Path("new.csv").write_text("x;y\n1;1,234\n2;2,345\n")
    fine("learn", "old.csv", "--target", "y", "--model", "bayes", "-o", "m.tally")
    said = failed(command, "m.tally", "new.csv")
    assert "column 'y' can be read in two ways: '1,234' in row 2" in said
    fine(command, "m.tally", "new.csv", "--as", "y=1,234.5")


def test_a_target_in_doubt_at_first_is_told_by_later_rows() -> None:
    Path("old.csv").write_text("x;y\n" + "1;1234\n2;2345\n3;3456\n" * 9)
    Path("new.csv").write_text("x;y\n" + "1;1,234\n" * 70_000 + "2;2,345.0\n")
    fine("learn", "old.csv", "--target", "y", "--model", "bayes", "-o", "m.tally")
    said = json.loads(fine("evaluate", "m.tally", "new.csv", "--json"))
    assert said["classes"] == [1234, 2345, 3456]


@pytest.mark.parametrize("command", ["predict", "explain", "evaluate", "forget"])
def test_a_table_before_its_model_is_told_so(command: str) -> None:
    model()
    new(*ROWS)
    said = misused(command, "new.csv", "m.tally")
    assert f"the model file comes before the table: tally {command} m.tally new.csv." in said
    fine(command, "m.tally", "new.csv")


@pytest.mark.parametrize(
    ("rows", "curves"), [("1,a\n2,b\n", ["all classes", "a", "b"]), ("1,a\n", [])]
)
def test_a_report_is_written_where_no_row_has_some_class(rows: str, curves: list[str]) -> None:
    Path("old.csv").write_text("x,y\n" + "1,a\n2,b\n3,c\n" * 9)
    Path("new.csv").write_text("x,y\n" + rows * 9)
    fine("learn", "old.csv", "--target", "y", "--model", "bayes", "-o", "m.tally")
    plots = json.loads(fine("evaluate", "m.tally", "new.csv", "--json"))["plots"]
    assert [*plots.get("roc", {}).get("charts", {})] == curves
    fine("evaluate", "m.tally", "new.csv", "-o", "report.html")


def test_lines_of_two_cells_above_a_table_are_skipped_as_the_error_says() -> None:
    days = "".join(f'"{day:02d}.01.2024";"1.0{day:02d},50-";"S"\n' for day in range(1, 29))
    table = '"Tag";"Wert";"Soll"\n' + days
    Path("bank.csv").write_text('"Konto";"DE12"\n"Zeitraum";"Januar"\n\n' + table)
    said = failed("check", "bank.csv")
    assert "If the lines above it are titles, use --skip 3." in said
    found = json.loads(fine("check", "bank.csv", "--skip", "3", "--json"))
    assert [one["kind"] for one in found["columns"]] == ["date", "number", "category"]


def test_the_library_reads_labels_in_files_as_they_were_learned(tmp_path: Path) -> None:
    """A file of other months may write its answers otherwise, or have one of them alone."""
    x = np.arange(40) % 4 * 1.5
    for name, words in {"jan": ("No", "Yes"), "feb": ("no", "YES"), "may": ("no", "no")}.items():
        lines = (f"{a},{words[int(a > 2)]}" for a in x)
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,late", *lines]))
    model = tl.NaiveBayes().fit(tmp_path / "jan.csv", "late")
    assert model.score(tmp_path / "feb.csv", "late") == 1
    assert tl.evaluate(model, tmp_path / "feb.csv", "late", cv=None)["accuracy"].value == 1
    assert model.score(tmp_path / "may.csv", "late") == 0.5
    twice = tl.NaiveBayes().fit(tmp_path / "jan.csv", "late")
    twice.partial_fit(tmp_path / "feb.csv", "late")
    assert twice.classes_.tolist() == ["No", "Yes"]
    assert twice.forget(tmp_path / "feb.csv", "late").tally_ == model.tally_


def test_a_tree_is_evaluated_where_no_model_is_named(tmp_path: Path) -> None:
    lines = (f"{a % 4 * 1.5},{'ny'[a % 4 > 1]}" for a in range(40))
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *lines]))
    run = CliRunner().invoke(main, ["evaluate", str(tmp_path / "t.csv"), "--target", "y"])
    assert "DecisionTreeClassifier() on 40 rows" in run.output


def test_rows_with_gaps_are_left_out_by_the_table_or_by_the_learner_and_counted() -> None:
    rows = [f"{'' if at in (3, 7) else at * 1.5},{'uv'[at % 2]},{at * at % 11}" for at in range(20)]
    Path("gappy.csv").write_text("\n".join(["x,c,y", *rows]))
    said = "tally: 2 of 20 rows had missing values and were dropped."
    like = ("gappy.csv", "--target", "y", "--model", "linear")
    learned = tally("learn", *like, "--gaps", "drop", "-o", "g.tally")
    assert said in learned.stderr
    assert "fitted to 18 rows" in learned.stdout
    page = json.loads(fine("learn", *like, "--gaps", "drop", "--json"))
    assert (page["rows"], page["dropped"], page["read_as"]) == (18, 0, [said[7:-1]])
    for more in ((*like,), ("g.tally", "gappy.csv"), (*like[:3], "--model", "tree")):
        found = tally("evaluate", *more, "--gaps", "drop")
        assert said in found.stderr
        assert "on 18 rows" in found.stdout
    assert said in tally("compare", *like[:3], "--models", "linear,tree", "--gaps", "drop").stderr
    assert said in tally("learn", "gappy.csv", "--like", "g.tally", "--gaps", "drop").stderr
    told = "2 of 20 rows (10.0 %) have missing values and were dropped."
    assert told in fine("evaluate", *like, "--set", "missing=drop")
    assert "is missing in row 5, " in (error := failed("learn", *like, "--set", "missing=refuse"))
    assert error.endswith("or drop such rows with --gaps drop.")
    fine("learn", *like, "--set", "missing=drop", "-o", "d.tally")
    assert "gaps" not in failed("predict", "d.tally", "gappy.csv").partition("gaps are not")[2]
