"""What the command does to files: columns carried through, Parquet written, months merged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.cli.predict_command import PartWithColumns
from tests.cli.test_cli import failed, fine, folder, learned, misused, tally

__all__ = ["folder"]


def months() -> None:
    """Two months, in one of which a postcode begins with zero."""
    rows = ["10115,5.5,no", "20095,6.5,yes", "30159,7.5,no", "10115,8.5,yes"]
    Path("jan.csv").write_text("\n".join(["zip,price,late", "01234,4.5,no", *rows]))
    Path("feb.csv").write_text("\n".join(["zip,price,late", "11234,4.0,yes", *rows]))
    fine("learn", "jan.csv", "--target", "late", "--model", "bayes", "-o", "jan.tally")


# --- predict -o and --keep --------------------------------------------------------------------


def read(path: str) -> pa.Table:
    ending = Path(path).suffix
    return pq.read_table(path) if ending in (".parquet", ".pq") else feather.read_table(path)


@pytest.mark.parametrize("ending", [".parquet", ".pq", ".arrow", ".feather", ".ipc", ".PARQUET"])
def test_predictions_are_written_as_columns_by_the_ending(ending: str) -> None:
    learned()
    fine("predict", "t.tally", "tennis.csv", "--proba", "-o", f"a{ending}")
    found = read(f"a{ending.lower()}") if ending.islower() else pq.read_table(f"a{ending}")
    model = tl.load("t.tally")
    shown = {field.name: str(field.type) for field in found.schema}
    assert shown == {"prediction": "string", "P(No)": "double", "P(Yes)": "double"}
    assert found["prediction"].to_pylist() == model.predict("tennis.csv").tolist()
    shares = np.column_stack([found["P(No)"], found["P(Yes)"]])
    np.testing.assert_array_equal(shares, model.predict_proba("tennis.csv"))
    assert [one.name for one in Path().iterdir() if one.name.startswith(f".a{ending}")] == []


@pytest.mark.parametrize(
    ("target", "model", "kind"),
    [
        ("n", "bayes", "int64"),
        ("x", "mean", "double"),
        ("t", "tree", "bool"),
        ("c", "id3", "string"),
    ],
)
def test_answers_have_the_type_of_the_target(target: str, model: str, kind: str) -> None:
    rows = [f"{i * 0.37},{i % 3},{i % 2 == 0},{'uvw'[i % 3]}" for i in range(30)]
    Path("t.csv").write_text("\n".join(["x,n,t,c", *rows]))
    fine("learn", "t.csv", "--target", target, "--model", model, "-o", "m.tally")
    fine("predict", "m.tally", "t.csv", "-o", "a.parquet")
    assert str(pq.read_table("a.parquet").schema.field("prediction").type) == kind


def test_a_large_file_becomes_columns_block_by_block() -> None:
    n = 150_000
    x = np.random.default_rng(0).normal(size=n)
    pd.DataFrame({"id": [f"{i:07}" for i in range(n)], "x": x}).to_csv("big.csv", index=False)
    tl.NaiveBayes().fit({"x": x[:99], "y": ["a", "b", "c"] * 33}, "y").save("m.tally")
    fine("predict", "m.tally", "big.csv", "--keep", "id", "-o", "a.parquet", "--threads", 2)
    found = pq.read_table("a.parquet")
    assert found["id"].to_pylist() == [f"{i:07}" for i in range(n)]
    assert found["prediction"].to_pylist() == tl.load("m.tally").predict("big.csv").tolist()
    assert pq.read_metadata("a.parquet").num_row_groups == 3
    fine("predict", "m.tally", "big.csv", "--keep", "id", "-o", "a.csv")
    lines = Path("a.csv").read_text().splitlines()
    assert (len(lines), lines[0], lines[-1].split(",")[0]) == (n + 1, "id,prediction", "0149999")


def test_columns_are_carried_through_as_they_stand() -> None:
    months()
    Path("new.csv").write_text(
        'id,name,zip,price\n007, Ann ,01234,5\n8,"a ""b"", c",1,NA\n1e5,NA,1,6\n?,=1+1,1,7\n'
    )
    wide = fine("predict", "jan.tally", "new.csv", "--keep", "id,name")
    lines = wide.splitlines()
    assert lines[0] == "id,name,prediction"
    assert [line.rsplit(",", 1)[0] for line in lines[1:]] == [
        "007, Ann ", '8,"a ""b"", c"', "1e5,NA", "?,=1+1",
    ]  # fmt: skip
    assert fine("predict", "jan.tally", "new.csv", "--keep", "id", "--keep", "name") == wide
    bare = fine("predict", "jan.tally", "new.csv").splitlines()
    assert [line.rsplit(",", 1)[1] for line in lines] == bare
    objects = fine("predict", "jan.tally", "new.csv", "--keep", "name,price", "--json", "--proba")
    first, *_, last = map(json.loads, objects.splitlines())
    assert [*first] == ["name", "price", "prediction", "probabilities"]
    assert (first["name"], first["price"], last["name"]) == (" Ann ", "5", "=1+1")
    guarded = fine("predict", "jan.tally", "new.csv", "--keep", "name", "--spreadsheet")
    assert guarded.splitlines()[-1].startswith("'=1+1,")
    fine("predict", "jan.tally", "new.csv", "--keep", "name,id", "-o", "a.feather")
    found = feather.read_table("a.feather")
    assert found.column_names == ["name", "id", "prediction"]
    assert found["id"].to_pylist() == ["007", "8", "1e5", "?"]


def test_typed_columns_stay_typed() -> None:
    months()
    frame = pa.table({
        "zip": ["10115", "1"], "price": [1.0, 2.0], "n": pa.array([3, None]),
        "when": pa.array([0, 1], pa.date32()), "who": ["a", None],
    })  # fmt: skip
    for at in (1, 2):
        pq.write_table(frame, f"new-{at}.parquet")
    fine("predict", "jan.tally", "new-*.parquet", "--keep", "n,when,who", "-o", "a.parquet")
    found = pq.read_table("a.parquet")
    assert [*map(str, found.schema.types)] == ["int64", "date32[day]", "string", "string"]
    assert found["n"].to_pylist() == [3, None] * 2
    assert found["who"].to_pylist() == ["a", None] * 2
    text = fine("predict", "jan.tally", "new-1.parquet", "--keep", "n,who")
    assert text.splitlines()[1:] == ["3,a,no", ",,no"]
    pq.write_table(frame.set_column(2, "n", [["x", "y"]]), "new-3.parquet")
    message = failed("predict", "jan.tally", "new-*.parquet", "--keep", "n", "-o", "b.parquet")
    assert "--keep n: the column has type int64 in the first file and string in another" in message
    assert not Path("b.parquet").exists()


def test_a_table_that_changes_between_its_rows_and_its_columns_is_told() -> None:
    rows = tl.table({"x": [1.0, 2.0, 3.0]})
    part = next(iter(rows.parts()))
    for lengths in ([2], [], [3, 1]):
        tables = iter([pa.table({"id": ["a"] * n}) for n in lengths])
        with pytest.raises(tl.errors.FileError, match="changed while it was read"):
            list(PartWithColumns(part, tables).blocks())
    (whole,) = PartWithColumns(part, iter([pa.table({"id": ["a", "b", "c"]})])).blocks()
    assert whole.kept["id"].to_pylist() == ["a", "b", "c"]


def test_what_cannot_be_carried_is_said() -> None:
    months()
    Path("new.csv").write_text("zip,price,prediction,P(no)\n1,2,3,4\n")
    arguments = ("predict", "jan.tally", "new.csv", "--keep")
    assert failed(*arguments, "z") == (
        "--keep: the table has no column 'z'. It has 'zip', 'price', 'prediction', 'P(no)'."
    )
    assert "the output already has a column 'prediction'" in failed(*arguments, "prediction")
    assert "the output already has a column 'P(no)'" in failed(*arguments, "P(no)", "--proba")
    assert fine(*arguments, "P(no)").splitlines()[0] == "P(no),prediction"
    assert "cannot be combined with --row" in misused(
        "predict", "jan.tally", "--row", "1,2", "--keep", "zip"
    )
    for option in ("--json", "--spreadsheet"):
        words = misused("predict", "jan.tally", "new.csv", option, "-o", "a.parquet")
        assert f"{option} applies to text output" in words


def test_columns_replace_nothing_when_a_row_is_wrong() -> None:
    months()
    rows = "1,2\n" * 70_000
    Path("new.csv").write_text(f"zip,price\n{rows}")
    fine("predict", "jan.tally", "new.csv", "-o", "a.parquet")
    before = Path("a.parquet").read_bytes()
    Path("new.csv").write_text(f"zip,price\n{rows}1,many\n")
    message = failed("predict", "jan.tally", "new.csv", "-o", "a.parquet", "--force")
    assert "row 70002" in message
    assert Path("a.parquet").read_bytes() == before
    assert sorted(p.name for p in Path().iterdir() if "parquet" in p.name) == ["a.parquet"]
    Path("new.csv").write_text("zip,price\n")
    assert "no rows" in failed("predict", "jan.tally", "new.csv", "-o", "a.parquet", "--force")
    assert Path("a.parquet").read_bytes() == before


# --- empty lines ------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_empty_line_of_one_column_is_a_row(end: str) -> None:
    tl.NaiveBayes().fit({"c": ["u", "v", "v"], "y": ["a", "b", "b"]}, "y").save("m.tally")
    Path("new.csv").write_bytes(end.join(["c", "u", "", "v", " ", "u", ""]).encode())
    answers = fine("predict", "m.tally", "new.csv", "--keep", "c").splitlines()
    assert answers == ["c,prediction", "u,a", ",b", "v,b", " ,b", "u,a"]
    Path("late.csv").write_text("c\n" + "u\n\n" * 40_000 + "v")
    assert len(fine("predict", "m.tally", "late.csv").splitlines()) == 80_002


def test_an_empty_line_of_several_columns_is_no_row_and_answers_are_joined_by_what_is_kept() -> (
    None
):
    months()
    Path("new.csv").write_text("\n\nid,zip,price\n\na,1,5\n\n  \nb,1,6\n\nc,1,x\n")
    message = failed("predict", "jan.tally", "new.csv")
    assert re.search(r"column 'price' has .* in row 4 \('x'\)", message)
    Path("new.csv").write_text("\n\nid,zip,price\n\na,1,5\n\n  \nb,1,6\n\n,1,\n\n")
    answers = fine("predict", "jan.tally", "new.csv", "--keep", "id").splitlines()
    assert [line.split(",")[0] for line in answers] == ["id", "a", "b", ""]


def test_a_row_is_counted_with_the_empty_lines_of_one_column_in_messages(tmp_path: Path) -> None:
    model = tl.DummyRegressor().fit({"x": [1.0, 2.0], "y": [1.0, 2.0]}, "y")
    path = tmp_path / "t.csv"
    path.write_text("x\n1\n\n\nmany\n")
    with pytest.raises(tl.errors.ColumnError, match=r"'x' has .* in row 5 \('many'\)"):
        model.predict(path)
    path.write_text('x\n1\n\n\n"open\n')
    with pytest.raises(tl.errors.InputError, match="row 5 opens a quote"):
        model.predict(path)
    path.write_text("x\n\n\n")
    assert len(model.predict(path)) == 2


# --- the target in the model file -------------------------------------------------------------


def test_forgetting_needs_no_target_where_the_model_names_it() -> None:
    months()
    jan = modelfile.digests(tl.load("jan.tally"))
    Path("row.csv").write_text("zip,price,late\n10115,8.5,yes\n")
    fine("forget", "jan.tally", "row.csv", "-o", "less.tally")
    Path("rest.csv").write_text("".join(Path("jan.csv").read_text().splitlines(True)[:-1]))
    fine("learn", "rest.csv", "--target", "late", "--model", "bayes", "-o", "rest.tally")
    assert modelfile.digests(tl.load("less.tally")) == modelfile.digests(tl.load("rest.tally"))
    assert json.loads(fine("show", "less.tally", "--json"))["target"] == "late"
    assert "target        late\n" in fine("show", "less.tally")
    Path("renamed.csv").write_text("zip,price,was_late\n10115,8.5,yes\n")
    assert "has no column 'late'" in failed("forget", "jan.tally", "renamed.csv")
    fine("forget", "jan.tally", "renamed.csv", "--target", "was_late", "-o", "again.tally")
    assert modelfile.digests(tl.load("again.tally")) == modelfile.digests(tl.load("rest.tally"))
    assert modelfile.digests(tl.load("jan.tally")) == jan


def test_a_model_file_is_evaluated_on_other_rows_without_naming_the_target() -> None:
    months()
    Path("mar.csv").write_text("zip,price,late,w,g\n01234,5,no,1,u\n10115,8,yes,2,v\n1,2,,1,u\n")
    said = fine("evaluate", "jan.tally", "mar.csv")
    assert "NaiveBayes() on 2 rows, as fitted" in said
    assert "1 of 3 rows (33.3 %) has no late and was left out." in said
    options = ("--weight", "w", "--by", "g", "--positive", "yes", "--scores", "accuracy,recall")
    page = json.loads(fine("evaluate", "jan.tally", "mar.csv", *options, "--json"))
    assert (page["cv"], page["target"], page["positive"]) == ("as fitted", "late", "yes")
    table = tl.table("mar.csv", weight="w", categories=["zip"])
    found = tl.evaluate(
        tl.load("jan.tally"), table, "late", cv=None, scores=["accuracy", "recall"], positive="yes"
    )
    assert [record["value"] for record in page["records"]] == [score.value for score in found]
    learned("t.tally")
    assert "has no columns 'Outlook'" in failed("evaluate", "t.tally", "mar.csv", "--target", "g")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("jan.tally",), "the table is missing. For example: tally evaluate jan.tally"),
        (("jan.tally", "jan.csv", "--cv", "3"), "--cv cannot be combined with a model file"),
        (("jan.tally", "jan.csv", "--set", "m=1"), "--set cannot be combined with a model file"),
        (("jan.tally", "jan.csv", "--keep", "zip"), "--keep cannot be combined with a model"),
        (("jan.csv", "--model", "bayes"), "--target is missing"),
    ],
)
def test_what_does_not_go_with_a_model_file_is_named(arguments: Any, words: str) -> None:
    months()
    assert words in misused("evaluate", *arguments)


def test_a_model_without_the_name_of_its_target_says_so() -> None:
    tl.NaiveBayes().fit(np.array([[1.0], [2.0], [3.0]]), ["a", "b", "a"]).save("m.tally")
    Path("row.csv").write_text("x0,y\n1,a\n")
    assert "does not name its target" in misused("forget", "m.tally", "row.csv")
    assert "target        not named" in fine("show", "m.tally")
    fine("forget", "m.tally", "row.csv", "--target", "y")


# --- learn --like, and merge ------------------------------------------------------------------


def test_months_that_were_judged_differently_are_learned_alike_and_merged() -> None:
    months()
    fine("learn", "feb.csv", "--target", "late", "--model", "bayes", "-o", "feb.tally")
    message = failed("merge", "jan.tally", "feb.tally", "-o", "both.tally")
    assert "column 'zip' is a" in message
    remedy = "tally learn FILE --like jan.tally -o OTHER."
    assert message.endswith(f"Or fit the other models like jan.tally: {remedy}")
    fine(*remedy.removesuffix(".").replace("FILE", "feb.csv").split()[1:-1], "other.tally")
    fine("merge", "jan.tally", "other.tally", "-o", "both.tally")
    fine("learn", "jan.csv", "feb.csv", "--target", "late", "--model", "bayes", "--categories",
         "zip", "-o", "whole.tally")  # fmt: skip
    both, whole = tl.load("both.tally"), tl.load("whole.tally")
    assert both.tally_ == whole.tally_
    assert both.target_name_ == "late"


def test_like_takes_learner_options_and_target_of_the_model_unless_others_are_said() -> None:
    months()
    fine("learn", "jan.csv", "--target", "late", "--model", "bayes", "--alpha", "0.5",
         "--missing", "none", "-o", "half.tally")  # fmt: skip
    fine("learn", "feb.csv", "--like", "half.tally", "-o", "f.tally")
    found = tl.load("f.tally")
    assert (found.alpha, found.target_name_, found.schema_.missing) == (0.5, "late", ("none",))
    fine("learn", "feb.csv", "--like", "half.tally", "--model", "tree", "-o", "tree.tally")
    assert isinstance(tl.load("tree.tally"), tl.DecisionTreeClassifier)
    assert tl.load("tree.tally").schema_ == found.schema_
    page = json.loads(fine("learn", "feb.csv", "--like", "half.tally", "--json"))
    assert page["target"] == "late"
    assert [c["kind"] for c in page["columns"]] == ["category", "number"]


def test_like_weighs_rows_and_leaves_out_those_without_a_target() -> None:
    months()
    Path("mar.csv").write_text("late,w,price,zip,extra\nno,2,1,1,q\n,1,2,2,q\nyes,1,3,0,q\n")
    found = tally("learn", "mar.csv", "--like", "jan.tally", "--weight", "w", "-o", "mar.tally")
    assert "1 of 3 rows (33.3 %) has no late and was left out." in found.stderr
    assert tl.load("mar.tally").tally_["target"].weight == 3
    fine("merge", "jan.tally", "mar.tally", "-o", "both.tally")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--like", "jan.tally", "--keep", "zip"), "--keep cannot be combined with --like"),
        (
            ("--like", "jan.tally", "--categories", "zip"),
            "--categories cannot be combined with --like",
        ),
        (("--like", "jan.tally", "--alpha", "2"), "--alpha, --m and --set need --model"),
        (("--model", "bayes"), "--target is missing"),
        ((), "--target is missing"),
    ],
)
def test_options_that_do_not_go_with_like_are_named(arguments: Any, words: str) -> None:
    months()
    assert words in misused("learn", "feb.csv", *arguments)


def test_like_needs_the_columns_of_the_model_and_replaces_it_not() -> None:
    months()
    Path("less.csv").write_text("zip,late\n1,no\n")
    assert "has no column 'price'" in failed("learn", "less.csv", "--like", "jan.tally")
    assert "is an input of this command" in failed(
        "learn", "feb.csv", "--like", "jan.tally", "-o", "jan.tally", "--force"
    )


# --- messages ---------------------------------------------------------------------------------


def test_a_file_with_another_delimiter_among_several_is_told() -> None:
    Path("a.csv").write_text("x,y\n1,u\n2,v\n")
    Path("b.csv").write_text("x;y\n1;u\n2;v\n")
    message = failed("learn", "a.csv", "b.csv", "--target", "y", "--model", "majority")
    assert message == (
        "b.csv is semicolon-separated, and the other files are comma-separated: its only column "
        "is 'x;y'. Save it like the others, or read it alone."
    )
    Path("b.csv").write_text("z\n1\n")
    assert "b.csv has no columns 'x'" in failed(
        "learn", "a.csv", "b.csv", "--target", "y", "--model", "majority"
    )


def test_a_typed_row_with_an_unknown_column_names_it() -> None:
    months()
    message = failed("predict", "jan.tally", "--row", "foo=60")
    assert message == ("--row foo=60: the model has no column 'foo'. Its columns: 'zip', 'price'.")
    assert "has no column 'foo'" in failed("predict", "jan.tally", "--row", "zip=1,foo=60")
    assert "'60' has no column name" in failed("predict", "jan.tally", "--row", "zip=1,60")
    assert "1 values, and the model has 2 columns" in failed("predict", "jan.tally", "--row", "60")
    assert fine("predict", "jan.tally", "--row", "a=b,60").startswith("prediction")


def test_a_weight_that_is_text_is_told_as_a_weight() -> None:
    Path("w.csv").write_text("x,w,y\n1,heavy,u\n2,light,v\n")
    learn = ("learn", "w.csv", "--target", "y", "--model", "majority", "--weight")
    remedy = "Weights are numbers: name another column, or correct the cell."
    words = (
        rf"w.csv: column 'w' has .* in row {{}} \('{{}}'\), and that .* has the weights. {remedy}"
    )
    assert re.search(words.format(2, "heavy"), failed(*learn, "w"))
    Path("w.csv").write_text("x,w,y\n" + "1,1,u\n" * 250_000 + "2,light,v\n")
    assert re.search(words.format(250_002, "light"), failed(*learn, "w"))
    frame = pd.DataFrame({"x": [1.0, 2.0], "w": ["one", "two"], "y": ["u", "v"]})
    with pytest.raises(tl.errors.ColumnError, match=rf"row 0 \('one'\), and that .*{remedy}"):
        tl.DummyClassifier().fit(frame, "y", sample_weight="w")


@pytest.mark.parametrize(
    ("content", "name"),
    [("", "-"), ("\n", "/dev/stdin"), ("a,b\n1,x\n", "/dev/stdin"), ("zip,price\n1,x\n", "-")],
)
def test_standard_input_is_called_so(content: str, name: str) -> None:
    months()
    command = [sys.executable, "-m", "tallylearn", "predict", "jan.tally", name]
    run = subprocess.run(command, input=content, capture_output=True, text=True, env=os.environ)
    assert run.returncode == 1
    assert run.stderr.startswith("tally: standard input")
    assert "/tmp" not in run.stderr
    assert "stdin" not in run.stderr


def test_a_pipe_has_its_own_name() -> None:
    months()
    os.mkfifo("pipe")
    writer = subprocess.Popen([sys.executable, "-c", "open('pipe', 'w').close()"])
    assert failed("predict", "jan.tally", "pipe").startswith("pipe: the file is empty.")
    assert writer.wait() == 0
