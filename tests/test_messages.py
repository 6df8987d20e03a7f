"""A message says what is wrong, and its remedy is one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

import tallylearn as tl
from tallylearn.errors import FileError, InputError
from tests.cli.test_cli import failed, fine, folder, learned

__all__ = ["folder"]


def test_numbers_that_are_written_as_text_are_numbers() -> None:
    model = tl.NaiveBayes().fit({"x": [1.0, 2.0, 3.0, 4.0], "y": list("uvuv")}, "y")
    asked = model.predict_proba({"x": ["1.0", "2,000.5", "-"]})
    assert (asked == model.predict_proba({"x": [1.0, 2000.5, None]})).all()


@pytest.mark.parametrize(
    ("odd", "others", "kind"),
    [("4/4/2017", "2017-04-04", "date"), ("1,234.5", "12,5", "number")],
)
def test_a_value_that_is_written_otherwise_is_not_called_a_gap(
    odd: str, others: str, kind: str
) -> None:
    rows = [f"{others};u", f"{others};v"] * 33_000
    Path("d.csv").write_text("\n".join(["x;y", *rows, f"{odd};u"]))
    command = ("learn", "d.csv", "--target", "y", "--model", "bayes", "--as", f"x={kind}")
    said = failed(*command)
    assert repr(odd) in said
    assert "--missing" not in said
    assert "read as" in said
    assert "the others" not in said


def test_a_command_suggests_no_option_that_it_lacks() -> None:
    Path("n.csv").write_text("x,y\n" + "1,u\n2,v\n3,u\n5,v\n" * 3)
    fine("learn", "n.csv", "--target", "y", "--model", "bayes", "-o", "n.tally")
    Path("new.csv").write_text("x\n1\nsoon\n")
    for command in (("predict", "n.tally", "new.csv"), ("explain", "n.tally", "new.csv")):
        said = failed(*command)
        assert said.endswith("Mark it as missing with --missing soon, or correct it.")
        fine(*command, "--missing", "soon")


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_what_a_learner_makes_of_gaps_is_an_option_of_it_and_no_mark(model: str) -> None:
    rows = "1,2,0\n2,,1\n3,1,0\n4,2,1\n5,3,1\n6,2,0\n"
    Path("g.csv").write_text("a,b,y\n" + rows)
    learn = ("learn", "g.csv", "--target", "y", "--model", model)
    said = failed(*learn, "--set", "missing=refuse")
    ways = "Fill it in or use --set missing=indicator, or drop such rows with --gaps drop."
    assert said.endswith(ways)
    fine(*learn, "--set", "missing=indicator")
    assert "fitted to 5 rows" in fine(*learn, "--set", "missing=drop", "-o", "d.tally")
    page = json.loads(fine(*learn, "--set", "missing=drop", "--json"))
    assert (page["rows"], page["unanswered"], page["dropped"]) == (5, 0, 1)
    assert failed("predict", "d.tally", "g.csv").endswith("--set missing=indicator when learning.")
    told = "1 of 6 rows (16.7 %) has missing values and was dropped."
    assert told in fine("evaluate", "d.tally", "g.csv")


def test_a_name_that_is_missing_takes_none_that_is_there() -> None:
    Path("h.csv").write_text(",x0,y\n1,2,u\n2,3,v\n3,5,u\n")
    assert tl.table("h.csv", target="y").schema.names == ("x0_", "x0")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("book.xlsx", "a zip archive"),
        ("book.csv", "a zip archive"),
        ("book.zip", "sheet.xml is XML"),
    ],
)
def test_an_archive_is_called_one(name: str, says: str) -> None:
    with zipfile.ZipFile(name, "w") as archive:
        archive.writestr("sheet.xml", "<a/>")
    with pytest.raises(FileError, match=says):
        tl.table(name)


def test_an_interrupt_ends_with_130_and_without_a_word() -> None:
    code = (
        "import sys, time, tallylearn.cli as c, tallylearn.cli.model_commands as k\n"
        "from tallylearn.sources import example_tables\n"
        "def slow(name):\n    print('ready', flush=True); time.sleep(60)\n"
        "example_tables.text_of = slow\n"
        "c.main(['example', 'tennis'])\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "ready\n"
    time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=300)
    assert run.returncode == 130
    assert said == ""


# Room is asked for before it is taken


def test_a_row_of_more_cells_than_a_table_has_columns_is_refused() -> None:
    Path("wide.csv").write_text("," * 100_000 + "\n")
    with pytest.raises(InputError, match=r"100,001 cells.*at most 100,000 columns.*delimiter"):
        tl.table("wide.csv")


def test_a_line_without_an_end_is_refused_before_it_is_held() -> None:
    """100 MB of commas took 6 GB: no more is read than a row may be long."""
    Path("commas.csv").write_bytes(b"," * (20 << 20))
    code = (
        "import resource, tallylearn as tl, pyarrow.csv\n"
        "room = 3 << 29\n"
        "resource.setrlimit(resource.RLIMIT_AS, (room, room))\n"
        "try:\n    tl.table('commas.csv')\n"
        "except tl.errors.InputError as error:\n    print(error)\n"
    ).replace("tl.errors", "__import__('tallylearn.errors', fromlist=['x'])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "a row is longer than 16,777,216 bytes" in done.stdout, done.stderr[-500:]
    learned()
    assert "a row is longer than" in failed("predict", "t.tally", "commas.csv")
