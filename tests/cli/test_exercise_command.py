"""``tally exercise``: kinds are listed, sheets written, forms graded."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tallylearn as tl
from tallylearn.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roster.csv").write_text("student,group\nAda,1\nBen,2\n")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["exercise", *map(str, arguments)])


def fine(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, (arguments, result.output)
    return result.stdout


def test_all_kinds_are_listed() -> None:
    lines = fine("list").splitlines()
    assert tuple(line.split()[0] for line in lines) == tl.exercise_kinds()
    assert [one["kind"] for one in json.loads(fine("list", "--json"))] == [*tl.exercise_kinds()]


def test_an_exercise_is_shown_with_its_solution_on_request() -> None:
    exercise = tl.exercise("information-gain", 7)
    assert fine("show", "information-gain", "--seed", 7) == f"{exercise}\n"
    both = fine("show", exercise.code, "--solution")
    assert both == f"{exercise}\n\n{exercise.solution}\n"
    found = json.loads(fine("show", "information-gain", "--seed", 7, "--json", "--solution"))
    assert (found["code"], found["key"]) == (exercise.code, exercise.key())
    assert "key" not in json.loads(fine("show", "information-gain", "--json"))


def test_sheets_are_written_and_graded() -> None:
    assert "2 sheets in sheets" in fine("new", "entropy,gini", "--students", "roster.csv",
                                        "-o", "sheets")  # fmt: skip
    with open("sheets/keys/keys.csv", newline="") as file:
        key = {(row["code"], row["step"]): row["value"] for row in csv.DictReader(file)}
    with open("sheets/Ada.csv", newline="") as file:
        rows = [row | {"value": key[row["code"], row["step"]]} for row in csv.DictReader(file)]
    with open("sheets/Ada.csv", "w", newline="") as file:
        form = csv.DictWriter(file, rows[0].keys())
        form.writeheader()
        form.writerows(rows)
    printed = fine("grade", "sheets/*.csv", "-o", "grades.csv")
    assert "mean score 0.50" in printed
    with open("grades.csv", newline="") as file:
        grades = [(row["student"], float(row["score"])) for row in csv.DictReader(file)]
    assert grades == [("Ada", 1), ("Ada", 1), ("Ben", 0), ("Ben", 0)]
    assert len(json.loads(fine("grade", "sheets/Ada.csv", "--json"))["grades"]) == 2
    fine("grade", "sheets/Ada.csv", "-o", "grades.html")
    assert "<table" in Path("grades.html").read_text()


def test_other_formats_are_written() -> None:
    fine("new", "entropy", "--seed", 7, "-o", "quiz", "--format", "moodle,nbgrader")
    written = {path.as_posix() for path in Path("quiz").rglob("*.*")}
    assert written == {"quiz/sheet.csv", "quiz/keys/sheet.html", "quiz/keys/sheet.ipynb",
                       "quiz/keys/moodle.xml", "quiz/keys/keys.csv"}  # fmt: skip
    assert "entropy:7:1" in Path("quiz/sheet.csv").read_text()


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (("show", "entrpy"), ("entrpy", "'entropy'")),
        (("show", "entropy", "--seed", -1), ("-1",)),
        (("new", "entropy", "-o", "old"), ("sheet.csv", "--force")),
        (("new", "entropy", "--students", "none.csv", "-o", "new"), ("none.csv",)),
        (("new", "entropy", "--format", "pdf", "-o", "new"), ("pdf", "moodle")),
        (("grade", "roster.csv"), ("roster.csv", "'code'")),
        (("grade", "none.csv"), ("none.csv",)),
        (("grade", "old/sheet.csv", "-o", "roster.csv"), ("roster.csv", "--force")),
        (("grade", "old/sheet.csv", "-o", "old/sheet.csv"), ("old/sheet.csv", "input")),
        (("grade", "old/sheet.csv", "-o", "grades.pdf"), ("grades.pdf",)),
    ],
)
def test_a_wrong_use_gets_one_line(arguments: tuple[object, ...], facts: tuple[str, ...]) -> None:
    fine("new", "entropy", "-o", "old")
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("tally: ")
    assert result.stderr.count("\n") == 1
    assert [fact for fact in facts if fact not in result.stderr] == []
    assert "force=True" not in result.stderr
